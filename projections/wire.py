"""Mentions and settings as JSON arrays: compact in a table, and read back as the same values."""

from __future__ import annotations

import orjson

from events.domain_events import Json, Mention, Setting, Term
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
