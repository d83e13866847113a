"""Where publications lie in the log, and what became of a story's chapters and of the names of its checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from events.domain_events import ChapterPublished, ChapterRetracted, CheckpointNamed
from projections.facets import Row, since
from projections.publications import PublicationEvents
from projections.record_fold import until
from projections.stored_publications import StoredPublication
from projections.story_state.rows import (
    CHAPTER_COLUMNS,
    CHECKPOINT_COLUMNS,
    PUBLICATION_COLUMNS,
    chapter_row,
    publication_row,
)
from projections.tables import Tables

_RECORDED: Final = CHAPTER_COLUMNS.index("recorded")


class PlaceFold:
    """What publications tell of the story itself, followed from one to the next."""

    def __init__(self, story: str, tables: Tables) -> None:
        self._story = story
        self._writing = tables
        self._publications = tables.table("publications", PUBLICATION_COLUMNS)
        self._positions = tables.table("chapter_positions", ("story", "position", "chapter"))
        self._revisions = tables.table("chapters", CHAPTER_COLUMNS, {"story": "text", "chapter": "int"})
        self._named = tables.table("checkpoints", CHECKPOINT_COLUMNS, {"story": "text", "name": "text"})
        self._chapters: dict[int, tuple[Row, int]] = {}
        self._checkpoints: dict[str, tuple[int, int]] = {}

    def take(self, publication: PublicationEvents | StoredPublication, positions: Mapping[int, int]) -> None:
        """The next publication, with the position of the last event of each chapter."""
        story, position = self._story, publication.last_position
        self._publications.rows.append(publication_row(publication))
        self._positions.rows += [(story, place, chapter) for chapter, place in positions.items()]
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

    def finish(self) -> None:
        """Write what still holds."""
        self._revisions.rows += [row for row, _ in self._chapters.values()]
        self._named.rows += [(self._story, name, since(start), at) for name, (at, start) in self._checkpoints.items()]

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
