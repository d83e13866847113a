"""Reading passages and records of one story as of a chapter and a position in the log.

Every function takes a connection whose transaction is REPEATABLE READ where answers must fit together, and the read model's
PostgreSQL schema. Vectors are compared exactly: a filtered approximate index answers short without saying so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson
from psycopg import Connection, sql
from psycopg.types.json import set_json_loads

from events.domain_events import Json, RecordStated
from projections.embedding import Vectors
from projections.passages.vectors import received, written
from projections.wire import mentions_json, settings_json


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage: code points [start, end) of a chapter's text."""

    chapter: int
    revision: int
    start: int
    end: int
    text: str
    text_hash: bytes


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A live record as it is shown. `mentions` and `settings` are in the notation of `wire`."""

    uid: str
    name: str
    chapter: int
    revision: int
    kind: str
    payload: Json
    evidence: tuple[tuple[int, int], ...]
    order: tuple[int, int, int]
    mentions: Json
    settings: Json
    text: str
    text_hash: bytes


def record_row(event: RecordStated, text: str, text_hash: bytes) -> RecordRow:
    """The row of a record as an event states it, in the words under which it is found."""
    return RecordRow(
        uid=event.uid,
        name=event.record,
        chapter=event.chapter,
        revision=event.revision,
        kind=event.kind,
        payload=event.payload,
        evidence=event.evidence,
        order=(event.order.scene, event.order.start, event.order.ordinal),
        mentions=orjson.loads(mentions_json(event.mentions)),
        settings=orjson.loads(settings_json(event.settings)),
        text=text,
        text_hash=text_hash,
    )


@dataclass(frozen=True, slots=True)
class LinkRow:
    chapter: int
    rank: int
    a: str
    b: str


_ENDS: Final = sql.SQL(
    "SELECT max(ends) FROM (SELECT max(position) AS ends, max(recorded_at) AS recorded_at FROM {touches}"
    " WHERE story = %(story)s GROUP BY correlation) publications WHERE ends <= %(position)s AND recorded_at <= %(moment)s"
)
_CONCERNS: Final = sql.SQL(
    "SELECT max(position) FROM {touches} WHERE story = %(story)s AND counts AND chapter <= %(chapter)s AND position <= %(position)s"
)
_PASSAGES: Final = sql.SQL(
    "SELECT chapter, revision, start_at, end_at, text, text_hash, vector_send(vector) FROM {passages}"
    " WHERE story = %(story)s AND chapter <= %(chapter)s AND recorded @> %(position)s::int8"
    " ORDER BY chapter, start_at"
)
_RECORDS: Final = sql.SQL(
    "SELECT uid, name, chapter, revision, kind, payload, evidence, scene, start_at, ordinal, mentions, settings, text, text_hash,"
    " vector_send(vector) FROM {records} WHERE story = %(story)s AND chapter <= %(chapter)s AND recorded @> %(position)s::int8"
    " ORDER BY chapter, scene, start_at, ordinal, uid"
)
_LINKS: Final = sql.SQL(
    "SELECT chapter, rank, a, b FROM {links} WHERE story = %(story)s AND chapter <= %(chapter)s AND recorded @> %(position)s::int8"
    " ORDER BY chapter, rank, a, b"
)
_NEAREST: Final = sql.SQL(
    "WITH slice AS MATERIALIZED (SELECT chapter, start_at, end_at, vector FROM {passages}"
    " WHERE story = %(story)s AND chapter <= %(chapter)s AND recorded @> %(position)s::int8 AND vector IS NOT NULL)"
    " SELECT chapter, start_at, end_at, 1 - (vector OPERATOR(public.<=>) %(vector)s::public.vector) AS cosine FROM slice"
    " ORDER BY vector OPERATOR(public.<=>) %(vector)s::public.vector, chapter, start_at LIMIT %(count)s"
)
_NO_LIMIT: Final = 2**62


def believed(
    conn: Connection[Any], schema: str, story: str, *, position: int | None = None, moment: datetime | None = None
) -> int | None:
    """The position where the last publication ends that had been recorded by then; None if the story had none.

    A position in the middle of a publication means the one before it.
    """
    ends = {"position": _NO_LIMIT if position is None else position, "moment": "infinity" if moment is None else moment}
    return _number(conn, _in(_ENDS, schema), {"story": story, **ends})


def concerns(conn: Connection[Any], schema: str, story: str, chapter: int, position: int) -> int:
    """The position of the last event, up to `position`, that concerns chapters up to `chapter`; 0 if there is none."""
    return _number(conn, _in(_CONCERNS, schema), {"story": story, "chapter": chapter, "position": position}) or 0


def last_chapter(conn: Connection[Any], schema: str, story: str, position: int) -> int | None:
    """The highest chapter that had a text."""
    query = "SELECT max(chapter) FROM {chapters} WHERE story = %(story)s AND recorded @> %(position)s::int8 AND text_hash IS NOT NULL"
    return _number(conn, _in(sql.SQL(query), schema), {"story": story, "position": position})


def checkpoint(conn: Connection[Any], schema: str, story: str, name: str, position: int) -> int | None:
    """The chapter that a named checkpoint stands for."""
    query = "SELECT at FROM {checkpoints} WHERE story = %(story)s AND name = %(name)s AND seen <= %(position)s ORDER BY seen DESC LIMIT 1"
    return _number(conn, _in(sql.SQL(query), schema), {"story": story, "name": name, "position": position})


def passages(
    conn: Connection[Any], schema: str, story: str, chapter: int, position: int
) -> tuple[list[PassageRow], Vectors]:
    """The passages of chapters up to `chapter` in story order, and their vectors, row by row."""
    parameters = {"story": story, "chapter": chapter, "position": position}
    with conn.cursor(binary=True) as cursor:
        rows = cursor.execute(_in(_PASSAGES, schema), parameters).fetchall()
    return [PassageRow(*row[:6]) for row in rows], received([row[6] for row in rows])


def records(
    conn: Connection[Any], schema: str, story: str, chapter: int, position: int
) -> tuple[list[RecordRow], Vectors]:
    """The live records of chapters up to `chapter` in story order, and their vectors, row by row."""
    with conn.cursor(binary=True) as cursor:
        set_json_loads(orjson.loads, cursor)
        rows = cursor.execute(
            _in(_RECORDS, schema), {"story": story, "chapter": chapter, "position": position}
        ).fetchall()
    return [_record(row) for row in rows], received([row[14] for row in rows])


def links(conn: Connection[Any], schema: str, story: str, chapter: int, position: int) -> list[LinkRow]:
    """The links between entities that hold up to `chapter`, in the order in which they apply."""
    rows = conn.execute(_in(_LINKS, schema), {"story": story, "chapter": chapter, "position": position}).fetchall()
    return [LinkRow(*row) for row in rows]


def nearest(
    conn: Connection[Any], schema: str, story: str, chapter: int, position: int, vector: Vectors, count: int
) -> list[tuple[int, int, int, float]]:
    """The `count` passages nearest to `vector` as (chapter, start, end, cosine): exactly that many whenever so many exist."""
    parameters = {"story": story, "chapter": chapter, "position": position, "vector": written(vector), "count": count}
    rows: Sequence[tuple[int, int, int, float]] = conn.execute(_in(_NEAREST, schema), parameters).fetchall()
    return list(rows)


def _record(row: tuple[Any, ...]) -> RecordRow:
    (
        uid,
        name,
        chapter,
        revision,
        kind,
        payload,
        evidence,
        scene,
        start,
        ordinal,
        mentions,
        settings,
        text,
        text_hash,
        _,
    ) = row
    spans = tuple((a, b) for a, b in evidence)
    return RecordRow(
        uid,
        name,
        chapter,
        revision,
        kind,
        payload,
        spans,
        (scene, start, ordinal),
        mentions,
        settings,
        text,
        bytes(text_hash),
    )


def _in(query: sql.SQL, schema: str) -> sql.Composed:
    tables = ("chapters", "passages", "records", "links", "checkpoints", "touches")
    return query.format(**{table: sql.Identifier(schema, table) for table in tables})


def _number(conn: Connection[Any], query: sql.Composed, parameters: dict[str, Any]) -> int | None:
    row = conn.execute(query, parameters).fetchone()
    return None if row is None or row[0] is None else int(row[0])
