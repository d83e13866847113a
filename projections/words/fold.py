"""The fold from events to rows: what a batch concerns is read, folded in memory, and written with a statement a table.

See `statements.sql` for the statements, and `batch` for what becomes of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import orjson
from psycopg import Connection

from events.domain_events import CheckpointNamed, Recorded
from projections.words.batch import (
    COPIED,
    LINK_COLUMNS,
    Key,
    Known,
    KnownRecord,
    Row,
    WordsBatch,
    asked,
    recorded_range,
)
from projections.words.material import Material, Revised

Conn: TypeAlias = Connection[Any]

_HERE: Final = Path(__file__).parent
_CACHED_VECTOR: Final = """
    (SELECT v.vector FROM embeddings.vectors v WHERE v.embedder = %(embedder)s AND v.text_hash = decode(n.hash, 'hex'))
"""
_NESTED: Final = ("payload", "evidence", "mentions", "settings")
_FOUND_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "chapters": ("story", "chapter"),
    "passages": ("story", "chapter"),
    "records": ("story", "uid"),
    "links": LINK_COLUMNS,
}
"""By what the rows of a table are found that end."""


def write(conn: Conn, batch: Sequence[Recorded], words: Material, embedder: str | None) -> None:
    """Applies a batch in order. With `embedder` each row gets its vector from the cache, else none."""
    found = statements_by_name("NULL::vector" if embedder is None else _CACHED_VECTOR)
    fold = WordsBatch(words, _known(conn, found, batch))
    for recorded in batch:
        fold.take(recorded)
    for table, ends in fold.ends.items():
        _send(conn, found[f"end_{table}"], _ended(_FOUND_BY[table], ends), embedder)
    for table, rows in fold.rows.items():
        _send(
            conn,
            found[f"add_{table}"],
            [{**row, "recorded": recorded_range(row)} if "since" in row else row for row in rows],
            embedder,
        )
    _send(conn, found["touch"], touches(batch), embedder)


def _send(conn: Conn, statement: str, rows: Sequence[Row], embedder: str | None) -> None:
    if rows:
        conn.execute(statement.encode(), {"rows": orjson.dumps(rows).decode(), "embedder": embedder})


def _ended(columns: tuple[str, ...], ends: Mapping[Key, int]) -> list[Row]:
    return [{**dict(zip(columns, key, strict=True)), "until": position} for key, position in ends.items()]


def _known(conn: Conn, found: Mapping[str, str], batch: Sequence[Recorded]) -> Known:
    records, chapters = asked(batch)
    known = Known()
    for story, uid, *shown, is_open in _ask(conn, found["known_records"], ("story", "uid"), records):
        row = dict(zip(COPIED, shown, strict=True))
        row.update({column: orjson.Fragment(row[column]) for column in _NESTED})
        known.records[story, uid] = KnownRecord(row, is_open)
    for story, chapter, revision in _ask(conn, found["known_revisions"], ("story", "chapter"), chapters):
        known.revisions[story, chapter] = revision
    return known


def _ask(conn: Conn, statement: str, columns: tuple[str, ...], keys: Sequence[Key]) -> Iterable[tuple[Any, ...]]:
    if not keys:
        return ()
    rows = [dict(zip(columns, key, strict=True)) for key in keys]
    return conn.execute(statement.encode(), {"rows": orjson.dumps(rows).decode()})


def touches(batch: Sequence[Recorded]) -> list[Row]:
    """Which publication reached how far in which chapter. Naming a checkpoint changes no chapter."""
    last: dict[tuple[str, str, int, bool], Recorded] = {}
    for recorded in batch:
        event = recorded.event
        last[event.story, event.correlation, event.chapter, not isinstance(event, CheckpointNamed)] = recorded
    return [
        {
            "story": story, "correlation": correlation, "chapter": chapter, "counts": counts,
            "position": recorded.position, "recorded_at": recorded.event.recorded_at,
        }
        for (story, correlation, chapter, counts), recorded in last.items()
    ]  # fmt: skip


def text_hashes(conn: Connection[Any], revised: set[Revised]) -> Mapping[Revised, str | None]:
    """The text hashes of chapter revisions that earlier batches brought."""
    found: dict[Revised, str | None] = {}
    for story, chapter, revision in sorted(revised):
        row = conn.execute(
            "SELECT text_hash FROM chapters WHERE story = %s AND chapter = %s AND revision = %s",
            [story, chapter, revision],
        ).fetchone()
        found[story, chapter, revision] = None if row is None else row[0]
    return found


def purge(conn: Connection[Any], story: str, chapter: int | None) -> list[bytes]:
    """Deletes superseded rows; the text hashes they had."""
    found = statements_by_name("NULL::vector")
    parameters = {"story": story, "chapter": chapter}
    rows = conn.execute(found["purge_passages"], parameters).fetchall()
    rows += conn.execute(found["purge_records"], parameters).fetchall()
    return [bytes(row[0]) for row in rows]


@cache
def statements_by_name(vector: str) -> Mapping[str, str]:
    """The statements of `statements.sql`, `{vector}` in them filled in."""
    parts = re.split(r"^-- name: (\w+)\n", (_HERE / "statements.sql").read_text("utf-8"), flags=re.MULTILINE)
    filled = (text.replace("{vector}", vector) for text in parts[2::2])
    return dict(zip(parts[1::2], filled, strict=True))


@cache
def schema() -> str:
    return (_HERE / "schema.sql").read_text("utf-8")
