"""Between our events and the library's stored ones."""

from __future__ import annotations

from typing import Any, cast

from eventsourcing.persistence import Mapper, StoredEvent, Transcoder
from eventsourcing.utils import register_topic

from events.domain_events import EVENT_TYPES, StoryEvent
from events.wire import decode, encode

for _event in EVENT_TYPES:
    register_topic(_event.TOPIC, _event)


class StoryMapper(Mapper[str]):
    """Maps domain events to stored ones by their explicit topics."""

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        event = cast(StoryEvent, domain_event)
        return StoredEvent(event.story, event.version, event.TOPIC, encode(event))

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        story = cast(str, stored_event.originator_id)
        return decode(story, stored_event.originator_version, stored_event.topic, stored_event.state)


class NoTranscoder(Transcoder):
    """The mapper encodes whole events itself; nothing is transcoded piecemeal."""

    def encode(self, obj: Any) -> bytes:
        raise NotImplementedError("events are encoded whole")

    def decode(self, data: bytes) -> Any:
        raise NotImplementedError("events are decoded whole")
