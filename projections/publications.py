"""Publications in the log: the unit in which belief changes. A read model never shows half of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from events.domain_events import EVENT_TYPES, CheckpointNamed, Recorded
from projections.projection import Log

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
    """About `limit` events after a position, never ending inside a publication.

    What is committed is committed whole, so a run shorter than asked for ends with a whole publication.
    """
    batch = log.events_after(after, limit)
    full, page = len(batch) >= limit, _FIRST_PAGE
    while full:
        more = log.events_after(batch[-1].position, page)
        own = _leading(more, batch[-1].event.correlation, batch[-1].event.story)
        batch.extend(more[:own])
        full, page = own == len(more) >= page, page * 2
    return batch


def _leading(events: list[Recorded], correlation: str, story: str) -> int:
    for index, recorded in enumerate(events):
        if recorded.event.correlation != correlation or recorded.event.story != story:
            return index
    return len(events)


def is_known(recorded: Recorded) -> bool:
    """Whether this program knows the event's type; a newer program may have written it."""
    return isinstance(recorded.event, EVENT_TYPES)
