"""Locks, ports and processes, as the supervisors of the local services use them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from services.local.errors import LocalServiceError
from services.local.supervision import choose_port, exclusive, free_port, is_alive, tail, terminate, wait_until


def test_a_process_that_ended_and_was_not_reaped_is_not_alive() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    try:
        assert wait_until(lambda: not is_alive(child), 10)
        os.kill(child, 0)  # it is still there
    finally:
        os.waitpid(child, 0)


def test_a_process_that_ignores_sigterm_is_killed() -> None:
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        terminate(child.pid, grace=0.3)
        assert child.wait(10) == -9


def test_a_second_holder_waits_for_the_first(tmp_path: Path) -> None:
    order: list[str] = []
    inside = threading.Event()

    def second() -> None:
        inside.wait(10)
        with exclusive(tmp_path / "lock"):
            order.append("second")

    waiting = threading.Thread(target=second)
    waiting.start()
    with exclusive(tmp_path / "lock"):
        inside.set()
        waiting.join(0.3)
        order.append("first")
    waiting.join(10)
    assert order == ["first", "second"]


def test_a_holder_that_never_lets_go_is_an_error_that_names_the_lock(tmp_path: Path) -> None:
    refused = pytest.raises(LocalServiceError, match=str(tmp_path / "lock"))
    with exclusive(tmp_path / "lock"), refused, exclusive(tmp_path / "lock", timeout=0.1):
        pass


def test_a_remembered_port_is_taken_again(tmp_path: Path) -> None:
    port = free_port()
    assert choose_port(port, None, "it") == port


def test_a_requested_port_goes_before_a_remembered_one() -> None:
    remembered, requested = free_port(), free_port()
    assert choose_port(remembered, requested, "it") == requested


def test_a_requested_port_that_is_taken_is_refused() -> None:
    with socket.socket() as squatter:
        squatter.bind(("127.0.0.1", 0))
        squatter.listen()
        port = squatter.getsockname()[1]
        with pytest.raises(LocalServiceError, match=f"port {port} is taken"):
            choose_port(None, port, "it")


def test_the_tail_of_a_log_is_its_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {n}\n" for n in range(10_000)))
    assert tail(log, 2) == "line 9998\nline 9999"
