"""How a command ends that is told to: in order, with what it put down for itself."""

from __future__ import annotations

from pathlib import Path

from tests.faults.workers import eventually
from tests.serving_fixtures import started


def test_a_command_that_is_terminated_takes_along_what_it_put_down(tmp_path: Path) -> None:
    environment = {"FABULA_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    with started("demo", environment=environment) as (process, line):
        line(lambda said: "Starting an embedded PostgreSQL" in said)
        eventually(lambda: any(tmp_path.glob("fabula-demo-*/postgres/port")), 60, "a server")
        process.terminate()
        assert process.wait(60) == 143
    assert not list(tmp_path.glob("fabula-demo-*"))
