"""The rows of the story state's tables, and which of a key's chapters have to be folded again."""

from __future__ import annotations

from events.domain_events import ChapterPublished, ChapterRetracted
from projections.facets import Row, since
from projections.publications import PublicationEvents
from projections.stored_publications import StoredPublication
from projections.story_state.refolding import Span

PUBLICATION_COLUMNS = ("story", "first_position", "last_position", "correlation", "recorded_at")


def publication_row(publication: PublicationEvents | StoredPublication) -> Row:
    return (
        publication.story,
        publication.first_position,
        publication.last_position,
        publication.correlation,
        publication.recorded_at.isoformat(),
    )


CHAPTER_COLUMNS = ("story", "chapter", "revision", "position", "recorded", "text_hash", "title", "length", "language")


def chapter_row(event: ChapterPublished | ChapterRetracted, at: int, position: int) -> tuple[str | int | None, ...]:
    recorded = "empty" if event.superseded else since(position)
    text = (
        (event.text_hash, event.title, event.length, event.language)
        if isinstance(event, ChapterPublished)
        else (None, None, None, None)
    )
    return (event.story, event.chapter, event.revision, at, recorded, *text)


CHECKPOINT_COLUMNS = ("story", "name", "recorded", "at")
KEY_ENTITY_COLUMNS = ("story", "entity", "node_key")
INTERVAL_COLUMNS = ("story", "node_key", "value_key", "valid", "recorded")


def interval_row(story: str, key: str, span: Span, recorded: str) -> Row:
    valid = f"[{span.start},{'' if span.end is None else span.end})"
    return (story, key, span.value, valid, recorded)
