"""The ledger's tables beside the log: texts, publications, source offsets. SQL and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from events.chapters import Publication, text_hash
from events.domain_events import Json

Connection = psycopg.Connection[Any]
Cursor = psycopg.Cursor[Any]


@dataclass(frozen=True, slots=True)
class SourceOffset:
    """Where a publication was read from."""

    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationRow:
    """A publication and what became of it: accepted, appended, dead (kept with its error) or discarded."""

    publication: Publication
    status: str
    attempts: int
    error: str | None
    first_position: int | None
    last_position: int | None
    events: int
    rejected: list[Json]
    warnings: list[str]
    waits_for: str | None = None
    """Of one that is accepted, or dead: the kind of problem that kept it from being taken in, if it was tried."""
    waits_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Grafted:
    """A publication that a branch inherits, and its events: `count` of them, from the `first` of all that are written."""

    publication: Publication
    first: int
    count: int
    rejected: list[Json]
    warnings: list[str]


COLUMNS: Final = """story, sequence, chapter, revision, action, content_hash, text_hash, body, status, published_at,
    attempts, error, first_position, last_position, events, rejected, warnings, waits_for, waits_until"""


def store_text(cursor: Cursor, text: str) -> str:
    digest = text_hash(text)
    cursor.execute(
        "INSERT INTO ledger.texts (hash, body) VALUES (%s, %s) ON CONFLICT (hash) DO UPDATE SET body = excluded.body "
        "WHERE ledger.texts.body IS NULL",
        (digest, text),
    )
    return digest


def read_texts(conn: Connection, hashes: Iterable[str]) -> dict[str, str]:
    """The texts that are there, by hash; an erased one is left out."""
    rows = conn.execute(
        "SELECT hash, body FROM ledger.texts WHERE hash = ANY(%s) AND body IS NOT NULL", (list(set(hashes)),)
    ).fetchall()
    return {row[0]: row[1] for row in rows}


def insert(cursor: Cursor, p: Publication) -> None:
    """Writes a publication down that has its number, and moves the story's counter to it."""
    body = {"title": p.title, "language": p.language, "records": p.records, "decision": p.decision}
    cursor.execute(
        "INSERT INTO ledger.publications (story, sequence, chapter, revision, action, content_hash, text_hash, body, "
        "published_at) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            p.story,
            p.sequence,
            p.chapter,
            p.revision,
            p.action,
            p.content_hash,
            p.text_hash,
            Jsonb(body),
            p.published_at,
        ),
    )
    cursor.execute("UPDATE ledger.stories SET last_sequence = %s WHERE story = %s", (p.sequence, p.story))


def read(conn: Connection, story: str, sequence: int) -> PublicationRow | None:
    found = _select(conn, "story = %s AND sequence = %s", (story, sequence))
    return found[0] if found else None


def unfinished(conn: Connection, older_than: timedelta, limit: int) -> list[PublicationRow]:
    """Publications that were accepted longer ago than `older_than` and are not appended yet."""
    return _select(
        conn,
        "status = 'accepted' AND published_at < now() - %s ORDER BY published_at, story, sequence LIMIT %s",
        (older_than, limit),
    )


def of_status(conn: Connection, status: str, story: str | None) -> list[PublicationRow]:
    return _select(
        conn, "status = %s AND (%s::text IS NULL OR story = %s) ORDER BY story, sequence", (status, story, story)
    )


def statuses(conn: Connection, story: str) -> dict[str, int]:
    """How many publications of the story have each status."""
    rows = conn.execute("SELECT status, count(*) FROM ledger.publications WHERE story = %s GROUP BY status", (story,))
    return {row[0]: row[1] for row in rows.fetchall()}


def latest_texts(conn: Connection, story: str) -> list[PublicationRow]:
    """The latest publication of each chapter of the story, in chapter order, whatever became of it."""
    where = (
        "story = %s AND action IN ('publish', 'retract') AND sequence = (SELECT max(sequence) FROM ledger.publications "
    )
    where += (
        "AS later WHERE later.story = p.story AND later.chapter = p.chapter AND later.action IN ('publish', 'retract'))"
    )
    return _select(conn, where + " ORDER BY chapter", (story,))


def set_waiting(
    conn: Connection, story: str, sequence: int, *, error: str, waits_for: str, waits_until: datetime | None
) -> None:
    """Notes why a publication that is accepted was not taken in when it was tried last."""
    conn.execute(
        "UPDATE ledger.publications SET error = %s, waits_for = %s, waits_until = %s, attempts = attempts + 1 "
        "WHERE story = %s AND sequence = %s AND status = 'accepted'",
        (error, waits_for, waits_until, story, sequence),
    )


def set_status(conn: Connection, story: str, sequence: int, status: str, *, error: str | None, attempts: int) -> bool:
    """Moves a publication that is not appended to another status. False if it is appended, or unknown."""
    done = conn.execute(
        "UPDATE ledger.publications SET status = %s, error = %s, attempts = %s, waits_until = NULL, "
        "waits_for = CASE WHEN %s = 'dead' THEN waits_for END "
        "WHERE story = %s AND sequence = %s AND status <> 'appended'",
        (status, error, attempts, status, story, sequence),
    )
    return done.rowcount == 1


def mark_appended(
    cursor: Cursor, publication: Publication, positions: Sequence[int], rejected: list[Json], warnings: list[str]
) -> None:
    cursor.execute(
        "UPDATE ledger.publications SET status = 'appended', error = NULL, waits_for = NULL, waits_until = NULL, "
        "first_position = %s, last_position = %s, "
        "events = %s, rejected = %s, warnings = %s WHERE story = %s AND sequence = %s",
        (
            positions[0],
            positions[-1],
            len(positions),
            Jsonb(rejected),
            Jsonb(warnings),
            publication.story,
            publication.sequence,
        ),
    )


def insert_grafted(cursor: Cursor, story: str, grafted: Sequence[Grafted], positions: Sequence[int]) -> None:
    """Writes down the publications that a story inherits, with the numbers they have in the other."""
    cursor.execute("INSERT INTO ledger.stories (story) VALUES (%s)", (story,))
    for each in grafted:
        insert(cursor, each.publication)
        own = positions[each.first : each.first + each.count]
        mark_appended(cursor, each.publication, own, each.rejected, each.warnings)


def appended(conn: Connection, story: str) -> list[PublicationRow]:
    """The publications of the story that are in the log, by number."""
    return _select(conn, "story = %s AND status = 'appended' ORDER BY sequence", (story,))


def record_offset(cursor: Cursor, source: SourceOffset) -> None:
    cursor.execute(
        "INSERT INTO ledger.source_offsets (topic, partition, offsets) "
        "VALUES (%s, %s, int8multirange(int8range(%s, %s))) ON CONFLICT (topic, partition) "
        "DO UPDATE SET offsets = ledger.source_offsets.offsets + excluded.offsets",
        (source.topic, source.partition, source.offset, source.offset + 1),
    )


def read_offsets(conn: Connection, topic: str, partition: int) -> list[tuple[int, int]]:
    rows = conn.execute(
        "SELECT lower(r), upper(r) FROM (SELECT unnest(offsets) AS r FROM ledger.source_offsets "
        "WHERE topic = %s AND partition = %s) AS ranges ORDER BY 1",
        (topic, partition),
    ).fetchall()
    return [(row[0], row[1]) for row in rows]


def _select(conn: Connection, where: str, params: Sequence[Any]) -> list[PublicationRow]:
    with conn.cursor(row_factory=dict_row) as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM ledger.publications AS p WHERE {where}", params)
        return [row_of(row) for row in cursor.fetchall()]


def row_of(row: dict[str, Any]) -> PublicationRow:
    """A publication from its row of `COLUMNS`."""
    body = row["body"]
    publication = Publication(
        story=row["story"],
        sequence=row["sequence"],
        chapter=row["chapter"],
        revision=row["revision"],
        action=row["action"],
        content_hash=row["content_hash"],
        text_hash=row["text_hash"],
        title=body["title"],
        language=body["language"],
        records=body["records"],
        decision=body["decision"],
        published_at=row["published_at"],
    )
    return PublicationRow(
        publication=publication,
        status=row["status"],
        attempts=row["attempts"],
        error=row["error"],
        first_position=row["first_position"],
        last_position=row["last_position"],
        events=row["events"] or 0,
        rejected=row["rejected"],
        warnings=row["warnings"],
        waits_for=row["waits_for"],
        waits_until=row["waits_until"],
    )
