"""How events are stored: explicit topics, a version in every state, compact JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import orjson

from events.domain_events import EVENT_TYPES, Mention, Order, Setting, StoryEvent, Term, UnrecognisedEvent
from events.ids import Chapter, PublicationId
from events.upcasting import State, upcast

_TYPES: Final[dict[str, type[StoryEvent]]] = {event.TOPIC: event for event in EVENT_TYPES}
_FIELDS: Final[dict[type[StoryEvent], tuple[str, ...]]] = {
    event: tuple(f.name for f in fields(event) if f.name not in ("story", "version")) for event in EVENT_TYPES
}
_KEPT: Final = 20_000
"""Terms and mentions that are kept to be used again: a story names the same people over and over."""


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


_term = lru_cache(_KEPT)(Term)
_mention = lru_cache(_KEPT)(Mention)


def mentions_of(items: Any) -> tuple[Mention, ...]:
    """Mentions from their stored form."""
    return tuple([_mention(*item) for item in items])


def settings_of(items: Any) -> tuple[Setting, ...]:
    """Settings from their stored form."""
    return tuple([_setting(*item) for item in items])


def spans_of(items: Any) -> tuple[tuple[int, int], ...]:
    """Evidence from its stored form."""
    return tuple([(start, end) for start, end in items])


def _setting(functor: str, args: list[Any], value: list[Any] | None, arrow: bool) -> Setting:
    given = None if value is None else _read_term(*value)
    return Setting(functor, tuple([_read_term(*arg) for arg in args]), given, arrow)


def _read_term(key: str, text: str, entity: Any = False) -> Term:
    return _term(key, text, bool(entity))


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    "recorded_at": datetime.fromisoformat,
    "mentions": mentions_of,
    "settings": settings_of,
    "order": lambda item: Order(*item),
    "evidence": spans_of,
    "rejected": tuple,
    "warnings": tuple,
    "names": tuple,
    "review": tuple,
}
_READERS: Final = {event: tuple(f for f in _FIELDS[event] if f in _READ) for event in EVENT_TYPES}


def encode(event: StoryEvent) -> bytes:
    state = {name: getattr(event, name) for name in _FIELDS[type(event)]}
    state["v"] = event.VERSION
    return stored_json(state)


def stored_json(value: Any) -> bytes:
    """A value as events store it: mentions, settings, terms and orders are arrays."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_PASSTHROUGH_DATACLASS)


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
    return event_of(event, story, version, data)


def event_of(event: type[StoryEvent], story: str, version: int, data: State) -> StoryEvent:
    """The event from the state that it is stored with, as the present version has it. The state is used up."""
    for name in _READERS[event]:
        data[name] = _READ[name](data[name])
    return event(story=story, version=version, **data)
