"""Publishing the chapters of a story one after the other, while those that have to be read are read ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from services.composition.application import Application
    from services.extraction.reading_ahead import Unread


class Told(Protocol):
    """A chapter as it is published; `records` None: the extractor reads it."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def records(self) -> Any: ...


def publish_in_order(
    application: Application, story: str, chapters: Sequence[Told], language: str = "en"
) -> Iterator[dict[str, Any]]:
    """Publish each without waiting for it; its reply (see `Publisher.publish`), before the next is published.

    Raises what publishing raises, and ends with it.
    """
    with application.reading_ahead(unread(application, story, chapters, language)):
        for each in chapters:
            yield application.publisher.publish(
                story, each.number, each.text, title=each.title, records=each.records, language=language, wait=False
            )


def unread(application: Application, story: str, chapters: Sequence[Told], language: str) -> list[Unread]:
    """The chapters that the extractor will be asked to read, in order."""
    from events.errors import FabulaError
    from services.extraction.reading_ahead import Unread
    from services.publishing.chapters import taken_in

    there = taken_in(application.ledger, story)
    found = []
    for each in chapters:
        if each.records is not None:
            continue
        with suppress(FabulaError):  # what cannot be published is refused in its turn
            request = application.publisher.request(story, each.number, each.text, title=each.title, language=language)
            if there.get(request.chapter) != request.content_hash:
                found.append(Unread(request.chapter, request.text or "", request.language))
    return found
