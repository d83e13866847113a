"""What a database knows of texts and publications beside the events: registered, waiting, dead, and read from where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool

from events import publications, registering
from events.chapters import Publication, PublicationRequest
from events.publications import PublicationRow, SourceOffset
from events.registering import Registration


class Bookkeeping:
    """The tables of one database. Each call is a transaction of its own."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[Any]], clock: Callable[[], datetime]) -> None:
        self._pool = pool
        self._clock = clock

    @property
    def pool(self) -> ConnectionPool[psycopg.Connection[Any]]:
        return self._pool

    def store_text(self, text: str) -> str:
        with self._pool.connection() as conn, conn.cursor() as cursor:
            return publications.store_text(cursor, text)

    def text(self, digest: str) -> str:
        """The text of a hash; empty where it was erased."""
        return self.texts([digest]).get(digest, "")

    def texts(self, hashes: Sequence[str]) -> dict[str, str]:
        with self._pool.connection() as conn:
            return publications.read_texts(conn, hashes)

    def register(self, request: PublicationRequest) -> Registration:
        with self._pool.connection() as conn:
            return registering.register(conn, request, self._clock())

    def foresee(self, request: PublicationRequest) -> Registration:
        """The publication that registering the request would make, and whether nothing would change. Nothing is written."""
        with self._pool.connection() as conn:
            return registering.foresee(conn, request, self._clock())

    def publication(self, story: str, sequence: int) -> PublicationRow | None:
        with self._pool.connection() as conn:
            return publications.read(conn, story, sequence)

    def latest(self, story: str) -> list[PublicationRow]:
        """The latest publication of each chapter of the story, in chapter order, whatever became of it."""
        with self._pool.connection() as conn:
            return publications.latest_texts(conn, story)

    def pending(self, older_than: timedelta, limit: int = 1000) -> list[Publication]:
        with self._pool.connection() as conn:
            return [row.publication for row in publications.unfinished(conn, older_than, limit)]

    def dead(self, story: str | None = None) -> list[PublicationRow]:
        with self._pool.connection() as conn:
            return publications.of_status(conn, "dead", story)

    def statuses(self, story: str) -> dict[str, int]:
        """How many publications of the story are accepted, appended, dead, discarded."""
        with self._pool.connection() as conn:
            return publications.statuses(conn, story)

    def wait(self, publication: Publication, error: str, waits_for: str, waits_until: datetime | None = None) -> None:
        """Notes why a publication could not be taken in when it was tried; it stays accepted."""
        with self._pool.connection() as conn:
            publications.set_waiting(
                conn, publication.story, publication.sequence, error=error, waits_for=waits_for, waits_until=waits_until
            )

    def fail(self, publication: Publication, error: str, attempts: int, source: SourceOffset | None = None) -> bool:
        """Marks a publication dead, with its error. False if it was appended after all."""
        return self._set_status(publication, "dead", error, attempts, source)

    def revive(self, publication: Publication) -> bool:
        """Makes a dead publication wait for its turn again."""
        return self._set_status(publication, "accepted", None, 0, None)

    def discard(self, publication: Publication) -> bool:
        """Gives a dead publication up for good."""
        return self._set_status(publication, "discarded", None, 0, None)

    def _set_status(
        self, p: Publication, status: str, error: str | None, attempts: int, source: SourceOffset | None
    ) -> bool:
        with self._pool.connection() as conn, conn.transaction():
            if source:
                publications.record_offset(conn.cursor(), source)
            return publications.set_status(conn, p.story, p.sequence, status, error=error, attempts=attempts)

    def recorded_offsets(self, topic: str, partition: int) -> list[tuple[int, int]]:
        """The half-open ranges of source offsets that have been dealt with."""
        with self._pool.connection() as conn:
            return publications.read_offsets(conn, topic, partition)

    def forget_offsets(self, topic: str, partition: int) -> None:
        """Forgets what was recorded of a partition: its topic is another one now."""
        with self._pool.connection() as conn:
            conn.execute("DELETE FROM ledger.source_offsets WHERE topic = %s AND partition = %s", (topic, partition))

    def record_offset(self, source: SourceOffset) -> None:
        with self._pool.connection() as conn, conn.cursor() as cursor:
            publications.record_offset(cursor, source)
