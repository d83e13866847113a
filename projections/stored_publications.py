"""Publications with the records of which one event tells as plain data, and the events of the others.

A rebuild reads a story so, a runner a batch: of a record that is told of again in a later batch, its assertion is plain too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from events.domain_events import CheckpointNamed, Recorded, RecordEvent
from events.stored import Asserted, StoredEvent
from projections.once_asserted import OnceAsserted
from projections.parts import StoryPart
from projections.publications import PublicationEvents, publications, told_in
from projections.watched_log import CancellableLog, Source, WatchedStoredLog


@dataclass(frozen=True, slots=True)
class StoredPublication:
    """One publication of a story, with the records of one part.

    `asserted` are records of which nothing else is ever told. `events` are those of the others, and the events that
    concern no record. `chapter_positions` has the position of the last event of each chapter: see `PublicationEvents`.
    """

    story: str
    correlation: str
    first_position: int
    last_position: int
    recorded_at: datetime
    chapter_positions: dict[int, int]
    asserted: list[OnceAsserted]
    events: list[Recorded]


def stored_publications(log: Source, of: StoryPart, until: int) -> Iterator[StoredPublication]:
    """The publications of a story up to and including a position. A log that is not a stored one is read as a whole."""
    stored = log.stored if isinstance(log, CancellableLog) else log
    found = _read(stored, of) if isinstance(stored, WatchedStoredLog) else _told(log, of)
    for publication in found:
        if publication.last_position > until:
            return
        yield publication


def of_batch(batch: Sequence[StoredEvent]) -> list[StoredPublication]:
    """The publications of a run of whole ones, of any stories. Nothing in it may be of an unknown type."""
    again = {
        (each.event.story, each.event.uid) for each in batch
        if isinstance(each, Recorded) and isinstance(each.event, RecordEvent)
    }  # fmt: skip
    found = []
    for (story, correlation), events in groupby(batch, told_in):
        told = frozenset(uid for of, uid in again if of == story) if again else frozenset()
        found.append(_of_stored(StoryPart(story), correlation, list(events), told))
    return found


def of_events(batch: Iterable[Recorded]) -> list[StoredPublication]:
    """The same of events that are no plain data any more."""
    return [_of_events(publication) for publication in publications(batch)]


def _read(stored: WatchedStoredLog, of: StoryPart) -> Iterator[StoredPublication]:
    again = frozenset(filter(of.part.has, stored.told_again(of.story)))
    for correlation, events in _by_correlation(stored.pages(of.story)):
        yield _of_stored(of, correlation, events, again)


def _by_correlation(pages: Iterable[list[StoredEvent]]) -> Iterator[tuple[str, list[StoredEvent]]]:
    """The publications of one story."""
    current, run = "", list[StoredEvent]()
    for page in pages:
        for each in page:
            correlation = each.state.correlation if isinstance(each, Asserted) else each.event.correlation
            if correlation != current:
                if run:
                    yield current, run
                current, run = correlation, []
            run.append(each)
    if run:
        yield current, run


def _told(log: Source, of: StoryPart) -> Iterator[StoredPublication]:
    assert not isinstance(log, WatchedStoredLog), "a stored log is read as it is stored"
    assert of.part.of == 1, "only a stored log is read in parts"
    return map(_of_events, publications(log.story_events(of.story)))


def _of_events(publication: PublicationEvents) -> StoredPublication:
    return StoredPublication(
        publication.story, publication.correlation, publication.first_position, publication.last_position,
        publication.recorded_at, publication.chapter_positions(), [], list(publication.events),
    )  # fmt: skip


def _of_stored(of: StoryPart, correlation: str, stored: list[StoredEvent], again: frozenset[str]) -> StoredPublication:
    chapters: dict[int, int] = {}
    asserted: list[OnceAsserted] = []
    events: list[Recorded] = []
    whole = of.part.of == 1
    for each in stored:
        if isinstance(each, Asserted):
            state = each.state
            chapters[state.chapter] = each.position
            if again and state.uid in again:
                events.append(each.recorded())
            elif whole or of.part.has(state.uid):
                asserted.append(OnceAsserted(state))
        else:
            event = each.event
            if not isinstance(event, CheckpointNamed):
                chapters[event.chapter] = each.position
            if event.uid in again if isinstance(event, RecordEvent) else of.is_first:
                events.append(each)
    first, last = stored[0].position, stored[-1].position
    return StoredPublication(of.story, correlation, first, last, _moment(stored[-1]), chapters, asserted, events)


def _moment(each: StoredEvent) -> datetime:
    if isinstance(each, Asserted):
        return datetime.fromisoformat(each.state.recorded_at)
    return each.event.recorded_at
