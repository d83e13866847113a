"""Mentions and settings as JSON arrays: compact in the table, and read back as the same values."""

from __future__ import annotations

import orjson

from events.domain_events import Json, Mention, Setting, Term
from events.ids import EntityId


def written_mentions(mentions: tuple[Mention, ...]) -> str:
    return orjson.dumps([[m.slot, m.entity, m.surface] for m in mentions]).decode()


def written_settings(settings: tuple[Setting, ...]) -> str:
    return orjson.dumps(
        [[s.functor, [_term(t) for t in s.args], s.value and _term(s.value), s.arrow] for s in settings]
    ).decode()


def read_mentions(rows: Json) -> tuple[Mention, ...]:
    return tuple(Mention(slot, EntityId(entity), surface) for slot, entity, surface in rows)


def read_settings(rows: Json) -> tuple[Setting, ...]:
    return tuple(
        Setting(functor, tuple(Term(*t) for t in args), None if value is None else Term(*value), arrow)
        for functor, args, value, arrow in rows
    )


def _term(term: Term) -> list[Json]:
    return [term.key, term.text, term.entity]
