"""Mentions and settings as JSON arrays, in the form in which events store them, and settings without their objects."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from events.domain_events import Json, Mention, Setting, node_key
from events.wire import mentions_of, settings_of, stored_json


def mentions_json(mentions: tuple[Mention, ...]) -> str:
    return stored_json(mentions).decode()


def setting_json(setting: Setting) -> str:
    return stored_json(setting).decode()


def settings_json(settings: tuple[Setting, ...]) -> str:
    return stored_json(settings).decode()


def mentions_from(rows: Json) -> tuple[Mention, ...]:
    return mentions_of(rows)


def setting_from(row: Json) -> Setting:
    return settings_of((row,))[0]


class PlainSetting(NamedTuple):
    """A setting without its objects, from the stored form of an event."""

    node_key: str
    functor: str
    value: str | None
    """What the value is compared by; None where it ends the key."""
    terms: list[list[Any]]
    """Its arguments, and its value where it has one, as they are stored."""
    stored: str
    """Its JSON, as `setting_json` writes it."""

    @property
    def entities(self) -> list[str]:
        """The entities that it names, in its arguments and as its value."""
        return [term[0] for term in self.terms if len(term) > 2]


_settings: Final = msgspec.json.Decoder(list[tuple[str, list[list[Any]], list[Any] | None, bool]]).decode
_write: Final = msgspec.json.Encoder().encode


def plain_settings(stored: Raw) -> list[PlainSetting]:
    """The settings of an event from their stored form."""
    read = _settings(stored)
    # of one setting, as most records have, the text is that of the array without its brackets
    texts = [str(stored, "utf-8")[1:-1]] if len(read) == 1 else [_write(setting).decode() for setting in read]
    found = []
    for (functor, args, value, arrow), text in zip(read, texts, strict=True):
        key = node_key(functor, [_compared(term) for term in args], arrow)
        if value is None:
            found.append(PlainSetting(key, functor, None, args, text))
        else:
            args.append(value)
            found.append(PlainSetting(key, functor, _compared(value), args, text))
    return found


def _compared(term: list[Any]) -> str:
    return ("@" if len(term) > 2 else "=") + str(term[0])
