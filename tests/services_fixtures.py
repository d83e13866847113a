"""Real services for tests: each is started when the first test asks for it and ended with the session."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from services.local.elasticsearch import LocalElasticsearch
from services.local.kafka import LocalKafka
from services.local.postgres import DATABASE, LocalPostgres
from services.local.supervision import ServiceStatus

SERVICES = {"postgres_server", "kafka_broker", "elasticsearch_server"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a real service, so that `-m "not services"` leaves the quick ones."""
    for item in items:
        if SERVICES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.services)


@contextmanager
def _watching(script: str, argument: str) -> Iterator[None]:
    """Have a script run once this process has ended, however it ends: it waits for the end of a pipe of ours."""
    with subprocess.Popen(
        ["/bin/sh", "-c", f"cat >/dev/null; {script}", "sh", argument],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as watcher:
        try:
            yield
        finally:
            watcher.terminate()


@contextmanager
def ended_with_this_process(status: ServiceStatus) -> Iterator[None]:
    """See that the service ends even when this process is killed."""
    # PostgreSQL disconnects its clients on SIGINT and waits for them on SIGTERM; a Java in the background knows SIGTERM
    with _watching("kill -INT $1; kill -TERM $1", str(status.pid)):
        yield


@contextmanager
def removed_with_this_process(directory: Path) -> Iterator[None]:
    """See that a directory goes even when this process is killed, once the services in it have ended (see above)."""
    script = 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 2; rm -rf "$1" 2>/dev/null && exit; done'
    with _watching(script, str(directory)):
        try:
            yield
        finally:
            shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def services_directory() -> Iterator[Path]:
    """A directory of this session for the services' data, short and open to the user that runs PostgreSQL for root."""
    directory = Path(tempfile.mkdtemp(prefix="fabula-test-"))
    directory.chmod(0o755)
    with removed_with_this_process(directory):
        yield directory


@pytest.fixture(scope="session")
def postgres_server(services_directory: Path) -> Iterator[str]:
    """The conninfo of a running PostgreSQL with an empty database `fabula` that has the extensions.

    fsync is off: a killed test loses nothing, since the machine goes on.
    """
    server = LocalPostgres(
        services_directory / "postgres",
        settings={"fsync": "off", "full_page_writes": "off"},
    )
    try:
        address = server.start()
        with ended_with_this_process(server.status()):
            yield address
    finally:
        server.wipe()


@contextmanager
def fresh_database(server: str) -> Iterator[str]:
    """The conninfo of a database of one's own, with the extensions; dropped afterwards."""
    name = f"test_{secrets.token_hex(6)}"
    administration = server.replace(f"/{DATABASE}", "/postgres")
    with psycopg.connect(administration, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY wal_log").format(
                sql.Identifier(name), sql.Identifier(DATABASE)
            )
        )
    yield server.replace(f"/{DATABASE}", f"/{name}")
    with psycopg.connect(administration, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def postgres_dsn(postgres_server: str) -> Iterator[str]:
    """A database of this test's own."""
    with fresh_database(postgres_server) as dsn:
        yield dsn


@pytest.fixture(scope="module")
def module_dsn(postgres_server: str) -> Iterator[str]:
    """A database that the tests of a module share: each test, or example of a property, tells a story of its own."""
    with fresh_database(postgres_server) as dsn:
        yield dsn


@pytest.fixture(scope="session")
def kafka_broker(services_directory: Path) -> Iterator[str]:
    """The bootstrap address of a running Kafka broker without topics; tests name their own, uniquely."""
    broker = LocalKafka(services_directory / "kafka")
    try:
        address = broker.start()
        with ended_with_this_process(broker.status()):
            yield address
    finally:
        broker.wipe()


@pytest.fixture(scope="session")
def elasticsearch_server(services_directory: Path) -> Iterator[str]:
    """The URL of a running Elasticsearch node; tests name their own indices, uniquely."""
    node = LocalElasticsearch(services_directory / "elasticsearch")
    try:
        address = node.start()
        with ended_with_this_process(node.status()):
            yield address
    finally:
        node.wipe()
