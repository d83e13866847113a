"""Real services for tests: each is started when the first test asks for it and ended with the session."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from services.local.elasticsearch import LocalElasticsearch
from services.local.kafka import LocalKafka
from services.local.postgres import DATABASE, LocalPostgres

SERVICES = {"postgres_server", "kafka_broker", "elasticsearch_server"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a real service, so that `-m "not services"` leaves the quick ones."""
    for item in items:
        if SERVICES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.services)


@pytest.fixture(scope="session")
def services_directory() -> Iterator[Path]:
    """A directory of this session for the services' data, short and open to the user that runs PostgreSQL for root."""
    directory = Path(tempfile.mkdtemp(prefix="fabula-test-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


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
        yield server.start()
    finally:
        server.wipe()


@pytest.fixture
def postgres_dsn(postgres_server: str) -> Iterator[str]:
    """The conninfo of a fresh database of this test's own, with the extensions; dropped afterwards."""
    name = f"test_{secrets.token_hex(6)}"
    administration = postgres_server.replace(f"/{DATABASE}", "/postgres")
    with psycopg.connect(administration, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY wal_log").format(
                sql.Identifier(name), sql.Identifier(DATABASE)
            )
        )
    yield postgres_server.replace(f"/{DATABASE}", f"/{name}")
    with psycopg.connect(administration, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def kafka_broker(services_directory: Path) -> Iterator[str]:
    """The bootstrap address of a running Kafka broker without topics; tests name their own, uniquely."""
    broker = LocalKafka(services_directory / "kafka")
    try:
        yield broker.start()
    finally:
        broker.wipe()


@pytest.fixture(scope="session")
def elasticsearch_server(services_directory: Path) -> Iterator[str]:
    """The URL of a running Elasticsearch node; tests name their own indices, uniquely."""
    node = LocalElasticsearch(services_directory / "elasticsearch")
    try:
        yield node.start()
    finally:
        node.wipe()
