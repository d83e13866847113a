"""Supervise a Java service: started once a data directory, left running for the next command, stopped by its pid."""

from __future__ import annotations

import os
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from services.local.errors import ServiceDidNotStart
from services.local.jars import cache_directory
from services.local.supervision import (
    ServiceStatus,
    choose_port,
    command_line,
    exclusive,
    is_alive,
    tail,
    terminate,
    wait_until,
)


class JvmService(ABC):
    """A service of our own on 127.0.0.1, its process, pid, port, lock, log and data in `data_dir`.

    `port` asks for a port; without it a free one is chosen and remembered. Programs are kept in `cache`.
    """

    name: ClassVar[str]
    ready_within: ClassVar[float]
    """Seconds from the start until it has to answer."""

    def __init__(self, data_dir: Path, port: int | None = None, cache: Path | None = None) -> None:
        self.data_dir = data_dir.expanduser().absolute()
        self.log = self.data_dir / "server.log"
        self._requested = port
        self._cache = cache or cache_directory()

    @abstractmethod
    def _command(self, port: int) -> Sequence[str]:
        """The arguments that start it at a port; files may be prepared."""

    @abstractmethod
    def _answers(self, port: int) -> bool:
        """Whether the service at a port is ready for work."""

    @abstractmethod
    def _address(self, port: int) -> str:
        """What its users are told."""

    @property
    def mark(self) -> str:
        """The argument by which a process is known to be this service's: process ids are used again."""
        return f"-Dfabula.data={self.data_dir}"

    def start(self) -> str:
        """Start the service unless it runs; returns its address once it is ready.

        Raises PrerequisiteMissing without a Java or a way to fetch the jars, ServiceDidNotStart with the end of its log.
        """
        return self._address(self._started())

    def _started(self) -> int:
        with exclusive(self.data_dir / "lock", timeout=self.ready_within * 2):
            port, pid = self._number("port"), self.pid()
            # one that was killed a moment ago may still look alive: when it ends meanwhile, start anew
            if pid is not None and port is not None and self._becomes_ready(pid, port):
                return port
            port = choose_port(port, self._requested, self.name)
            if not self._becomes_ready(self._launch(port), port):
                raise ServiceDidNotStart(self.name, "it ended", self.log, tail(self.log))
            return port

    def stop(self, grace: float = 30.0) -> None:
        """SIGTERM, and SIGKILL when that does not help within `grace` seconds; nothing happens when it does not run."""
        if self.pid() is None:
            return
        with exclusive(self.data_dir / "lock"):
            pid = self.pid()
            if pid is not None:
                terminate(pid, grace)
            (self.data_dir / "pid").unlink(missing_ok=True)

    def wipe(self) -> None:
        """Stop the service and remove its data for good."""
        self.stop()
        shutil.rmtree(self.data_dir, ignore_errors=True)

    def pid(self) -> int | None:
        """The process id of the running service, or None."""
        pid = self._number("pid")
        if pid is None or not is_alive(pid):
            return None
        arguments = command_line(pid)
        return pid if not arguments or self.mark in arguments else None

    def status(self) -> ServiceStatus:
        """Whether the service runs, and where; starts nothing."""
        pid, port = self.pid(), self._number("port")
        return ServiceStatus(
            name=self.name,
            running=pid is not None,
            address=self._address(port) if pid is not None and port is not None else None,
            pid=pid,
            data_dir=self.data_dir,
            log=self.log,
        )

    def _launch(self, port: int) -> int:
        arguments = [str(part) for part in self._command(port)]
        arguments.insert(1, self.mark)
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        # the shell leaves the service to init, so that its end is reaped however long this process lives
        launched = subprocess.run(
            [
                "/bin/sh",
                "-c",
                'log=$1; shift; "$@" >>"$log" 2>&1 </dev/null & echo $!',
                "sh",
                str(self.log),
                *arguments,
            ],
            cwd=self.data_dir,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            check=True,
        )
        (self.data_dir / "port").write_text(f"{port}\n")
        (self.data_dir / "pid").write_text(launched.stdout)
        return int(launched.stdout)

    def _becomes_ready(self, pid: int, port: int) -> bool:
        """Wait until the process answers; False when it ends first. Raises ServiceDidNotStart when time is up."""
        answered = wait_until(lambda: not is_alive(pid) or self._answers(port), self.ready_within, interval=0.2)
        if not answered:
            raise ServiceDidNotStart(
                self.name, f"it was not ready after {self.ready_within:.0f} s", self.log, tail(self.log)
            )
        return is_alive(pid)

    def _number(self, name: str) -> int | None:
        try:
            return int((self.data_dir / name).read_text())
        except (OSError, ValueError):
            return None
