"""The log as a rebuild reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from events.domain_events import Recorded
from events.stored import StoredEvent, StoredLog, StorySize
from projections.errors import RebuildCancelled, UnknownEventType
from projections.projection import Log
from projections.publications import is_known

_CHECK_EVERY: Final = 2_000


def unknown_event(recorded: Recorded) -> UnknownEventType:
    topic = getattr(recorded.event, "topic", type(recorded.event).__name__)
    return UnknownEventType(str(topic), recorded.position)


def refuse_unknown(batch: Iterable[StoredEvent]) -> None:
    for each in batch:
        if isinstance(each, Recorded) and not is_known(each):
            raise unknown_event(each)


class WatchedStoredLog:
    """The log as it is stored, for a bulk rebuild: it ends the rebuild when asked to, and refuses events it cannot place."""

    def __init__(self, log: StoredLog, name: str, cancelled: Callable[[], bool]) -> None:
        self._log = log
        self._name = name
        self._cancelled = cancelled

    def sizes(self) -> Mapping[str, StorySize]:
        return self._log.sizes()

    def told_again(self, story: str) -> Sequence[str]:
        return self._log.told_again(story)

    def pages(self, story: str) -> Iterator[list[StoredEvent]]:
        """The events of a story in order, some thousand at a time."""
        for page in self._log.pages(story):
            self.check()
            refuse_unknown(page)
            yield page

    def check(self) -> None:
        """Raises RebuildCancelled once the rebuild is called off."""
        if self._cancelled():
            raise RebuildCancelled(self._name)


class CancellableLog:
    """The log for a bulk rebuild, as `WatchedStoredLog`. `stored` reads the same log as it is stored, where it is."""

    def __init__(self, log: Log, name: str, cancelled: Callable[[], bool], stored: StoredLog | None = None) -> None:
        self.stored = None if stored is None else WatchedStoredLog(stored, name, cancelled)
        self._log = log
        self._name = name
        self._cancelled = cancelled

    def events_after(self, position: int, limit: int) -> list[Recorded]:
        self.check()
        batch = self._log.events_after(position, limit)
        refuse_unknown(batch)
        return batch

    def story_events(self, story: str, after_version: int = 0) -> Iterator[Recorded]:
        for number, recorded in enumerate(self._log.story_events(story, after_version)):
            if number % _CHECK_EVERY == 0:
                self.check()
            if not is_known(recorded):
                raise unknown_event(recorded)
            yield recorded

    def last_position(self) -> int:
        return self._log.last_position()

    def stories(self) -> list[str]:
        return self._log.stories()

    def check(self) -> None:
        """Raises RebuildCancelled once the rebuild is called off."""
        if self._cancelled():
            raise RebuildCancelled(self._name)


Source: TypeAlias = Log | WatchedStoredLog
"""What a bulk rebuild reads: any log, or a stored one."""
