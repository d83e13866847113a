"""The log as it is stored, for reading millions of events: assertions stay plain data until somebody needs the event.

Most events assert a record, and of most records nothing else is ever told. Reading needs a connection and no more, so a
process that only reads starts quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec
import orjson
from msgspec import Raw
from psycopg import Connection

from events.domain_events import EVENT_TYPES, RecordAsserted, Recorded, RecordEvent
from events.upcasting import upcast
from events.wire import decode

Connecting: TypeAlias = Callable[[], AbstractContextManager[Connection[Any]]]

PAGE: Final = 5_000
_ASSERTED: Final = RecordAsserted.TOPIC
_AGAIN: Final = [e.TOPIC for e in EVENT_TYPES if issubclass(e, RecordEvent) and e is not RecordAsserted]
"""The topics of what is told of a record after its assertion."""
_EVENTS: Final = (
    "SELECT notification_id, originator_version, topic, state FROM ledger.stored_events"
    " WHERE originator_id = %s AND originator_version > %s ORDER BY originator_version LIMIT %s"
)
_AFTER: Final = (
    "SELECT originator_id, notification_id, originator_version, topic, state FROM ledger.stored_events"
    " WHERE notification_id > %s ORDER BY notification_id LIMIT %s"
)
_TOLD_AGAIN: Final = (
    "SELECT DISTINCT convert_from(state, 'UTF8')::json ->> 'uid' FROM ledger.stored_events"
    " WHERE originator_id = %s AND topic = ANY(%s)"
)
_SIZES: Final = (
    "SELECT originator_id, count(*), count(*) FILTER (WHERE topic = ANY(%s)) FROM ledger.stored_events GROUP BY 1"
)


class AssertedState(msgspec.Struct, frozen=True, gc=False):
    """The stored state of a `RecordAsserted`, as far as most readers look into it; the rest is the JSON that it is."""

    recorded_at: str
    correlation: str
    chapter: int
    uid: str
    record: Raw
    revision: Raw
    kind: str
    payload: Raw
    evidence: Raw
    order: tuple[int, int, int]
    content: Raw
    mentions: Raw
    settings: Raw
    v: int = 1


class Asserted(msgspec.Struct, frozen=True, gc=False):
    """A `RecordAsserted` of the present version, as it is stored."""

    story: str
    position: int
    version: int
    state: AssertedState
    stored: bytes

    def recorded(self) -> Recorded:
        """The event itself."""
        return Recorded(self.position, decode(self.story, self.version, _ASSERTED, self.stored))


asserted_state: Final = msgspec.json.Decoder(AssertedState).decode
"""The state from its JSON. Raises msgspec.ValidationError where a field is missing or of another type."""

StoredEvent: TypeAlias = Recorded | Asserted


@dataclass(frozen=True, slots=True)
class StorySize:
    """How many events a story has, and how many of them tell of records that were asserted before."""

    events: int
    again: int


class StoredLog:
    """The log of one database. Only what is committed is seen."""

    def __init__(self, connecting: Connecting) -> None:
        self._connecting = connecting

    def sizes(self) -> dict[str, StorySize]:
        """The size of every story."""
        with self._connecting() as conn:
            return {story: StorySize(*counts) for story, *counts in conn.execute(_SIZES, (_AGAIN,))}

    def told_again(self, story: str) -> list[str]:
        """The uids of the records of which more is told than their assertion: a record is asserted once."""
        with self._connecting() as conn:
            return [row[0] for row in conn.execute(_TOLD_AGAIN, (story, _AGAIN))]

    def pages(self, story: str) -> Iterator[list[StoredEvent]]:
        """The events of a story in order, some thousand at a time."""
        version, full = 0, True
        while full:
            with self._connecting() as conn, conn.cursor(binary=True) as cursor:
                rows = cursor.execute(_EVENTS, (story, version, PAGE)).fetchall()
            yield [_read(story, *row) for row in rows]
            full = len(rows) == PAGE
            version = rows[-1][1] if rows else version

    def after(self, position: int, limit: int) -> list[StoredEvent]:
        """The next events of the log in order of position, those of all stories."""
        with self._connecting() as conn, conn.cursor(binary=True) as cursor:
            return [_read(*row) for row in cursor.execute(_AFTER, (position, limit)).fetchall()]


def _read(story: str, position: int, version: int, topic: str, state: bytes) -> StoredEvent:
    if topic != _ASSERTED:
        return Recorded(position, decode(story, version, topic, state))
    try:
        asserted = asserted_state(state)
    except msgspec.ValidationError:  # the state of another version need not have these fields
        asserted = None
    if asserted is None or asserted.v != RecordAsserted.VERSION:
        data = orjson.loads(state)
        stored = data.get("v", 1)
        if stored >= RecordAsserted.VERSION:
            return Recorded(position, decode(story, version, topic, state))
        state = orjson.dumps({**upcast(topic, stored, data, RecordAsserted.VERSION), "v": RecordAsserted.VERSION})
        asserted = asserted_state(state)
    return Asserted(story, position, version, asserted, state)
