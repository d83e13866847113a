"""The story state brought up to date by a batch of publications: what they concern is read, folded in memory and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psycopg import sql

from projections.copying import array
from projections.facets import FacetChange
from projections.following import StoryBatch, following, story_batches
from projections.projection import Conn
from projections.stored_publications import StoredPublication
from projections.story_state.folding import StoryFold
from projections.story_state.key_fold import KeyFold
from projections.story_state.refolding import Span
from projections.story_state.rows import CHAPTER, NODE_KEY, KeyChange
from projections.tables import Tables

_KEYS = "unnest(%(stories)s::text[], %(keys)s::text[], %(firsts)s::int[], %(lasts)s::int[]) WITH ORDINALITY AS k"
_SAID = sql.SQL(
    "SELECT k.number, a.chapter, a.scene, a.start, a.ordinal, a.uid, coalesce(a.value_key, '')"
    f" FROM {_KEYS} (story, node_key, first, last, number)"
    """
CROSS JOIN LATERAL (
    SELECT coalesce(min(a.chapter), 2147483647) AS chapter FROM assertions a
    WHERE a.story = k.story AND a.node_key = k.node_key AND a.chapter > k.last AND upper_inf(a.recorded)
) AS agreed
JOIN assertions a ON a.story = k.story AND a.node_key = k.node_key AND upper_inf(a.recorded)
    AND a.chapter BETWEEN k.first AND agreed.chapter
ORDER BY 1, 2, 3, 4, 5, 6, 7
"""
)
_SPANS = sql.SQL(
    "SELECT k.number, lower(i.valid), upper(i.valid), i.value_key, i.id"
    f" FROM {_KEYS} (story, node_key, first, last, number)"
    " JOIN intervals i ON i.story = k.story AND i.node_key = k.node_key AND upper_inf(i.recorded)"
    " AND coalesce(upper(i.valid), 2147483647) >= k.first ORDER BY 1, 2"
)


@dataclass(frozen=True, slots=True)
class _Taken:
    """The publications of a story, their records folded: the changes in the assertions, and the position of each."""

    fold: StoryFold
    changes: list[tuple[list[FacetChange], int]]


def follow(conn: Conn, batch: Sequence[StoredPublication]) -> None:
    """Bring the tables up to date by a batch of whole publications."""
    with following(conn) as tables:
        taken = {one.story: _take(one, tables) for one in story_batches(conn, batch)}
        _recall(conn, taken)
        for one in taken.values():
            for asserted, position in one.changes:
                one.fold.refold(asserted, position)
            one.fold.finish()


def _take(one: StoryBatch, tables: Tables) -> _Taken:
    fold = StoryFold(one.story, tables, one.heads)
    return _Taken(fold, [(fold.take(publication), publication.last_position) for publication in one.publications])


def _recall(conn: Conn, taken: dict[str, _Taken]) -> None:
    """Give each fold, of the keys that change, what was said and what held from the first change on.

    What was said is needed through the first chapter behind the last change that speaks: see `refolding.refold`.
    """
    concerned = [
        (story, key)
        for story, one in taken.items()
        for key in _concerned(c for changes, _ in one.changes for c in changes)
    ]
    if not concerned:
        return
    folds: list[KeyFold] = []
    for story, key in concerned:
        fold = taken[story].fold.keys[key.node_key] = KeyFold()
        folds.append(fold)
    parameters = {
        "stories": array([story for story, _ in concerned]),
        "keys": array([key.node_key for _, key in concerned]),
        "firsts": array([key.first for _, key in concerned]),
        "lasts": array([key.last for _, key in concerned]),
    }
    for number, *said in conn.execute(_SAID, parameters):
        folds[number - 1].recall_said(tuple(said))
    for number, start, end, value, row in conn.execute(_SPANS, parameters):
        folds[number - 1].recall_span(Span(start, end, value), row)


def _concerned(changes: Iterable[FacetChange]) -> list[KeyChange]:
    """The keys of all rows, also of those that stay, with the first and last chapter that these are of."""
    chapters: dict[str, tuple[int, int]] = {}
    for change in changes:
        for row in (*change.before, *change.after):
            key, chapter = str(row[NODE_KEY]), int(row[CHAPTER] or 0)
            first, last = chapters.get(key, (chapter, chapter))
            chapters[key] = (min(first, chapter), max(last, chapter))
    return [KeyChange(key, first, last) for key, (first, last) in sorted(chapters.items())]
