"""How events are stored: explicit topics, a version in every state, compact JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from itertools import starmap
from typing import Any, Final, cast

import orjson
from eventsourcing.persistence import Mapper, StoredEvent, Transcoder
from eventsourcing.utils import register_topic

from events.domain_events import EVENT_TYPES, Mention, Order, Setting, StoryEvent, Term, UnrecognisedEvent
from events.ids import Chapter, PublicationId
from events.upcasting import upcast

_TYPES: Final[dict[str, type[StoryEvent]]] = {event.TOPIC: event for event in EVENT_TYPES}
_FIELDS: Final[dict[type[StoryEvent], tuple[str, ...]]] = {
    event: tuple(f.name for f in fields(event) if f.name not in ("story", "version")) for event in EVENT_TYPES
}
for _event in EVENT_TYPES:
    register_topic(_event.TOPIC, _event)


def _plain(value: Any) -> Any:
    match value:
        case Mention():
            return (value.slot, value.entity, value.surface)
        case Term():
            return (value.key, value.text, 1) if value.entity else (value.key, value.text)
        case Setting():
            return (value.functor, value.args, value.value, value.arrow)
        case Order():
            return (value.scene, value.start, value.ordinal)
    raise TypeError(f"{type(value).__name__} cannot be stored")


def _term(data: list[Any]) -> Term:
    return Term(data[0], data[1], len(data) > 2)


def _setting(data: list[Any]) -> Setting:
    functor, args, value, arrow = data
    return Setting(functor, tuple(map(_term, args)), None if value is None else _term(value), arrow)


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    "recorded_at": datetime.fromisoformat,
    "mentions": lambda items: tuple(starmap(Mention, items)),
    "settings": lambda items: tuple(map(_setting, items)),
    "order": lambda item: Order(*item),
    "evidence": lambda items: tuple(map(tuple, items)),
    "rejected": tuple,
    "warnings": tuple,
    "names": tuple,
    "review": tuple,
}
_READERS: Final = {event: tuple(f for f in _FIELDS[event] if f in _READ) for event in EVENT_TYPES}


def encode(event: StoryEvent) -> bytes:
    state = {name: getattr(event, name) for name in _FIELDS[type(event)]}
    state["v"] = event.VERSION
    return orjson.dumps(state, default=_plain, option=orjson.OPT_PASSTHROUGH_DATACLASS)


def decode(story: str, version: int, topic: str, state: bytes) -> StoryEvent:
    """The event as the code knows it; `UnrecognisedEvent` for a topic or version of a newer release."""
    data = orjson.loads(state)
    stored = data.pop("v", 1)
    event = _TYPES.get(topic)
    if event is None or stored > event.VERSION:
        return UnrecognisedEvent(
            story=story,
            version=version,
            recorded_at=datetime.fromisoformat(data["recorded_at"]),
            correlation=PublicationId(data.get("correlation", "")),
            caused_by=data.get("caused_by"),
            chapter=Chapter(data.get("chapter", 0)),
            topic=topic,
        )
    if stored < event.VERSION:
        data = upcast(topic, stored, data, event.VERSION)
    for name in _READERS[event]:
        data[name] = _READ[name](data[name])
    return event(story=story, version=version, **data)


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
