"""Publications in the log: the unit in which belief changes. A read model never shows half of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TypeVar

from events.domain_events import EVENT_TYPES, CheckpointNamed, Recorded
from events.stored import Asserted, StoredEvent
from projections.projection import Log

E = TypeVar("E", Recorded, StoredEvent)
_FIRST_PAGE = 64
"""How far to look for a publication's end at first; further each time, since few are long."""


@dataclass(frozen=True, slots=True)
class PublicationEvents:
    """The events of one publication, contiguous in the log and appended in one transaction."""

    story: str
    correlation: str
    events: tuple[Recorded, ...]

    @property
    def first_position(self) -> int:
        return self.events[0].position

    @property
    def last_position(self) -> int:
        return self.events[-1].position

    @property
    def recorded_at(self) -> datetime:
        return self.events[-1].event.recorded_at

    def chapter_positions(self) -> dict[int, int]:
        """The position of the last event of each chapter (0: the whole story). Naming a checkpoint concerns no chapter."""
        return {r.event.chapter: r.position for r in self.events if not isinstance(r.event, CheckpointNamed)}


def publications(batch: Iterable[Recorded]) -> Iterator[PublicationEvents]:
    """The publications in a run of whole publications."""
    for (story, correlation), events in groupby(batch, lambda r: (r.event.story, r.event.correlation)):
        yield PublicationEvents(story, correlation, tuple(events))


def whole_publications(log: Log, after: int, limit: int) -> list[Recorded]:
    """About `limit` events after a position, never ending inside a publication."""
    return whole(log.events_after, after, limit)


def whole(read: Callable[[int, int], list[E]], after: int, limit: int) -> list[E]:
    """What `read` gives after a position, about `limit` events of it, never ending inside a publication.

    What is committed is committed whole, so a run shorter than asked for ends with a whole publication.
    """
    batch = read(after, limit)
    full, page = len(batch) >= limit, _FIRST_PAGE
    while full:
        more = read(batch[-1].position, page)
        own = _leading(more, told_in(batch[-1]))
        batch.extend(more[:own])
        full, page = own == len(more) >= page, page * 2
    return batch


def told_in(each: StoredEvent) -> tuple[str, str]:
    """The story of an event, and the correlation of its publication."""
    if isinstance(each, Asserted):
        return each.story, each.state.correlation
    return each.event.story, each.event.correlation


def _leading(events: Sequence[StoredEvent], of: tuple[str, str]) -> int:
    for index, each in enumerate(events):
        if told_in(each) != of:
            return index
    return len(events)


def is_known(each: StoredEvent) -> bool:
    """Whether this program knows the event's type; a newer program may have written it."""
    return isinstance(each, Asserted) or isinstance(each.event, EVENT_TYPES)
