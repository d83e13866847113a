"""The ledger's tables beside the log: texts, publications, source offsets. SQL and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from events.chapters import Publication, PublicationRequest, Reextraction, text_hash
from events.domain_events import Json
from events.errors import Conflict, Overtaken

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
class Registration:
    """The number a request got. `unchanged`: the chapter's latest publication says the same, and is given instead."""

    publication: Publication
    unchanged: bool
    status: str = "accepted"


@dataclass(frozen=True, slots=True)
class Grafted:
    """A publication that a branch inherits, and its events: `count` of them, from the `first` of all that are written."""

    publication: Publication
    first: int
    count: int
    rejected: list[Json]
    warnings: list[str]


_COLUMNS = """story, sequence, chapter, revision, action, content_hash, text_hash, body, status, published_at,
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


def register(conn: Connection, request: PublicationRequest, published_at: datetime) -> Registration:
    """Gives the request its number, in one transaction with its text; see `Registration`."""
    with conn.transaction(), conn.cursor(row_factory=dict_row) as cursor:
        cursor.execute("INSERT INTO ledger.stories (story) VALUES (%s) ON CONFLICT DO NOTHING", (request.story,))
        cursor.execute("SELECT last_sequence FROM ledger.stories WHERE story = %s FOR UPDATE", (request.story,))
        counter = cursor.fetchone()
        assert counter is not None
        _require_standing(cursor, request)
        latest = _latest(cursor, request)
        reread = Reextraction.from_decision(request.decision)
        if reread is not None:
            _require_latest(latest, reread.of)
        elif latest and _says_the_same(cursor, latest.publication, request):
            return Registration(latest.publication, True, latest.status)
        elif named := _named(cursor, request):
            return Registration(named.publication, True, named.status)
        if request.seen is not None and request.seen != (latest.publication.sequence if latest else 0):
            raise Overtaken(
                f"Chapter {request.chapter} of {request.story} was published meanwhile; look at the difference, then decide anew."
            )
        if request.text is not None:
            store_text(cursor, request.text)
        publication = _numbered(request, counter["last_sequence"], latest, published_at)
        _insert(cursor, publication)
        return Registration(publication, False)


def foresee(conn: Connection, request: PublicationRequest, published_at: datetime) -> Registration:
    """The next publication as the request would make it, and whether it says what is there already. Nothing is written."""
    with conn.transaction(), conn.cursor(row_factory=dict_row) as cursor:
        cursor.execute("SELECT last_sequence FROM ledger.stories WHERE story = %s", (request.story,))
        counter = cursor.fetchone()
        latest = _latest(cursor, request)
        unchanged = latest is not None and _says_the_same(cursor, latest.publication, request)
        last = counter["last_sequence"] if counter else 0
        return Registration(_numbered(request, last, latest, published_at), unchanged)


def _numbered(
    request: PublicationRequest, last_sequence: int, latest: PublicationRow | None, published_at: datetime
) -> Publication:
    return Publication(
        story=request.story,
        sequence=last_sequence + 1,
        chapter=request.chapter,
        revision=(latest.publication.revision if latest else 0) + 1,
        action=request.action,
        content_hash=request.content_hash,
        text_hash=None if request.text is None else text_hash(request.text),
        title=request.title,
        language=request.language,
        records=request.records,
        decision=request.decision,
        published_at=published_at,
    )


def _says_the_same(cursor: Cursor, latest: Publication, request: PublicationRequest) -> bool:
    """Whether the request is what the chapter says already. One whose text was erased does not say it any more."""
    if latest.content_hash != request.content_hash or request.action not in ("publish", "retract"):
        return False
    if latest.text_hash is None:
        return True
    cursor.execute("SELECT body IS NOT NULL AS kept FROM ledger.texts WHERE hash = %s", (latest.text_hash,))
    row = cursor.fetchone()
    return row is not None and row["kept"]


def _require_standing(cursor: Cursor, request: PublicationRequest) -> None:
    """Into a branch that was dropped nothing is published any more; dropping it withdraws its chapters. Raises `Conflict`."""
    if request.action == "retract":
        return
    cursor.execute("SELECT FROM ledger.branches WHERE branch = %s AND dropped_at IS NOT NULL", (request.story,))
    if cursor.fetchone() is not None:
        raise Conflict(f"The branch {request.story} was dropped; fork the story again under another name.")


def _require_latest(latest: PublicationRow | None, sequence: int) -> None:
    """Reading a chapter anew must not bring an older text back. Raises `Conflict`."""
    if latest is None or latest.publication.sequence != sequence or latest.status != "appended":
        raise Overtaken("The chapter was published meanwhile; look at the difference again, then read it anew.")


def _latest(cursor: Cursor, request: PublicationRequest) -> PublicationRow | None:
    """The chapter's latest publication, those that were discarded or failed left out of account."""
    cursor.execute(
        f"SELECT {_COLUMNS} FROM ledger.publications WHERE story = %s AND chapter = %s "
        "AND (action IN ('publish', 'retract')) = %s ORDER BY sequence DESC LIMIT 1",
        (request.story, request.chapter, request.action in ("publish", "retract")),
    )
    row = cursor.fetchone()
    if row and row["status"] in ("dead", "discarded"):
        row["content_hash"] = ""
    return _row(row) if row else None


def _named(cursor: Cursor, request: PublicationRequest) -> PublicationRow | None:
    """The latest naming of the checkpoint that the request names, if it is of the same place."""
    if request.action != "checkpoint" or request.decision is None:
        return None
    cursor.execute(
        f"SELECT {_COLUMNS} FROM ledger.publications WHERE story = %s AND action = 'checkpoint'"
        " AND body -> 'decision' ->> 'name' = %s AND status NOT IN ('dead', 'discarded') ORDER BY sequence DESC LIMIT 1",
        (request.story, request.decision["name"]),
    )
    row = cursor.fetchone()
    return _row(row) if row and row["body"]["decision"] == request.decision else None


def _insert(cursor: Cursor, p: Publication) -> None:
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
        _insert(cursor, each.publication)
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
        cursor.execute(f"SELECT {_COLUMNS} FROM ledger.publications AS p WHERE {where}", params)
        return [_row(row) for row in cursor.fetchall()]


def _row(row: dict[str, Any]) -> PublicationRow:
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
