"""Mentions and settings as JSON arrays: compact in a table, and read back as the same values."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from events.domain_events import Json, Mention, Setting, Term, node_key
from events.ids import EntityId


def mentions_json(mentions: tuple[Mention, ...]) -> str:
    return orjson.dumps([[m.slot, m.entity, m.surface] for m in mentions]).decode()


def setting_json(setting: Setting) -> str:
    return orjson.dumps(_setting(setting)).decode()


def settings_json(settings: tuple[Setting, ...]) -> str:
    return orjson.dumps([_setting(setting) for setting in settings]).decode()


def mentions_from(rows: Json) -> tuple[Mention, ...]:
    return tuple(Mention(slot, EntityId(entity), surface) for slot, entity, surface in rows)


def setting_from(row: Json) -> Setting:
    functor, args, value, arrow = row
    return Setting(functor, tuple(Term(*arg) for arg in args), None if value is None else Term(*value), arrow)


def _setting(setting: Setting) -> list[Json]:
    args = [[t.key, t.text, t.entity] for t in setting.args]
    value = setting.value and [setting.value.key, setting.value.text, setting.value.entity]
    return [setting.functor, args, value, setting.arrow]


class PlainSetting(NamedTuple):
    """A setting without its objects, from the stored form of an event."""

    node_key: str
    functor: str
    value: str | None
    """What the value is compared by; None where it ends the key."""
    json: Json
    """As `setting_json` writes it."""

    @property
    def entities(self) -> list[str]:
        """The entities that it names, in its arguments and as its value."""
        _, args, value, _ = self.json
        return [term[0] for term in (*args, *(() if value is None else (value,))) if term[2]]


def plain_settings(stored: Json) -> list[PlainSetting]:
    """The settings of an event from their stored form."""
    found = []
    for functor, args, value, arrow in stored:
        terms = [[t[0], t[1], len(t) > 2] for t in args]
        given = None if value is None else [value[0], value[1], len(value) > 2]
        key = node_key(functor, [_compared(t) for t in terms], arrow)
        found.append(
            PlainSetting(key, functor, None if given is None else _compared(given), [functor, terms, given, arrow])
        )
    return found


def _compared(term: Json) -> str:
    return ("@" if term[2] else "=") + str(term[0])
