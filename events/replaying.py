"""From the events of a story back to its index: the publications are read out of them and taken in again, in log order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from events.domain_events import (
    ChapterPublished,
    ChapterRetracted,
    CheckpointNamed,
    EntitiesMerged,
    EntitiesSplit,
    FindingExempted,
    RecordStated,
    StoryEvent,
    ThreadDue,
)
from events.revisions import Entry, RevisionState, entry_of
from events.story_index import StoryIndex


@dataclass(slots=True)
class Publication:
    """The events of one publication: what it began with, and the records its revision has."""

    first: StoryEvent
    last_version: int
    stated: list[RecordStated] = field(default_factory=list)


def replay(index: StoryIndex, events: Iterable[StoryEvent]) -> None:
    """Takes in everything the events tell of. The index must have taken in all that comes before them."""
    for publication in _publications(events):
        _take(index, publication)
        index.version = publication.last_version
        index.told_at = max(index.told_at, publication.first.recorded_at)


def _publications(events: Iterable[StoryEvent]) -> Iterator[Publication]:
    current: Publication | None = None
    for event in events:
        if current is None or event.correlation != current.first.correlation:
            if current is not None:
                yield current
            current = Publication(event, event.version)
        current.last_version = event.version
        if isinstance(event, RecordStated):
            current.stated.append(event)
    if current is not None:
        yield current


def _take(index: StoryIndex, publication: Publication) -> None:
    first = publication.first
    if isinstance(first, ChapterPublished):
        entries = [_entry(first, stated) for stated in publication.stated]
        entries.sort(key=lambda e: e.place)
        revision = RevisionState(first.sequence, first.revision, first.text_hash, entries)
        index.take(first.chapter, revision)
    elif isinstance(first, ChapterRetracted):
        index.take(first.chapter, RevisionState(first.sequence, first.revision, None, retracted=True))
    elif isinstance(first, EntitiesMerged):
        index.decide(first.sequence, {"merge": [first.a, first.b], "since": first.since})
    elif isinstance(first, EntitiesSplit):
        index.decide(first.sequence, {"split": first.alias, "names": list(first.names)})
    elif isinstance(first, CheckpointNamed | ThreadDue | FindingExempted):
        index.note(first.sequence)


def _entry(first: ChapterPublished, stated: RecordStated) -> Entry:
    local = stated.record.partition(":")[2]
    record = {**stated.payload, "id": local}
    at = (first.chapter, first.sequence, first.revision)
    return entry_of(record, stated.evidence, stated.order.ordinal, at)
