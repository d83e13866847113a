"""How a command ends: in order, with what it put down for itself, and never for want of a character to show."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.workers import eventually
from tests.serving_fixtures import ROOT, fabula, started


def test_a_command_that_is_terminated_takes_along_what_it_put_down(tmp_path: Path) -> None:
    environment = {"FABULA_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    with started("demo", environment=environment) as (process, line):
        line(lambda said: "Starting an embedded PostgreSQL" in said)
        eventually(lambda: any(tmp_path.glob("fabula-demo-*/postgres/port")), 60, "a server")
        for _ in range(3):  # as `timeout` does: the process, then its group
            process.terminate()
        assert process.wait(60) == 143
    assert not list(tmp_path.glob("fabula-demo-*"))


def test_a_terminal_that_lacks_a_character_is_shown_the_rest(environment: dict[str, str]) -> None:
    told = {**environment, "PYTHONIOENCODING": "ascii"}
    fabula("publish", "s", "1", "-", environment=environment, stdin="“Été,” said Mara.".encode())
    shown = fabula("audit", "s", environment=told)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"ChapterPublished" in shown.stdout
    assert "─".encode() not in shown.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_tools_over_standard_input_end_although_the_input_stays_open(
    environment: dict[str, str], number: signal.Signals
) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    }  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "services.cli.main", "mcp"],
        cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(hello).encode() + b"\n")
            process.stdin.flush()
            assert b"capabilities" in process.stdout.readline()
            process.send_signal(number)
            assert process.wait(30) == -number
        finally:
            process.kill()
