"""The story state of one story followed from publication to publication, in memory: the one way its rows come and go.

A rebuild follows it from the beginning (`bulk`), a runner from where it stands (`batches`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from events.domain_events import ChapterPublished, ChapterRetracted, CheckpointNamed
from projections.facets import FacetChange, Row, since
from projections.publications import PublicationEvents
from projections.record_fold import RecordFold, until
from projections.record_versions import RECORDS
from projections.record_view import RecordView
from projections.story_state.assertions import ASSERTIONS, entities_of_keys
from projections.story_state.key_fold import KeyFold, said_of
from projections.story_state.rows import (
    CHAPTER_COLUMNS,
    CHECKPOINT_COLUMNS,
    INTERVAL_COLUMNS,
    PUBLICATION_COLUMNS,
    chapter_row,
    interval_row,
    key_changes,
    publication_row,
)
from projections.tables import Tables

_RECORDED: Final = CHAPTER_COLUMNS.index("recorded")


class StoryFold:
    """The story state of one story, followed from publication to publication: `take` the records, then `refold` the keys.

    What is in the tables already has to be recalled: by `heads` the records that the publications name, by `keys` those
    whose assertions they change.
    """

    def __init__(self, story: str, tables: Tables, heads: Mapping[str, RecordView] | None = None) -> None:
        self._story = story
        self._writing = tables
        self._publications = tables.table("publications", PUBLICATION_COLUMNS)
        self._positions = tables.table("chapter_positions", ("story", "position", "chapter"))
        self._revisions = tables.table("chapters", CHAPTER_COLUMNS, {"story": "text", "chapter": "int"})
        self._named = tables.table("checkpoints", CHECKPOINT_COLUMNS, {"story": "text", "name": "text"})
        self._intervals = tables.table("intervals", INTERVAL_COLUMNS, {"id": "bigint"})
        self._key_entities = tables.table("key_entities", ("story", "entity", "node_key"), unique=True)
        self._records = RecordFold(story, (RECORDS, ASSERTIONS), tables, heads)
        self.keys: dict[str, KeyFold] = {}
        self._entities: set[tuple[str, str]] = set()
        self._chapters: dict[int, tuple[Row, int]] = {}
        self._checkpoints: dict[str, tuple[int, int]] = {}

    def take(self, publication: PublicationEvents) -> list[FacetChange]:
        """What the publication changed in the assertions, which `refold` is due next, before another is refolded."""
        self._place(publication)
        changed, by_table = self._records.take(publication)
        for entity, key in entities_of_keys([c.after for c in changed if c.after.live]):
            if (entity, key) not in self._entities:
                self._entities.add((entity, key))
                self._key_entities.rows.append((self._story, entity, key))
        return by_table[ASSERTIONS.table]

    def refold(self, asserted: Sequence[FacetChange], position: int) -> None:
        """Bring the intervals up to date."""
        self._say(asserted)
        for change in key_changes(asserted):
            for span, origin in self.keys[change.node_key].refold(change, position):
                if origin < 0:
                    self._writing.end(self._intervals, position, -origin)
                else:
                    recorded = until(origin, position)
                    self._intervals.rows.append(interval_row(self._story, change.node_key, span, recorded))

    def finish(self) -> None:
        """Write what still holds."""
        self._records.finish()
        for key, fold in self.keys.items():
            self._intervals.rows += [interval_row(self._story, key, s, since(start)) for s, start in fold.opened()]
        self._revisions.rows += [row for row, _ in self._chapters.values()]
        self._named.rows += [(self._story, name, since(start), at) for name, (at, start) in self._checkpoints.items()]

    def _say(self, asserted: Iterable[FacetChange]) -> None:
        """Bring what is said of the keys up to date."""
        for change in asserted:
            for row in change.before:
                self.keys[str(row[0])].unsay(said_of(change.uid, row))
            for row in change.after:
                key = str(row[0])
                fold = self.keys.get(key)
                if fold is None:
                    fold = self.keys[key] = KeyFold()
                fold.say(said_of(change.uid, row))

    def _place(self, publication: PublicationEvents) -> None:
        """Where the publication lies in the log, what became of chapters, and what got a name."""
        story, position = self._story, publication.last_position
        self._publications.rows.append(publication_row(publication))
        self._positions.rows += [(story, place, chapter) for chapter, place in publication.chapter_positions().items()]
        for recorded in publication.events:
            match recorded.event:
                case ChapterPublished() | ChapterRetracted() as event:
                    row = chapter_row(event, recorded.position, position)
                    if event.superseded:
                        self._revisions.rows.append(row)
                    else:
                        self._end_revision(event.chapter, position)
                        self._chapters[event.chapter] = (row, position)
                case CheckpointNamed() as event:
                    self._name(event.name, event.at, position)

    def _end_revision(self, chapter: int, position: int) -> None:
        if chapter in self._chapters:
            row, start = self._chapters.pop(chapter)
            self._revisions.rows.append((*row[:_RECORDED], until(start, position), *row[_RECORDED + 1 :]))
        else:
            self._writing.end(self._revisions, position, self._story, chapter)

    def _name(self, name: str, at: int, position: int) -> None:
        if name in self._checkpoints:
            former, start = self._checkpoints[name]
            self._named.rows.append((self._story, name, until(start, position), former))
        else:
            self._writing.end(self._named, position, self._story, name)
        self._checkpoints[name] = (at, position)
