"""A publication as it would be registered: checked as `publish` checks it, with the numbers it would get, and not kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from events.chapters import Publication, PublicationRequest
from events.domain_events import Json
from events.errors import UnknownChapter
from events.ledger import Ledger
from services.extraction.extractors import Extractor, read
from services.extraction.handling import SIDECAR, unstamped, usable
from services.publishing import validation
from services.publishing.gateway import Publisher


@dataclass(frozen=True, slots=True)
class Plan:
    """A publication that might be, with what would be taken in. `unchanged`: the chapter says exactly this already."""

    publication: Publication
    text: str
    records: list[dict[str, Any]]
    extractor: str
    provenance: Mapping[str, Json]
    unchanged: bool


def edit(
    ledger: Ledger,
    extractor: Extractor,
    story: str,
    chapter: int,
    text: str,
    *,
    records: Json = None,
    title: str | None = None,
    language: str = "en",
) -> Plan:
    """The publication of a chapter, or of its next revision. Without `records` the extractor reads the text.

    Raises `UnknownStory`, and what `publish` raises before anything is written.
    """
    request = Publisher.request(story, chapter, text, title=title, records=records, language=language)
    ledger.require(request.story)
    foreseen = ledger.foresee(request)
    publication, unchanged = foreseen.publication, foreseen.unchanged
    body = request.text or ""
    if request.records is not None:
        return Plan(publication, body, request.records, SIDECAR, {}, unchanged)
    if unchanged or not body.strip():  # nothing is to be read, and no model call wasted
        return Plan(publication, body, [], extractor.name, {}, unchanged)
    found = read(extractor, request.story, body, chapter=request.chapter, language=language)
    bare, provenance = unstamped(found, extractor.name)
    return Plan(publication, body, usable(bare, publication), extractor.name, provenance, unchanged)


def retraction(ledger: Ledger, story: str, chapter: int) -> Plan:
    """The withdrawal of a chapter. Raises `UnknownStory`, `UnknownChapter`."""
    request = PublicationRequest(
        story=validation.story_id(story), chapter=validation.chapter_number(chapter), action="retract"
    )
    ledger.require(request.story)
    foreseen = ledger.foresee(request)
    publication, unchanged = foreseen.publication, foreseen.unchanged
    if publication.revision == 1:
        raise UnknownChapter(f"{story} has no chapter {chapter}; look at its chapters with `fabula timeline {story}`.")
    return Plan(publication, "", [], SIDECAR, {}, unchanged)
