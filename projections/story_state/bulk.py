"""The story state of a whole log at once. What is left is what following the log would have left.

A short story is followed in memory from its beginning. Of the others the records come first; a key is folded when all that
was ever said of it is in the table of assertions, so that no more than one key is remembered at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from psycopg import sql

from projections.facets import Row, since
from projections.parts import Part, StoryPart
from projections.projection import Conn
from projections.rebuilding import FLUSH_AT
from projections.record_fold import RecordFold
from projections.record_fold import until as ended
from projections.record_versions import RECORDS
from projections.stored_publications import stored_publications
from projections.story_state.assertions import ASSERTIONS, entities_of_node_key
from projections.story_state.folding import StoryFold
from projections.story_state.key_fold import KeyFold, Said
from projections.story_state.places import PlaceFold
from projections.story_state.rows import INTERVAL_COLUMNS, KEY_ENTITY_COLUMNS, interval_row
from projections.tables import Tables
from projections.watched_log import Source

_PAGE: Final = 10_000
_CHECK_EVERY: Final = 1_000
_SORT_MEMORY: Final = "64MB"
_ASSERTED: Final = sql.SQL(
    "SELECT story, node_key, lower(recorded), upper(recorded), chapter, scene, start, ordinal, uid,"
    " coalesce(value_key, '') FROM assertions"
    " WHERE story = ANY(%s) AND mod(hashtext(node_key), {of}) IN ({number}, {number} - {of})"
    " ORDER BY story, node_key, lower(recorded)"
)
_START, _END, _SAID = 2, 3, slice(4, 10)
"""Where a row has the positions from which and up to which it was believed, and what it says."""


def fill(tables: Tables, log: Source, of: StoryPart, until: int) -> None:
    """Append the rows that a part of a story has, up to and including a position: those of keys where it is `with_keys`."""
    if of.with_keys:
        _follow(tables, log, of, until)
    else:
        _fill_records(tables, log, of, until)


def _follow(tables: Tables, log: Source, of: StoryPart, until: int) -> None:
    fold = StoryFold(of.story, tables)
    for publication in stored_publications(log, of, until):
        fold.refold(fold.take(publication), publication.last_position)
        tables.flush(at_least=FLUSH_AT)
    fold.finish()


def _fill_records(tables: Tables, log: Source, of: StoryPart, until: int) -> None:
    places, records = PlaceFold(of.story, tables), RecordFold(of.story, (RECORDS, ASSERTIONS), tables)
    for publication in stored_publications(log, of, until):
        if of.is_first:
            places.take(publication, publication.chapter_positions)
        records.take(publication.events, publication.last_position, publication.asserted)
        tables.flush(at_least=FLUSH_AT)
    places.finish()
    records.finish()


def derive(conn: Conn, tables: Tables, part: Part, stories: Sequence[str], check: Callable[[], None]) -> None:
    """Append the rows of a part of the keys of stories, from what is in the table of assertions."""
    if not stories:
        return
    intervals = tables.table("intervals", INTERVAL_COLUMNS)
    key_entities = tables.table("key_entities", KEY_ENTITY_COLUMNS)
    conn.execute("SELECT set_config('work_mem', %s, true)", (_SORT_MEMORY,))
    with conn.cursor("asserted", binary=True) as cursor:
        cursor.itersize = _PAGE
        cursor.execute(_ASSERTED.format(of=part.of, number=part.number), (list(stories),))
        for number, ((story, key), rows) in enumerate(groupby(cursor, itemgetter(0, 1))):
            if number % _CHECK_EVERY == 0:
                check()
            said = list(rows)
            key_entities.rows += [(story, entity, key) for entity in entities_of_node_key(key, {r[-1] for r in said})]
            intervals.rows += _intervals(story, key, said)
            tables.flush(at_least=FLUSH_AT)


def _intervals(story: str, key: str, rows: Sequence[tuple[Any, ...]]) -> list[Row]:
    """The intervals of a key, in all that was ever believed of it. The rows are in the order in which they came."""
    came: dict[int, list[Said]] = {}
    went: dict[int, list[Said]] = {}
    for row in rows:
        came.setdefault(row[_START], []).append(row[_SAID])
        if row[_END] is not None:
            went.setdefault(row[_END], []).append(row[_SAID])
    fold, found = KeyFold(), []
    for position in sorted(came.keys() | went.keys()) if went else came:
        gone = fold.take(went.get(position, ()), came.get(position, ()), position)
        found += [interval_row(story, key, span, ended(start, position)) for span, start in gone]
    return found + [interval_row(story, key, span, since(start)) for span, start in fold.opened()]
