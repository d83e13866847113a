"""Which chapters of a source the extractor will be asked to read."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.composition import Application
    from services.extraction.reading_ahead import Unread
    from services.publishing.importing import Source


def unread(application: Application, story: str, source: Source, language: str) -> list[Unread]:
    """The chapters that the extractor will be asked to read, in order."""
    from events.errors import FabulaError
    from services.extraction.reading_ahead import Unread
    from services.publishing.chapters import taken_in

    there = taken_in(application.ledger, story)
    found = []
    for each in source.chapters:
        if each.records is not None:
            continue
        with suppress(FabulaError):  # what cannot be published is refused in its turn
            request = application.publisher.request(story, each.number, each.text, title=each.title, language=language)
            if there.get(request.chapter) != request.content_hash:
                found.append(Unread(request.chapter, request.text or "", request.language))
    return found
