"""The local stack as a whole: up, shown, down."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.local import stack as stack_module
from services.local.errors import LocalServiceError, PrerequisiteMissing
from services.local.stack import stack_down, stack_status, stack_up
from services.local.supervision import ServiceStatus

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home with a running stack, started by another process that has ended since."""
    directory = Path(tempfile.mkdtemp(prefix="fabula-stack-"))
    directory.chmod(0o755)
    try:
        program = "import sys, pathlib; from services.local.stack import stack_up; stack_up(pathlib.Path(sys.argv[1]))"
        subprocess.run([sys.executable, "-c", program, directory], check=True, timeout=300)
        yield directory
    finally:
        stack_down(directory, wipe=True)
        shutil.rmtree(directory, ignore_errors=True)


def test_the_services_outlive_the_command_that_started_them(home: Path) -> None:
    assert stack_status(home).running


def test_the_state_file_tells_the_variables_to_set(home: Path) -> None:
    state = json.loads((home / "stack" / "state.json").read_text())
    assert state["environment"] == stack_status(home).environment()
    assert set(state["environment"]) == {"FABULA_POSTGRES", "FABULA_KAFKA", "FABULA_ELASTICSEARCH"}


def test_up_again_changes_nothing(home: Path) -> None:
    before = stack_status(home)
    assert stack_up(home) == before


def test_down_leaves_the_data_and_wipe_removes_it(home: Path) -> None:
    assert not any(service.running for service in stack_down(home).services)
    assert (home / "stack" / "kafka" / "topics").exists()
    stack_down(home, wipe=True)
    assert list(home.iterdir()) == []


def test_a_service_that_cannot_start_is_named_and_the_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Started:
        def start(self) -> str:
            (tmp_path / "started").touch()
            return "somewhere"

        def status(self) -> ServiceStatus:
            return ServiceStatus(
                name="postgres", running=True, address="somewhere", pid=1, data_dir=tmp_path, log=tmp_path
            )

    class Refused(Started):
        def start(self) -> str:
            raise PrerequisiteMissing("Java 17 or newer", "Install it.")

    monkeypatch.setattr(stack_module, "_services", lambda home, cache: {"postgres": Started(), "kafka": Refused()})
    with pytest.raises(LocalServiceError, match=r"Java 17 or newer was not found\. Install it\."):
        stack_up(tmp_path)
    assert (tmp_path / "started").exists()
