"""Where the measuring happens: a PostgreSQL of its own in a temporary directory, with the settings of production."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool

from events.chapters import PublicationRequest
from events.ledger import Ledger, Outcome
from events.sidecar import validate
from services.evaluation.bench.serial import Chapter
from services.local.postgres import DATABASE, LocalPostgres


@dataclass(frozen=True, slots=True)
class Place:
    """A server for one run; each measure has a database of its own."""

    dsn: str
    directory: Path

    def database(self, name: str, template: str = DATABASE) -> str:
        """The conninfo of a new database, migrated; a copy of `template`, to which nobody may be connected."""
        administration = self.dsn.replace(f"/{DATABASE}", "/postgres")
        with psycopg.connect(administration, autocommit=True) as conn:
            conn.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
            )
        dsn = self.dsn.replace(f"/{DATABASE}", f"/{name}")
        Ledger.migrate(dsn)
        return dsn

    def drop(self, name: str) -> None:
        administration = self.dsn.replace(f"/{DATABASE}", "/postgres")
        with psycopg.connect(administration, autocommit=True) as conn:
            conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def place() -> Iterator[Place]:
    """A place that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="fabula-bench-") as name:
        directory = Path(name)
        directory.chmod(0o755)
        server = LocalPostgres(directory / "postgres")
        try:
            yield Place(server.start(), directory)
        finally:
            server.wipe()


@contextmanager
def pool(dsn: str, size: int = 16) -> Iterator[ConnectionPool[Any]]:
    """Connections as the application has them."""
    with ConnectionPool(dsn, min_size=1, max_size=size, open=True) as opened:
        yield opened


def publish(ledger: Ledger, story: str, chapter: Chapter) -> Outcome:
    """Register a chapter and take it in, without transport and read models."""
    records = validate(chapter.records, chapter=chapter.number)
    request = PublicationRequest(
        story=story, chapter=chapter.number, action="publish", text=chapter.text, records=records
    )
    return ledger.append(ledger.register(request).publication, records, "sidecar", text=chapter.text)


def publish_all(dsn: str, story: str, chapters: Iterable[Chapter]) -> int:
    """Publish chapters in order; returns the last position."""
    with Ledger(dsn) as ledger:
        return [publish(ledger, story, chapter).position for chapter in chapters][-1]
