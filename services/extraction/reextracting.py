"""Reading chapters anew, with another prompt, model or extractor: what that would change, and then the change itself.

A re-extraction is a publication of the text that is there with other records. What was previewed is what is published:
the records go into the publication, so nobody reads the text a second time, whoever takes it in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from events.chapters import REEXTRACTION, Publication, PublicationRequest, Reextraction
from events.domain_events import (
    Json,
    RecordAsserted,
    RecordCarried,
    RecordInvalidated,
    RecordReinstated,
    RecordStated,
    StoryEvent,
)
from events.errors import FabulaError, Unavailable, UnknownChapter, UnknownStory
from events.ledger import Ledger
from events.publications import PublicationRow
from events.rehearsing import Rehearsal
from events.story_index import StoryIndex
from services.documents import Document
from services.extraction.extractors import Extractor, read
from services.extraction.handling import unstamped, usable

HANDED_IN: Final = "its records were handed in; publish it with others"


@dataclass(frozen=True, slots=True)
class Reread:
    """A chapter as it would be published: the text that is there, the records found now, and what read each."""

    base: Publication
    text: str
    records: list[dict[str, Any]]
    provenance: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What reading chapters anew would do. Nothing of it is written. `skipped` says by chapter why it was not read."""

    story: str
    extractor: str
    rereads: tuple[Reread, ...]
    skipped: Mapping[int, str]
    rehearsal: Rehearsal
    unchanged: frozenset[int] = field(default_factory=frozenset)
    """Chapters in which the same was found, to the letter: there is nothing to publish of them."""
    former: Mapping[str, Json] = field(default_factory=dict)
    """What the records of the story say now, by uid."""

    @property
    def changed(self) -> list[Reread]:
        return [each for each in self.rereads if each.base.chapter not in self.unchanged]

    def requests(self) -> list[PublicationRequest]:
        """What has to be published, in chapter order."""
        return [_request(each, self.extractor) for each in self.changed]

    def to_json(self) -> Document:
        """By chapter the records gone, new and kept, and the keys whose value is another from there on."""
        keys = self.rehearsal.changed()
        touched = {e.chapter for e in self.rehearsal.events if isinstance(e, RecordStated | RecordInvalidated)}
        touched |= {e.chapter for e in self.rehearsal.events if isinstance(e, RecordReinstated)}
        chapters = sorted({*touched, *keys, *(each.base.chapter for each in self.rereads)})
        read_anew = {each.base.chapter for each in self.rereads}
        return {
            "story": self.story,
            "extractor": self.extractor,
            "chapters": [
                {
                    "chapter": chapter,
                    "read": chapter in read_anew,
                    "unchanged": chapter in self.unchanged,
                    **_records(chapter, self.rehearsal.events, self.former),
                    "keys": [{"key": key, "before": old, "after": new} for key, old, new in keys.get(chapter, ())],
                }
                for chapter in chapters
            ],
            "skipped": [{"chapter": chapter, "reason": reason} for chapter, reason in sorted(self.skipped.items())],
        }


def propose(
    ledger: Ledger,
    extractor: Extractor,
    story: str,
    chapters: Sequence[int] | None,
    told: Callable[[int], None] = lambda _: None,
) -> Proposal:
    """Read chapters (None: all that an extractor has read) anew and work out what publishing that would change.

    `told` hears of each chapter once it is read. Claude's replies are paid for here, and kept: proposing again, or going
    on after an outage, costs nothing. Raises `UnknownStory`, `UnknownChapter`, and what the extractor raises where a
    service did not answer; a chapter that it cannot read is skipped.
    """
    chosen = _chosen(ledger, story, chapters)
    rereads: list[Reread] = []
    skipped: dict[int, str] = {}
    for row in chosen:
        chapter = row.publication.chapter
        text = ledger.text(row.publication.text_hash) if row.publication.text_hash else ""
        if (reason := _not_to_be_read(row, text)) is not None:
            skipped[chapter] = reason
            continue
        try:
            found = (
                read(extractor, story, text, chapter=chapter, language=row.publication.language) if text.strip() else []
            )
        except Unavailable:
            raise
        except FabulaError as error:
            skipped[chapter] = f"it could not be read: {error}"
            continue
        bare, provenance = unstamped(found, extractor.name)
        rereads.append(Reread(row.publication, text, usable(bare, row.publication), provenance))
        told(chapter)
    planned = [(_planned(each, extractor.name, n), each.records) for n, each in enumerate(rereads, start=1)]
    rehearsal = ledger.rehearse(story, planned)
    proposal = Proposal(
        story=story, extractor=extractor.name, rereads=tuple(rereads), skipped=skipped, rehearsal=rehearsal
    )
    index = ledger.index_of(story)
    revisions = [revision for chapter in index.chapters if (revision := index.current(chapter)) is not None]
    former = {entry.uid: entry.payload for revision in revisions for entry in revision.entries}
    return replace(proposal, former=former, unchanged=_unchanged(proposal, index))


def _chosen(ledger: Ledger, story: str, chapters: Sequence[int] | None) -> list[PublicationRow]:
    rows = ledger.latest(story)
    if not rows:
        raise UnknownStory(f"Nothing was ever published to {story!r}; `fabula stories` lists what there is.")
    if chapters is None:
        # those whose records were handed in, or that are withdrawn, are not meant by "all"
        return [row for row in rows if row.publication.action == "publish" and not _is_handed_in(row.publication)]
    there = {row.publication.chapter: row for row in rows}
    if missing := [chapter for chapter in chapters if chapter not in there]:
        raise UnknownChapter(
            f"{story} has no chapter {missing[0]}; look at its chapters with `fabula timeline {story}`."
        )
    return [there[chapter] for chapter in sorted(set(chapters))]


def _is_handed_in(publication: Publication) -> bool:
    return publication.records is not None and publication.reextraction is None


def _not_to_be_read(row: PublicationRow, text: str) -> str | None:
    if row.publication.action == "retract":
        return "it is withdrawn"
    if row.status == "accepted":
        return "it waits to be taken in; see `fabula status`"
    if row.status != "appended":
        return "it could not be read; retry its dead letter (`fabula dead-letters`), or publish it again"
    if _is_handed_in(row.publication):
        return HANDED_IN
    return None if text else "its text was erased"


def _planned(each: Reread, extractor: str, ahead: int) -> Publication:
    """The publication as it will be, for looking at what it would do: its number is a later one than any there is."""
    request = _request(each, extractor)
    last = 2**40  # no story has so many; the real number is given when it is published
    return replace(
        each.base,
        sequence=last + ahead,
        revision=each.base.revision + 1,
        decision=request.decision,
        records=each.records,
    )


def _request(each: Reread, extractor: str) -> PublicationRequest:
    told = Reextraction(of=each.base.sequence, extractor=extractor, provenance=each.provenance)
    return PublicationRequest(
        story=each.base.story,
        chapter=each.base.chapter,
        action="publish",
        text=each.text,
        title=each.base.title,
        language=each.base.language,
        records=list(each.records),
        decision={REEXTRACTION: told.to_json()},
    )


def _records(chapter: int, events: Sequence[StoryEvent], former: Mapping[str, Json]) -> Document:
    """What becomes of the chapter's records; `lost` and `regained` are those that fall or rise for what happens elsewhere."""
    own = [e for e in events if e.chapter == chapter]
    stated = {e.uid: e for e in own if isinstance(e, RecordStated)}
    dead = {e.uid for e in own if isinstance(e, RecordInvalidated)}
    gone = [e for e in own if isinstance(e, RecordInvalidated) and e.reason == "superseded_extraction"]
    lost = [e for e in own if isinstance(e, RecordInvalidated) and e.uid not in stated and e not in gone]
    new = [e for e in stated.values() if isinstance(e, RecordAsserted)]
    return {
        "gone": [{"record": e.record, "says": former.get(e.uid)} for e in gone],
        "new": [{"record": e.record, "says": e.payload, "live": e.uid not in dead} for e in new],
        "kept": sum(isinstance(e, RecordCarried) for e in stated.values()),
        "lost": [{"record": e.record, "says": former.get(e.uid), "reason": e.reason} for e in lost],
        "regained": [{"record": e.record, "says": former.get(e.uid)} for e in own if isinstance(e, RecordReinstated)],
    }


def _unchanged(proposal: Proposal, index: StoryIndex) -> frozenset[int]:
    """The chapters whose records are the same as before in content, wording, name and evidence."""
    found = set()
    for each in proposal.rereads:
        chapter = each.base.chapter
        current = index.current(chapter)
        before = {(e.local, _canonical(e.payload), e.evidence) for e in (current.entries if current else ())}
        stated = [e for e in proposal.rehearsal.events if e.chapter == chapter and isinstance(e, RecordStated)]
        if before == {(e.record.partition(":")[2], _canonical(e.payload), e.evidence) for e in stated}:
            found.add(chapter)
    return frozenset(found)


def _canonical(payload: Json) -> bytes:
    return orjson.dumps(payload, option=orjson.OPT_SORT_KEYS)
