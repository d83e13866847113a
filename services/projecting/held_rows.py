"""The rows of a story that say what holds, for all of its checkpoints at once; by their numbers, so that they need little memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from psycopg import sql

from events.registry import Link
from projections.story_state.found import Holding, Pair
from projections.story_state.read import EVERY_CHAPTER
from services.reading.session import Moment, Session

_INTERVALS: Final = """
    SELECT node_key, value_key, lower(valid), upper(valid) FROM {state}.intervals
    WHERE story = %(story)s AND recorded @> %(believed)s::bigint AND lower(valid) IS NOT NULL
"""
_ASSERTIONS: Final = """
    SELECT a.node_key, a.value_key, a.chapter, a.id, r.id FROM {state}.assertions a
    LEFT JOIN {state}.records r ON r.story = a.story AND r.uid = a.uid AND r.recorded @> %(believed)s::bigint
    WHERE a.story = %(story)s AND a.recorded @> %(believed)s::bigint
    ORDER BY a.chapter, a.scene, a.start, a.ordinal, a.uid
"""
_NAMED: Final = """
    SELECT entity, min(chapter), min(chapter) FILTER (WHERE introduces) FROM {entities}.mentions
    WHERE story = %(story)s AND recorded @> %(believed)s::bigint GROUP BY entity
"""


@dataclass(frozen=True, slots=True)
class _Interval:
    value_key: str
    valid_from: int
    valid_to: int | None


@dataclass(frozen=True, slots=True)
class _Asserted:
    """An assertion's row; `record` None: the record that made it is not there."""

    value_key: str | None
    chapter: int
    number: int
    record: int | None


@dataclass(slots=True)
class HeldRows:
    """What holds in a story, as believed at a position, and the chapters in which it can change.

    `changed`: by chapter the keys with an interval's end or an assertion there; `renamed`: the entities of which another
    name may be shown from there on; `linked`: what is joined there (chapter 0: from the beginning).
    """

    chapters: set[int]
    changed: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    renamed: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    linked: dict[int, list[Link]] = field(default_factory=lambda: defaultdict(list))
    _intervals: dict[str, list[_Interval]] = field(default_factory=lambda: defaultdict(list))
    _asserted: dict[str, list[_Asserted]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, session: Session, moment: Moment) -> HeldRows:
        story, believed = moment.story, moment.believed
        rows = cls({row.chapter for row in session.state.revisions(story, EVERY_CHAPTER, believed)})
        for key, value, start, end in _rows(session, moment, _INTERVALS):
            rows._intervals[key].append(_Interval(value, start, end))
            for chapter in (start, end):
                if chapter is not None:
                    rows.changed[chapter].add(key)
        for key, value, chapter, number, record in _rows(session, moment, _ASSERTIONS):
            rows._asserted[key].append(_Asserted(value, chapter, number, record))
            rows.changed[chapter].add(key)
        for entity, mentioned, introduced in _rows(session, moment, _NAMED):
            for chapter in (mentioned, introduced):
                if chapter is not None:
                    rows.renamed[chapter].add(entity)
        for link in session.entities.links(story, EVERY_CHAPTER, believed):
            rows.linked[link.chapter].append(link)
        return rows

    @property
    def points(self) -> set[int]:
        """The chapters in which what holds may become another, and all that were ever published."""
        return self.chapters | self.changed.keys() | self.renamed.keys() | self.linked.keys()

    def holding(self, key: str, at: int) -> list[Holding]:
        """What a key holds after a chapter, as `StoryStateRead.holding` has it."""
        asserted = self._asserted.get(key, [])
        found = []
        for each in self._intervals.get(key, ()):
            if each.valid_from <= at and (each.valid_to is None or at < each.valid_to):
                support: list[Pair] = [
                    (a.number, a.record)
                    for a in asserted
                    if a.record is not None and a.value_key == each.value_key and each.valid_from <= a.chapter <= at
                ]
                if support:
                    # a key with literals in it is shown as it was first written
                    worded = asserted[0].number if "=" in key else support[0][0]
                    found.append(Holding(each.valid_from, worded, tuple(support)))
        return found

    def supports(self, key: str, since: int | None, at: int) -> list[Pair]:
        """The assertions of a key in the chapters after `since` (None: in all) up to `at`."""
        return [
            (a.number, a.record)
            for a in self._asserted.get(key, ())
            if a.record is not None and a.chapter <= at and (since is None or a.chapter > since)
        ]


def _rows(session: Session, moment: Moment, query: str) -> Iterator[tuple[Any, ...]]:
    schemas = {"state": sql.Identifier(session.schemas.state), "entities": sql.Identifier(session.schemas.entities)}
    parameters = {"story": moment.story, "believed": moment.believed}
    return iter(session.conn.execute(sql.SQL(query).format(**schemas), parameters))
