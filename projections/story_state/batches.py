"""The story state brought up to date by a batch of publications: what they concern is read, folded in memory and written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from psycopg import sql

from projections.copying import array
from projections.following import StoryBatch, following, story_batches
from projections.projection import Conn
from projections.stored_publications import StoredPublication
from projections.story_state.folding import StoryFold
from projections.story_state.key_fold import KeyChange, KeyFold
from projections.story_state.refolding import Span
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
    """The publications of a story, their records folded: what each says of keys, and its position."""

    fold: StoryFold
    changes: list[tuple[dict[str, KeyChange], int]]


def follow(conn: Conn, batch: Sequence[StoredPublication]) -> None:
    """Bring the tables up to date by a batch of whole publications."""
    with following(conn) as tables:
        taken = {one.story: _take(one, tables) for one in story_batches(conn, batch)}
        _recall(conn, taken)
        for one in taken.values():
            for said, position in one.changes:
                one.fold.refold(said, position)
            one.fold.finish()


def _take(one: StoryBatch, tables: Tables) -> _Taken:
    fold = StoryFold(one.story, tables, one.heads)
    return _Taken(fold, [(fold.take(publication), publication.last_position) for publication in one.publications])


def _recall(conn: Conn, taken: dict[str, _Taken]) -> None:
    """Give each fold, of the keys that change, what was said and what held from the first change on.

    What was said is needed through the first chapter behind the last change that speaks: see `refolding.refold`.
    """
    concerned = [(story, key) for story, one in taken.items() for key in _concerned(said for said, _ in one.changes)]
    if not concerned:
        return
    folds: list[KeyFold] = []
    for story, key in concerned:
        fold = taken[story].fold.keys[key.name] = KeyFold()
        folds.append(fold)
    parameters = {
        "stories": array([story for story, _ in concerned]),
        "keys": array([key.name for _, key in concerned]),
        "firsts": array([key.first for _, key in concerned]),
        "lasts": array([key.last for _, key in concerned]),
    }
    for number, *said in conn.execute(_SAID, parameters):
        folds[number - 1].recall_said(tuple(said))
    for number, start, end, value, row in conn.execute(_SPANS, parameters):
        folds[number - 1].recall_span(Span(start, end, value), row)


@dataclass(frozen=True, slots=True)
class _Concerned:
    """A key of which something is said or no longer said, in chapters between a first and a last."""

    name: str
    first: int
    last: int


def _concerned(said: Iterable[Mapping[str, KeyChange]]) -> list[_Concerned]:
    """The keys that publications concern."""
    chapters: dict[str, tuple[int, int]] = {}
    for changes in said:
        for key, change in changes.items():
            first, last = change.chapters
            known = chapters.get(key, (first, last))
            chapters[key] = (min(first, known[0]), max(last, known[1]))
    return [_Concerned(key, first, last) for key, (first, last) in sorted(chapters.items())]
