"""What the supervisors of the local services share: locks, ports, processes and their logs."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from services.local.errors import LocalServiceError


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """One local service as it is now; `address` and `pid` are None unless it runs."""

    name: str
    running: bool
    address: str | None
    pid: int | None
    data_dir: Path
    log: Path


@contextmanager
def exclusive(path: Path, timeout: float = 120.0) -> Iterator[None]:
    """Hold the lock file `path`; one process (or thread) at a time.

    Raises LocalServiceError after `timeout` seconds of waiting for another holder.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("a")
    except OSError as refusal:
        raise LocalServiceError(
            f"{path.parent} cannot be written ({refusal.strerror}); name another place in FABULA_HOME (data) or "
            "FABULA_CACHE (what is fetched once)"
        ) from refusal
    with handle:
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LocalServiceError(
                        f"another process has been starting or stopping this service for {timeout:.0f} s ({path}); "
                        "end that process, then try again"
                    ) from None
                time.sleep(0.05)
        yield


def is_free(port: int) -> bool:
    """Whether a server can listen on this port of 127.0.0.1 now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port of 127.0.0.1 on which nothing listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def choose_port(remembered: int | None, requested: int | None, service: str) -> int:
    """The requested port, else the remembered one, else a free one.

    Raises LocalServiceError when a requested port is taken. A killed process may hold its port for a moment longer
    than it lives, so a taken one gets two seconds: clients find the service again at the old address.
    """
    wanted = requested or remembered
    if wanted is not None and wait_until(lambda: is_free(wanted), 2.0):
        return wanted
    if requested is not None:
        raise LocalServiceError(f"port {requested} is taken; give {service} another one, or none to have it chosen")
    return free_port()


def process_state(pid: int) -> str | None:
    """The state letter of a process ("R", "S", "Z", …), "?" where it cannot be told, None when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "?" if not Path("/proc/self").exists() and _signalable(pid) else None
    return stat.rpartition(")")[2].split()[0]


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not reaped does not."""
    return process_state(pid) not in (None, "Z", "X")


def _signalable(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def command_line(pid: int) -> list[str]:
    """The arguments of a process, empty when it is gone or cannot be read."""
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return []
    return [part.decode(errors="replace") for part in raw.split(b"\0") if part]


def wait_until(condition: Callable[[], bool], timeout: float, interval: float = 0.1) -> bool:
    """Poll until the condition holds; False when `timeout` seconds passed first."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(interval)
    return True


def terminate(pid: int, grace: float) -> None:
    """SIGTERM, then SIGKILL after `grace` seconds; returns once the process is gone."""
    for number, patience in ((signal.SIGTERM, grace), (signal.SIGKILL, 5.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        if wait_until(lambda: not is_alive(pid), patience):
            return
    raise LocalServiceError(f"process {pid} survived SIGKILL; look at what holds it")


def tail(log: Path, lines: int = 20) -> str:
    """The last lines of a log file, empty when there is none."""
    try:
        with log.open("rb") as handle:
            handle.seek(max(0, log.stat().st_size - 16_384))
            text = handle.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
