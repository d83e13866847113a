"""Mentions and settings as JSON arrays, in the form in which events store them, and settings without their objects."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw

from events.domain_events import Json, Mention, Setting, node_key
from events.wire import settings_of, stored_json


def mentions_json(mentions: tuple[Mention, ...]) -> str:
    return stored_json(mentions).decode()


def setting_json(setting: Setting) -> str:
    return stored_json(setting).decode()


def settings_json(settings: tuple[Setting, ...]) -> str:
    return stored_json(settings).decode()


def setting_from(row: Json) -> Setting:
    return settings_of((row,))[0]


class PlainSetting(msgspec.Struct, frozen=True, gc=False):
    """A setting without its objects, from the stored form of an event."""

    node_key: str
    functor: str
    value: str | None
    """What the value is compared by; None where it ends the key."""
    entities: list[str]
    """Those that it names, in its arguments and as its value."""
    stored: str
    """Its JSON, as `setting_json` writes it."""


_settings: Final = msgspec.json.Decoder(list[tuple[str, list[list[Any]], list[Any] | None, bool]]).decode
_write: Final = msgspec.json.Encoder().encode


def plain_settings(stored: Raw) -> list[PlainSetting]:
    """The settings of an event from their stored form."""
    read = _settings(stored)
    if len(read) == 1:  # of one, as most records have, the text is that of the array without its brackets
        return [_plain(str(stored, "utf-8")[1:-1], *read[0])]
    return [_plain(_write(setting).decode(), *setting) for setting in read]


def _plain(text: str, functor: str, args: list[list[Any]], value: list[Any] | None, arrow: bool) -> PlainSetting:
    """A term is stored as what it is compared by, its text, and a 1 where it is an entity."""
    entities = [term[0] for term in args if len(term) > 2]
    key = node_key(functor, [("@" if len(term) > 2 else "=") + term[0] for term in args], arrow)
    if value is None:
        return PlainSetting(key, functor, None, entities, text)
    if len(value) > 2:
        entities.append(value[0])
        return PlainSetting(key, functor, "@" + value[0], entities, text)
    return PlainSetting(key, functor, "=" + value[0], entities, text)
