"""Leases: one worker at a time takes in the publications of a story, so that nobody pays twice for one extraction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, Protocol

import psycopg
from psycopg_pool import ConnectionPool

from events.errors import Unavailable

_LOCK_CLASS: Final = 0x46_41_42_01
"""The first half of the advisory lock's key; the second is the story's hash. A collision only makes one wait."""


class StoryLeased(Unavailable):
    """Another worker takes in publications of the story just now; try again shortly."""

    title = "Another worker has the story"
    slug = "story-leased"


class Leases(Protocol):
    @contextmanager
    def hold(self, story: str) -> Iterator[None]:
        """Hold the story's lease. Raises `StoryLeased` at once where somebody else does."""
        ...

    def close(self) -> None: ...


class NoLeases:
    """For a process that is alone: appending is idempotent without any lease."""

    @contextmanager
    def hold(self, story: str) -> Iterator[None]:
        yield

    def close(self) -> None:
        return


class PostgresLeases:
    """Session-level advisory locks, each on a connection of its own: a killed worker's leases end with its connections.

    Correctness does not rest on them (appending is idempotent), only economy does. They need real sessions: no
    connection pooler in transaction mode between the worker and PostgreSQL.
    """

    def __init__(self, dsn: str, size: int) -> None:
        self._pool = ConnectionPool(
            dsn,
            min_size=0,
            max_size=size,
            open=True,
            timeout=10.0,
            max_idle=60.0,
            # the server notices within a minute when the machine of a holder is gone
            kwargs={
                "autocommit": True,
                "application_name": "fabula lease",
                "options": "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=4",
            },
        )

    @contextmanager
    def hold(self, story: str) -> Iterator[None]:
        with self._pool.connection() as connection:
            key = (_LOCK_CLASS, story)
            row = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", key).fetchone()
            if row is None or not row[0]:
                raise StoryLeased(f"Another worker takes in publications of {story} just now; try again shortly.")
            try:
                yield
            finally:
                # a lost connection has lost its locks already
                with suppress(psycopg.OperationalError):
                    connection.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", key)

    def close(self) -> None:
        self._pool.close(timeout=2.0)
