"""The book of batches in PostgreSQL: what was sent, so that a restart sends nothing twice and finds what was paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from services.extraction.claude.requests import Request

Planned = Sequence[tuple[str, int, Request]]
"""(custom id, chapter, question)"""
_KEPT: Final = (
    "purpose", "model", "prompt_version", "prompt_digest", "text_digest", "context_digest", "details",
)  # fmt: skip
_SHOWN: Final = "number, story, batch, requests, expected_usd, status, sent_at, collected_at, stored, usd, failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A batch. `status`: sending (we may have ended before the service answered), sent, collected, or lost (never sent)."""

    number: int
    story: str
    batch: str | None
    requests: int
    expected_usd: float
    status: str
    sent_at: datetime
    collected_at: datetime | None
    stored: int
    usd: float
    failed: Mapping[str, str]
    """By chapter, why a reply of it cannot be used."""

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "batch": self.batch,
            "story": self.story,
            "status": self.status,
            "requests": self.requests,
            "expected_usd": round(self.expected_usd, 4),
            "sent_at": self.sent_at.isoformat(),
            "collected_at": None if self.collected_at is None else self.collected_at.isoformat(),
            "stored": self.stored,
            "usd": round(self.usd, 4),
            "failed": dict(self.failed),
        }


class BatchBook:
    """Over the tables that `PostgresAccount.migrate` makes. Safe in several threads and processes."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._pool = pool

    def begin(self, story: str, planned: Planned, expected_usd: float) -> int:
        """Note what is about to be sent; returns its number."""
        with self._pool.connection() as connection, connection.transaction():
            row = connection.execute(
                "INSERT INTO claude.batches (story, requests, expected_usd) VALUES (%s, %s, %s) RETURNING number",
                (story, len(planned), expected_usd),
            ).fetchone()
            assert row is not None
            with connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO claude.batch_requests (number, custom_id, chapter, request) VALUES (%s, %s, %s, %s)",
                    [(row[0], name, chapter, Jsonb(_kept(request))) for name, chapter, request in planned],
                )
        return int(row[0])

    def sent(self, number: int, batch: str) -> None:
        """The service took it, under this name."""
        self._set(number, "status = 'sent', batch = %(batch)s", batch=batch)

    def lost(self, number: int) -> None:
        """It was never sent."""
        self._set(number, "status = 'lost'")

    def collected(self, number: int, stored: int, usd: float, failed: Mapping[str, str]) -> None:
        """Its replies are in the account."""
        self._set(
            number, "status = 'collected', collected_at = now(), stored = %(stored)s, usd = %(usd)s, failed = %(failed)s",
            stored=stored, usd=usd, failed=Jsonb(dict(failed)),
        )  # fmt: skip

    def entries(self, story: str | None = None, *statuses: str) -> list[Entry]:
        """The batches of a story (None: of all) of these statuses (none given: of any), in the order they were sent."""
        with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute("SELECT to_regclass('claude.batches') IS NULL AS nothing")
            if (found := cursor.fetchone()) is None or found["nothing"]:
                return []
            cursor.execute(
                f"SELECT {_SHOWN} FROM claude.batches WHERE (%(story)s::text IS NULL OR story = %(story)s) "
                "AND (%(statuses)s::text[] = '{}' OR status = ANY(%(statuses)s)) ORDER BY number",
                {"story": story, "statuses": list(statuses)},
            )
            return [Entry(**row) for row in cursor.fetchall()]

    def requests(self, number: int) -> dict[str, tuple[int, Request]]:
        """The questions of a batch by their custom ids, with their chapters; without the bodies that were sent."""
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT custom_id, chapter, request FROM claude.batch_requests WHERE number = %s", (number,)
            ).fetchall()
        return {name: (chapter, Request(**kept, body={})) for name, chapter, kept in rows}

    def on_their_way(self) -> set[str]:
        """The keys of the questions that are paid for, or may be, and not collected yet."""
        return {
            request.key
            for entry in self.entries(None, "sending", "sent")
            for _, request in self.requests(entry.number).values()
        }

    def _set(self, number: int, what: str, **values: Any) -> None:
        with self._pool.connection() as connection:
            connection.execute(
                f"UPDATE claude.batches SET {what} WHERE number = %(number)s".encode(), {"number": number, **values}
            )


def _kept(request: Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in _KEPT}
