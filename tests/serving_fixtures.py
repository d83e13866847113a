"""The product over a database of the test's own: as an application, through its HTTP interface, and as a real process."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import psycopg
import pytest
from starlette.testclient import TestClient

from services.composition import Application
from services.console.api import create_app
from services.local.postgres import DATABASE
from services.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
READY = re.compile(r"answers at (http://\S+) ")


class Reply(Protocol):
    """A reply over HTTP, whatever client got it."""

    @property
    def status_code(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def text(self) -> str: ...

    @property
    def content(self) -> bytes: ...

    def json(self) -> Any: ...


@pytest.fixture
def environment(postgres_dsn: str, tmp_path: Path) -> dict[str, str]:
    """The environment of a product that uses a database of this test's own, and models that load at once."""
    return environment_for(postgres_dsn, tmp_path)


@pytest.fixture(scope="module")
def shared_environment(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same over a database that the tests of a module share: each tells a story of its own (see `story`)."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(postgres_server.replace(f"/{DATABASE}", "/postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {DATABASE} STRATEGY wal_log".encode())
    return environment_for(postgres_server.replace(f"/{DATABASE}", f"/{name}"), tmp_path_factory.mktemp("product"))


def environment_for(dsn: str, directory: Path) -> dict[str, str]:
    return {
        "FABULA_HOME": str(directory / "home"),
        "FABULA_CACHE": str(directory / "cache"),
        "FABULA_POSTGRES": dsn,
        "FABULA_EXTRACTOR": "none",
        "FABULA_EMBEDDER": "hash",
    }


@pytest.fixture(scope="module")
def application(shared_environment: dict[str, str]) -> Iterator[Application]:
    """The application over the module's database, with the projector beside it, as in `fabula serve`."""
    with Application(Settings.from_env(shared_environment)) as built, built.following():
        yield built


@pytest.fixture(scope="module")
def client(application: Application) -> Iterator[TestClient]:
    """The HTTP interface in process. An unexpected error is answered, as in production, and not raised here."""
    with TestClient(create_app(application), raise_server_exceptions=False) as made:
        yield made


@pytest.fixture
def story() -> str:
    """The name of a story that nobody else tells."""
    return f"story-{secrets.token_hex(6)}"


@contextmanager
def served(environment: dict[str, str]) -> Iterator[str]:
    """The address of a real `fabula serve` process, ended afterwards."""
    with started("serve", "--port", "0", environment=environment) as (process, line):
        found = READY.search(line(lambda said: READY.search(said) is not None))
        assert found is not None
        yield found.group(1)
        process.terminate()
        assert process.wait(30) == 0


@contextmanager
def started(
    *arguments: str, environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[str], Callable[[Callable[[str], bool]], str]]]:
    """A `fabula` process, killed at the end; the second value waits for a line of its standard error."""
    # what it leaves behind when it is killed goes as well
    with tempfile.TemporaryDirectory(prefix="fabula-started-", ignore_cleanup_errors=True) as temporary:
        process = subprocess.Popen(
            [sys.executable, "-m", "services.cli.main", *arguments],
            cwd=ROOT, env={**_inherited(), "TMPDIR": temporary, **environment},
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        lines = _Lines(process)
        try:
            yield process, lines.wait_for
        finally:
            process.kill()
            process.wait(10)


def fabula(
    *arguments: str, environment: dict[str, str], stdin: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end as a real process."""
    return subprocess.run(
        [sys.executable, "-m", "services.cli.main", *arguments],
        cwd=ROOT, env={**_inherited(), **environment}, input=stdin, capture_output=True, timeout=120, check=False,
    )  # fmt: skip


def publish(client: TestClient, story: str, chapter: int, text: str, **body: Any) -> dict[str, Any]:
    """Publish over HTTP; the reply, which must be a success."""
    reply = client.put(f"/v1/stories/{story}/chapters/{chapter}", json={"text": text, **body})
    assert reply.status_code in (200, 201), reply.text
    document: dict[str, Any] = reply.json()
    return document


def entity(local: str, name: str, kind: str = "character", quote: str | None = None) -> dict[str, Any]:
    """A record that introduces somebody or something by a quotation of its name."""
    return {"id": local, "kind": "entity", "type": kind, "name": name, "evidence": [{"quote": quote or name}]}


def owns(local: str, thing: str, owner: str, quote: str, **more: Any) -> dict[str, Any]:
    """A record that a thing has an owner."""
    return {
        "id": local,
        "kind": "object_delta",
        "object": thing,
        "owner": owner,
        "evidence": [{"quote": quote}],
        **more,
    }


class _Lines:
    """Reads a process's standard error in a thread, so that it never blocks, and keeps it for the failure message."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._said: list[str] = []
        self._changed = threading.Condition()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            with self._changed:
                self._said.append(line)
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait_for(self, wanted: Callable[[str], bool], timeout: float = 60.0) -> str:
        with self._changed:
            self._changed.wait_for(lambda: self._ended or any(map(wanted, self._said)), timeout)
            found = next((line for line in self._said if wanted(line)), None)
        assert found is not None, "the process did not say what was expected:\n" + "".join(self._said)
        return found


def _inherited() -> dict[str, str]:
    """This process's environment without the product's own variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("FABULA_", "ANTHROPIC_"))}
