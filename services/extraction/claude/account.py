"""The account: every reply that was paid for, so that none is paid for twice, and what each cost."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime
from importlib.resources import files
from typing import Any, Final, Protocol

from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from services.extraction.claude.client import Reply
from services.extraction.claude.pricing import Tokens, cost
from services.extraction.claude.requests import Request

_MIGRATION_LOCK: Final = 0x6661_636C
_REUSED: Final = ("complete", "truncated")
_USE: Final = "INSERT INTO claude.uses (story, chapter, key) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
_OF_CHAPTER: Final = "story = %(story)s AND (%(chapter)s::integer IS NULL OR chapter IN (%(chapter)s, 0))"
_SPENT: Final = """
    SELECT coalesce((SELECT sum(usd) FROM claude.calls WHERE %(since)s::timestamptz IS NULL OR at >= %(since)s), 0)
         + coalesce((SELECT sum(expected_usd) FROM claude.batches WHERE status IN ('sending', 'sent')), 0)
"""


class Account(Protocol):
    """Keeps replies by the request's key, and a row for each call."""

    def recall(self, request: Request) -> Reply | None:
        """The reply that was paid for already; only whole ones and those that were cut off."""
        ...

    def enter(self, request: Request, reply: Reply, story: str, chapter: int, *, usable: bool, batch: bool) -> None:
        """Keep a reply and its cost. What is not `usable` is kept to be looked at, and asked for again."""
        ...

    def discard(self, request: Request) -> None:
        """A reply turned out to be of no use: do not recall it any more."""
        ...

    def use(self, request: Request, story: str, chapter: int) -> None:
        """Note that a reply that was paid for before is used for a chapter."""
        ...

    def spent(self, since: datetime | None) -> float:
        """US dollars of all calls since then (None: ever), and what batches that are on their way will take."""
        ...

    def progress(self, story: str, chapter: int, done: int, stretches: int) -> None:
        """Note how much of a chapter has been read."""
        ...


@dataclass
class MemoryAccount:
    """For one process, and for tests."""

    replies: dict[str, tuple[Reply, bool]] = field(default_factory=dict)
    calls: list[tuple[str, int, Request, Reply]] = field(default_factory=list)
    read: list[tuple[str, int, int, int]] = field(default_factory=list)
    usd: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def recall(self, request: Request) -> Reply | None:
        reply, usable = self.replies.get(request.key, (None, False))
        return reply if usable else None

    def enter(self, request: Request, reply: Reply, story: str, chapter: int, *, usable: bool, batch: bool) -> None:
        with self._lock:
            self.replies[request.key] = (reply, usable and reply.ending in _REUSED)
            self.calls.append((story, chapter, request, reply))
            self.usd += cost(reply.tokens, request.model, batch=batch)

    def discard(self, request: Request) -> None:
        with self._lock:
            if request.key in self.replies:
                self.replies[request.key] = (self.replies[request.key][0], False)

    def use(self, request: Request, story: str, chapter: int) -> None:
        return

    def spent(self, since: datetime | None) -> float:
        return self.usd

    def progress(self, story: str, chapter: int, done: int, stretches: int) -> None:
        self.read.append((story, chapter, done, stretches))


class PostgresAccount:
    """In the schema `claude` of the product's database. Safe in several threads and processes."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._pool = pool

    def migrate(self) -> None:
        """Make the tables. Safe to call from several processes at once."""
        with self._pool.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
            connection.execute((files("services.extraction.claude") / "account.sql").read_text())

    def recall(self, request: Request) -> Reply | None:
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT reply, ending FROM claude.transcripts WHERE key = %s AND ending = ANY(%s)",
                (request.key, list(_REUSED)),
            ).fetchone()
        return None if row is None else Reply(row[0], row[1], Tokens())

    def enter(self, request: Request, reply: Reply, story: str, chapter: int, *, usable: bool, batch: bool) -> None:
        text = _storable(reply.text)
        ending = reply.ending if usable else "unusable"
        per, tokens = request, reply.tokens
        with self._pool.connection() as connection, connection.transaction():
            connection.execute(
                """INSERT INTO claude.transcripts (key, purpose, model, prompt_version, prompt_digest, text_digest,
                   context_digest, reply, ending) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
                   ON CONFLICT (key) DO UPDATE SET reply = excluded.reply, ending = excluded.ending, stored_at = now()""",
                (per.key, per.purpose, per.model, per.prompt_version, per.prompt_digest, per.text_digest,
                 per.context_digest, text, ending),
            )  # fmt: skip
            connection.execute(
                """INSERT INTO claude.calls (story, chapter, purpose, model, prompt_version, prompt_digest, ending, batch,
                   input_tokens, cache_write_tokens, cache_read_tokens, output_tokens, usd, seconds)
                   VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)""",
                (story, chapter, per.purpose, per.model, per.prompt_version, per.prompt_digest, ending, batch,
                 tokens.input, tokens.cache_write, tokens.cache_read, tokens.output,
                 cost(tokens, per.model, batch=batch), reply.seconds),
            )  # fmt: skip
            connection.execute(_USE, (story, chapter, per.key))

    def discard(self, request: Request) -> None:
        with self._pool.connection() as connection:
            connection.execute("UPDATE claude.transcripts SET ending = 'unusable' WHERE key = %s", (request.key,))

    def use(self, request: Request, story: str, chapter: int) -> None:
        with self._pool.connection() as connection:
            connection.execute(_USE, (story, chapter, request.key))

    def spent(self, since: datetime | None) -> float:
        with self._pool.connection() as connection:
            row = connection.execute(_SPENT, {"since": since}).fetchone()
        return float(row[0]) if row else 0.0

    def progress(self, story: str, chapter: int, done: int, stretches: int) -> None:
        with self._pool.connection() as connection:
            connection.execute(
                """INSERT INTO claude.progress (story, chapter, done, stretches) VALUES (%s, %s, %s, %s)
                   ON CONFLICT (story, chapter) DO UPDATE
                   SET done = excluded.done, stretches = excluded.stretches, at = now()""",
                (story, chapter, done, stretches),
            )

    def forget_story(self, story: str, chapter: int | None = None) -> int:
        """Delete what was said of a story, or of one of its chapters, for a takedown; returns how many replies that were.

        A reply that another story of the same text used goes as well: it quotes the text. What it cost stays known.
        """
        named = {"story": story, "chapter": chapter}
        with self._pool.connection() as connection, connection.transaction():
            cursor = connection.execute(
                f"DELETE FROM claude.transcripts WHERE key IN (SELECT key FROM claude.uses WHERE {_OF_CHAPTER})", named
            )
            gone = int(cursor.rowcount)
            for table in ("uses", "progress"):
                connection.execute(f"DELETE FROM claude.{table} WHERE {_OF_CHAPTER}".encode(), named)
        return gone

    def forget(self, text_digest: str) -> int:
        """Delete what was said of a stretch of text (its SHA-256), for a takedown; returns how many replies that were."""
        with self._pool.connection() as connection:
            cursor = connection.execute("DELETE FROM claude.transcripts WHERE text_digest = %s", (text_digest,))
            return int(cursor.rowcount)


def usage(pool: ConnectionPool[Any], story: str | None = None) -> list[dict[str, Any]]:
    """Calls, tokens and dollars by story, chapter, prompt version and model, in that order; of one story or of all."""
    with pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute("SELECT to_regclass('claude.calls') IS NULL AS nothing")
        if (found := cursor.fetchone()) is None or found["nothing"]:
            return []
        cursor.execute(
            """SELECT story, chapter, prompt_version, model, count(*) AS calls,
                   sum(input_tokens + cache_write_tokens + cache_read_tokens + output_tokens) AS tokens,
                   sum(input_tokens) AS input_tokens, sum(cache_write_tokens) AS cache_write_tokens,
                   sum(cache_read_tokens) AS cache_read_tokens, sum(output_tokens) AS output_tokens, sum(usd) AS usd
               FROM claude.calls WHERE %(story)s::text IS NULL OR story = %(story)s
               GROUP BY story, chapter, prompt_version, model ORDER BY story, chapter, prompt_version, model""",
            {"story": story},
        )
        rows: list[dict[str, Any]] = cursor.fetchall()
    return rows


def _storable(text: str) -> str:
    """The text without what PostgreSQL cannot keep."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
