"""Reading the log: the events of one story or of all, with their positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import psycopg
from eventsourcing.persistence import StoredEvent
from psycopg_pool import ConnectionPool

from events.bookkeeping import Bookkeeping
from events.domain_events import Recorded, StoryEvent
from events.errors import UnknownStory
from events.log import Log


class LogReading(Bookkeeping):
    """The log of one database, and what is known beside it of texts and publications."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[Any]], clock: Callable[[], datetime], log: Log) -> None:
        super().__init__(pool, clock)
        self._log = log

    def events_after(self, position: int, limit: int) -> list[Recorded]:
        """The next events of the log in order of position, those of all stories."""
        found = self._log.recorder.select_notifications(position, limit, inclusive_of_start=False)
        return [Recorded(n.id, self._event(n)) for n in found]

    def story_events(self, story: str, after_version: int = 0, page: int = 5000) -> Iterator[Recorded]:
        """The events of one story in order, with their positions."""
        while True:
            with self._pool.connection() as conn:
                rows = conn.execute(
                    "SELECT notification_id, originator_version, topic, state FROM ledger.stored_events "
                    "WHERE originator_id = %s AND originator_version > %s ORDER BY originator_version LIMIT %s",
                    (story, after_version, page),
                ).fetchall()
            for position, version, topic, state in rows:
                yield Recorded(position, self._event(StoredEvent(story, version, topic, bytes(state))))
            if len(rows) < page:
                return
            after_version = rows[-1][1]

    def last_position(self) -> int:
        """The position of the last committed event; 0 in an empty log."""
        # not by the library's connections: it asks ten times before it says that nobody answers
        with self._pool.connection() as conn:
            row = conn.execute("SELECT max(notification_id) FROM ledger.stored_events").fetchone()
        return (row and row[0]) or 0

    def stories(self) -> list[str]:
        with self._pool.connection() as conn:
            rows = conn.execute("SELECT DISTINCT story FROM ledger.publications WHERE status = 'appended' ORDER BY 1")
            return [row[0] for row in rows.fetchall()]

    def require(self, story: str) -> None:
        """Raises `UnknownStory` unless something of the story is in the log."""
        with self._pool.connection() as conn:
            found = conn.execute("SELECT 1 FROM ledger.stored_events WHERE originator_id = %s LIMIT 1", (story,))
            if found.fetchone() is None:
                raise UnknownStory(f"Nothing was ever published to {story!r}; `fabula stories` lists what there is.")

    def _stream(self, story: str, version: int) -> Iterator[StoryEvent]:
        return (recorded.event for recorded in self.story_events(story, version))

    def _event(self, stored: StoredEvent) -> StoryEvent:
        event: StoryEvent = self._log.mapper.to_domain_event(stored)  # type: ignore[assignment]
        return event
