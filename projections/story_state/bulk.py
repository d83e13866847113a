"""The story state of a whole log at once, folded in memory; what it writes is what `apply` would have."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from events.domain_events import ChapterPublished, ChapterRetracted, CheckpointNamed
from projections.facets import FacetChange, Row, since
from projections.projection import Conn, Log
from projections.publications import PublicationEvents
from projections.rebuilding import FLUSH_AT, RecordFold, Tables, filling, publications_of, until
from projections.record_versions import RECORDS
from projections.story_state.assertions import ASSERTIONS, entities_of_keys
from projections.story_state.refolding import Span, Word, refold
from projections.story_state.store import (
    CHAPTER_COLUMNS,
    CHECKPOINT_COLUMNS,
    INTERVAL_COLUMNS,
    KeyChange,
    chapter_row,
    interval_row,
    key_changes,
)

Said: TypeAlias = tuple[int, int, int, int, str, str]
"""An assertion of a key: chapter, scene, start, ordinal, record, and the value it gives; "" where it ends the key."""

_ENDLESS: Final = 2**31
_RECORDED: Final = CHAPTER_COLUMNS.index("recorded")


def rebuild(conn: Conn, log: Log, last: int) -> None:
    """Fill the empty tables with everything up to and including a position."""
    with filling(conn) as tables:
        for story in log.stories():
            fold = StoryFold(story, tables)
            for publication in publications_of(log, story, last):
                fold.take(publication)
                tables.flush(at_least=FLUSH_AT)
            fold.finish()


class StoryFold:
    """The story state of one story, followed from publication to publication."""

    def __init__(self, story: str, tables: Tables) -> None:
        self._story = story
        self._publications = tables.table("publications", PUBLICATION_COLUMNS).rows
        self._positions = tables.table("chapter_positions", ("story", "position", "chapter")).rows
        self._revisions = tables.table("chapters", CHAPTER_COLUMNS).rows
        self._named = tables.table("checkpoints", CHECKPOINT_COLUMNS).rows
        self._intervals = tables.table("intervals", INTERVAL_COLUMNS).rows
        self._key_entities = tables.table("key_entities", ("story", "entity", "node_key")).rows
        self._records = RecordFold(story, (RECORDS, ASSERTIONS), tables)
        self._keys: dict[str, KeyFold] = {}
        self._entities: set[tuple[str, str]] = set()
        self._chapters: dict[int, tuple[Row, int]] = {}
        self._checkpoints: dict[str, tuple[int, int]] = {}

    def take(self, publication: PublicationEvents) -> None:
        self._place(publication)
        changed, by_table = self._records.take(publication)
        asserted = by_table[ASSERTIONS.table]
        for entity, key in entities_of_keys([c.after for c in changed if c.after.live]):
            if (entity, key) not in self._entities:
                self._entities.add((entity, key))
                self._key_entities.append((self._story, entity, key))
        self._say(asserted)
        for key_change in key_changes(asserted):
            fold = self._keys[key_change.node_key]
            self._intervals += fold.refold(self._story, key_change, publication.last_position)

    def finish(self) -> None:
        """Write what still holds."""
        self._records.finish()
        for fold in self._keys.values():
            self._intervals += fold.rows(self._story)
        self._revisions += [row for row, _ in self._chapters.values()]
        self._named += [(self._story, name, since(start), at) for name, (at, start) in self._checkpoints.items()]

    def _say(self, asserted: Iterable[FacetChange]) -> None:
        """Bring what is said of the keys up to date."""
        for change in asserted:
            for row in change.before:
                self._keys[str(row[0])].unsay(_said(change.uid, row))
            for row in change.after:
                key = str(row[0])
                fold = self._keys.get(key)
                if fold is None:
                    fold = self._keys[key] = KeyFold(key)
                fold.say(_said(change.uid, row))

    def _place(self, publication: PublicationEvents) -> None:
        """Where the publication lies in the log, what became of chapters, and what got a name."""
        story, position = self._story, publication.last_position
        self._publications.append(publication_row(publication))
        self._positions += [(story, place, chapter) for chapter, place in publication.chapter_positions().items()]
        for recorded in publication.events:
            match recorded.event:
                case ChapterPublished() | ChapterRetracted() as event:
                    row = chapter_row(event, recorded.position, position)
                    if event.superseded:
                        self._revisions.append(row)
                    else:
                        self._end_revision(event.chapter, position)
                        self._chapters[event.chapter] = (row, position)
                case CheckpointNamed() as event:
                    self._name(event.name, event.at, position)

    def _end_revision(self, chapter: int, position: int) -> None:
        if chapter in self._chapters:
            row, start = self._chapters.pop(chapter)
            self._revisions.append((*row[:_RECORDED], until(start, position), *row[_RECORDED + 1 :]))

    def _name(self, name: str, at: int, position: int) -> None:
        if name in self._checkpoints:
            former, start = self._checkpoints[name]
            self._named.append((self._story, name, until(start, position), former))
        self._checkpoints[name] = (at, position)


class KeyFold:
    """What is said of one key, and the intervals that follow from it."""

    __slots__ = ("_key", "_said", "_since", "_spans")

    def __init__(self, key: str) -> None:
        self._key = key
        self._said: list[Said] = []
        self._spans: list[Span] = []
        self._since: list[int] = []
        """Since which position each span is believed."""

    def say(self, said: Said) -> None:
        if not self._said or self._said[-1] < said:
            self._said.append(said)
        else:
            insort(self._said, said)

    def unsay(self, said: Said) -> None:
        self._said.pop(bisect_left(self._said, said))

    def refold(self, story: str, change: KeyChange, position: int) -> list[Row]:
        """Fold again what the change concerns; the rows of intervals that no longer hold."""
        if self._said and self._said[-1][0] == change.first and self._is_beyond(change.first):
            return self._append(story, self._said[-1], position)
        at = bisect_left(self._spans, change.first, key=_reaches)
        old = self._spans[at:]
        folded = refold(old, self._words(change), change.first, change.last)
        if not folded.closed and not folded.opened:
            return []
        believed = list(zip(old, self._since[at:], strict=True))
        kept = [(span, start) for span, start in believed if span not in folded.closed]
        kept = sorted([*kept, *((span, position) for span in folded.opened)])
        self._spans[at:] = [span for span, _ in kept]
        self._since[at:] = [start for _, start in kept]
        ended = [(span, start) for span, start in believed if span in folded.closed]
        return [interval_row(story, self._key, span, until(start, position)) for span, start in ended]

    def _is_beyond(self, chapter: int) -> bool:
        """Whether no interval begins or ends in the chapter or later."""
        last = self._spans[-1] if self._spans else None
        return last is None or (last.start < chapter and (last.end is None or last.end < chapter))

    def _append(self, story: str, said: Said, position: int) -> list[Row]:
        """What most changes are: the first word on the key after everything that was said before."""
        chapter, value = said[0], said[5]
        ended: list[Row] = []
        if self._spans and (last := self._spans[-1]).end is None:
            if last.value == value:
                return ended
            ended.append(interval_row(story, self._key, last, until(self._since[-1], position)))
            self._spans[-1], self._since[-1] = Span(last.start, chapter, last.value), position
        if value:
            self._spans.append(Span(chapter, None, value))
            self._since.append(position)
        return ended

    def rows(self, story: str) -> list[Row]:
        """The intervals that hold."""
        believed = zip(self._spans, self._since, strict=True)
        return [interval_row(story, self._key, span, since(start)) for span, start in believed]

    def _words(self, change: KeyChange) -> Sequence[Word]:
        """The last word of each chapter from the first that changed through the first that speaks after the last."""
        last: dict[int, str | None] = {}
        for number in range(bisect_left(self._said, (change.first,)), len(self._said)):
            said = self._said[number]
            chapter = said[0]
            if last and chapter > change.last and chapter not in last and next(reversed(last)) > change.last:
                break
            last[chapter] = said[5] or None
        return list(last.items())


def _said(uid: str, row: Row) -> Said:
    _, _, value, chapter, scene, start, ordinal, _ = row
    return (chapter, scene, start, ordinal, uid, value or "")  # type: ignore[return-value]


def _reaches(span: Span) -> int:
    return _ENDLESS if span.end is None else span.end


PUBLICATION_COLUMNS = ("story", "first_position", "last_position", "correlation", "recorded_at")


def publication_row(publication: PublicationEvents) -> Row:
    return (
        publication.story,
        publication.first_position,
        publication.last_position,
        publication.correlation,
        publication.recorded_at.isoformat(),
    )
