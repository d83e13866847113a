"""The local stack: PostgreSQL, Kafka and Elasticsearch below one home, brought up, shown and taken down together."""

from __future__ import annotations

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from services.local.elasticsearch import LocalElasticsearch
from services.local.errors import LocalServiceError
from services.local.kafka import LocalKafka
from services.local.postgres import LocalPostgres
from services.local.supervision import ServiceStatus

VARIABLES = {"postgres": "FABULA_POSTGRES", "kafka": "FABULA_KAFKA", "elasticsearch": "FABULA_ELASTICSEARCH"}
"""The environment variable by which the product is told each service's address."""


class LocalService(Protocol):
    """What the three supervisors have in common."""

    def start(self) -> str:
        """Start unless it runs; returns the address. Raises LocalServiceError."""

    def stop(self) -> None:
        """Stop if it runs."""

    def wipe(self) -> None:
        """Stop and remove the data."""

    def status(self) -> ServiceStatus:
        """How it is now."""


@dataclass(frozen=True, slots=True)
class StackStatus:
    """The three services as they are now."""

    home: Path
    services: tuple[ServiceStatus, ...]

    @property
    def running(self) -> bool:
        """Whether all of them run."""
        return all(service.running for service in self.services)

    def environment(self) -> dict[str, str]:
        """The variables that move the product onto the services that run."""
        return {VARIABLES[service.name]: service.address for service in self.services if service.address is not None}

    def export_lines(self) -> list[str]:
        """The same as lines for a shell."""
        return [f"export {name}={value}" for name, value in self.environment().items()]

    def to_json(self) -> dict[str, object]:
        """One document for `--json` and for the state file."""
        return {
            "home": str(self.home),
            "running": self.running,
            "environment": self.environment(),
            "services": [
                {
                    "name": service.name,
                    "running": service.running,
                    "address": service.address,
                    "pid": service.pid,
                    "data_dir": str(service.data_dir),
                    "log": str(service.log),
                }
                for service in self.services
            ],
        }


def stack_up(home: Path, cache: Path | None = None) -> StackStatus:
    """Start what does not run yet, all at once, and write `home/stack/state.json`.

    Raises LocalServiceError with one paragraph for each service that did not start; those that did go on running.
    """
    services = _services(home, cache)
    with ThreadPoolExecutor(len(services)) as pool:
        problems = [problem for problem in pool.map(_start, services.values()) if problem is not None]
    status = stack_status(home)
    if any(service.running for service in status.services):
        _record(status)
    if problems:
        raise LocalServiceError("\n\n".join(problems))
    return status


def stack_down(home: Path, *, wipe: bool = False) -> StackStatus:
    """Stop all three; their data stays, unless `wipe` removes it: every story of this home, then, embedded or not."""
    for service in _services(home, None).values():
        service.wipe() if wipe else service.stop()
    if wipe:
        shutil.rmtree(home / "stack", ignore_errors=True)
    status = stack_status(home)
    if not wipe and (home / "stack").exists():
        _record(status)
    return status


def stack_status(home: Path) -> StackStatus:
    """How the services are now; starts nothing."""
    return StackStatus(home, tuple(service.status() for service in _services(home, None).values()))


def _services(home: Path, cache: Path | None) -> dict[str, LocalService]:
    home = home.expanduser().absolute()
    directory = home / "stack"
    return {
        # the embedded mode's own, so that stories told so far are there when the stack comes up
        "postgres": LocalPostgres(home / "postgres"),
        "kafka": LocalKafka(directory / "kafka", cache=cache),
        "elasticsearch": LocalElasticsearch(directory / "elasticsearch", cache=cache),
    }


def _start(service: LocalService) -> str | None:
    try:
        service.start()
    except LocalServiceError as problem:
        return str(problem)
    return None


def _record(status: StackStatus) -> None:
    file = status.home / "stack" / "state.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.with_suffix(f".{os.getpid()}")
    written.write_text(json.dumps(status.to_json(), indent=2) + "\n")
    written.replace(file)
