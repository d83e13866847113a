"""An embedded server whose PostgreSQL is killed under it: a real process, a real kill."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.local.postgres import LocalPostgres
from services.local.supervision import wait_until
from tests.serving_fixtures import served

pytestmark = pytest.mark.services


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that any user can reach, wiped with its server."""
    directory = Path(tempfile.mkdtemp(prefix="fabula-home-"))
    directory.chmod(0o755)
    yield directory
    LocalPostgres(directory / "postgres").wipe()
    shutil.rmtree(directory, ignore_errors=True)


def put(address: str, chapter: int) -> int:
    """The status of the reply; 0 where none came in time."""
    body = {"text": f"Mara, day {chapter}.", "records": [], "wait": False}
    try:
        return httpx.put(f"{address}/v1/stories/lantern/chapters/{chapter}", json=body, timeout=30).status_code
    except httpx.TransportError:
        return 0


def state(address: str) -> Any:
    try:
        reply = httpx.get(f"{address}/v1/stories/lantern/state?at=2", timeout=30)
    except httpx.TransportError:
        return None
    return reply.json() if reply.status_code == 200 else None


@pytest.mark.timeout(300)
def test_a_database_that_is_killed_under_a_server_comes_back_and_one_that_is_stopped_does_not(home: Path) -> None:
    server = LocalPostgres(home / "postgres")
    environment = {"FABULA_HOME": str(home), "FABULA_EXTRACTOR": "none", "FABULA_EMBEDDER": "hash"}
    with served(environment) as address:
        assert put(address, 1) == 201
        before = server.status()
        assert before.pid is not None
        os.kill(before.pid, signal.SIGKILL)
        # whoever asks meanwhile is told to come back: nothing is lost, and nothing doubled
        assert wait_until(lambda: put(address, 2) in (200, 201), 120, interval=0.5)
        assert wait_until(lambda: state(address) is not None, 60, interval=0.5)
        assert server.status().pid not in (None, before.pid)
        assert server.status().address == before.address
        assert put(address, 1) == 200
        server.stop()
        assert not server.was_killed()
    assert not server.status().running


def test_what_was_never_started_was_not_killed(tmp_path: Path) -> None:
    assert not LocalPostgres(tmp_path / "postgres").was_killed()
