"""How a command ends: in order, with what it put down for itself, and never for want of a character to show."""

from __future__ import annotations

from pathlib import Path

from tests.faults.workers import eventually
from tests.serving_fixtures import fabula, started


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
