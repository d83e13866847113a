"""A worker's directory: gone afterwards, and swept away by the next worker when it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from services.extraction.scratch import PREFIX, scratch
from tests.serving_fixtures import ROOT


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place for temporary files is one of this test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(place: Path, *, age: float) -> Path:
    """A directory as a worker leaves it that is killed, with something in it."""
    directory = place / f"{PREFIX}left"
    (directory / "v1").mkdir(parents=True)
    os.utime(directory, (time.time() - age, time.time() - age))
    return directory


def test_the_directory_is_there_meanwhile_and_gone_afterwards() -> None:
    with scratch() as directory:
        (Path(directory) / "v1").mkdir()
    assert not Path(directory).exists()


def test_what_a_killed_worker_left_goes_with_the_next(temporary: Path) -> None:
    directory = left(temporary, age=3600)
    with scratch():
        assert not directory.exists()


def test_a_directory_that_was_just_made_is_let_be(temporary: Path) -> None:
    directory = left(temporary, age=1)
    with scratch():
        assert directory.exists()


def test_the_directory_of_a_worker_that_runs_is_let_be_however_old(temporary: Path) -> None:
    with scratch() as first:
        os.utime(first, (0, 0))
        with scratch():
            assert Path(first).exists()


def test_what_is_not_of_a_worker_is_let_be(temporary: Path) -> None:
    other = temporary / "fabula-else"
    other.mkdir()
    os.utime(other, (0, 0))
    with scratch():
        assert other.exists()


def test_the_directory_of_tests_that_were_killed_goes_all_the_same(temporary: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from tests.services_fixtures import removed_with_this_process\n"
        "with removed_with_this_process(Path(sys.argv[1])): print(flush=True); time.sleep(600)"
    )
    directory = left(temporary, age=0)
    with subprocess.Popen([sys.executable, "-c", program, str(directory)], cwd=ROOT, stdout=subprocess.PIPE) as session:
        assert session.stdout is not None
        session.stdout.readline()
        session.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while directory.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not directory.exists()
