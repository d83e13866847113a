"""Supervise a Java service: started once a data directory, left running for the next command, stopped by its pid."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from services.local.errors import ServiceDidNotStart
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


class JvmService:
    """The process of one service in `data_dir` (which holds its pid, port, lock and log).

    `command` builds the argument list for a port (it may prepare files); `is_ready` asks the service at a port.
    """

    def __init__(
        self,
        name: str,
        data_dir: Path,
        port: int | None,
        *,
        command: Callable[[int], Sequence[str]],
        is_ready: Callable[[int], bool],
        timeout: float,
    ) -> None:
        self.name = name
        self.data_dir = data_dir.expanduser().absolute()
        self.log = self.data_dir / "server.log"
        self._requested = port
        self._command = command
        self._is_ready = is_ready
        self._timeout = timeout

    @property
    def mark(self) -> str:
        """The argument by which a process is known to be this service's: process ids are used again."""
        return f"-Dfabula.data={self.data_dir}"

    def start(self) -> int:
        """Start the service unless it runs, wait until it is ready, and return its port.

        Raises LocalServiceError (ServiceDidNotStart with the end of the log when it is not ready in time).
        """
        with exclusive(self.data_dir / "lock", timeout=self._timeout * 2):
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

    def status(self, address: Callable[[int], str]) -> ServiceStatus:
        """Whether the service runs, and where; starts nothing."""
        pid, port = self.pid(), self._number("port")
        return ServiceStatus(
            name=self.name,
            running=pid is not None,
            address=address(port) if pid is not None and port is not None else None,
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
        answered = wait_until(lambda: not is_alive(pid) or self._is_ready(port), self._timeout, interval=0.2)
        if not answered:
            raise ServiceDidNotStart(
                self.name, f"it was not ready after {self._timeout:.0f} s", self.log, tail(self.log)
            )
        return is_alive(pid)

    def _number(self, name: str) -> int | None:
        try:
            return int((self.data_dir / name).read_text())
        except (OSError, ValueError):
            return None
