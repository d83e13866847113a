"""What the story state's tables answer with: rows as the values that readers work with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import orjson

from events.domain_events import Json, Mention, Setting
from projections.record_body import RecordBody, read_body
from projections.story_state.assertions import value_key
from projections.wire import setting_from


@dataclass(frozen=True, slots=True)
class Supporting:
    """A live record's assertion of a key, with what the record shows."""

    node_key: str
    uid: str
    order: tuple[int, int, int, int, str]
    setting: Setting
    record: str
    chapter: int
    revision: int
    payload: Json
    evidence: tuple[tuple[int, int], ...]
    mentions: tuple[Mention, ...]

    @property
    def value_key(self) -> str | None:
        return value_key(self.setting.value)


Pair: TypeAlias = tuple[int, int]
"""The numbers of an assertion's row and of its record's."""


@dataclass(frozen=True, slots=True)
class Holding:
    """A key that holds since a chapter: what supports it, in story order, and the assertion whose wording is shown."""

    valid_from: int
    worded: int
    support: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Asserted:
    """An assertion on both axes: believed from one position to (before) another, None: still."""

    node_key: str
    uid: str
    order: tuple[int, int, int, int, str]
    setting: Setting
    recorded_from: int
    recorded_to: int | None


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A revision of a chapter; `text_hash` None: the chapter was retracted. `current`: it is what was believed."""

    chapter: int
    revision: int
    text_hash: str | None
    title: str | None
    length: int | None
    current: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """A place in story and log. `believed`: the end of the last publication looked at, 0 before the first.

    `at` None: the story has no such checkpoint, or (if no name was given) no chapter. `position` is that of the last
    event that concerns chapters up to `at`.
    """

    known: bool
    believed: int
    at: int | None
    position: int


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A live record."""

    uid: str
    name: str
    chapter: int
    revision: int
    kind: str
    payload: Json
    evidence: tuple[tuple[int, int], ...]
    mentions: tuple[Mention, ...]


def record_row(uid: str, chapter: int, kind: str, body: RecordBody) -> RecordRow:
    """A record from a row of its table."""
    return RecordRow(uid, body.record, chapter, body.revision, kind, body.payload, body.evidence, body.named)


def supporting_row(row: Sequence[Json]) -> Supporting:
    """An assertion and its record from a row of both tables."""
    node_key, uid, chapter, scene, start, ordinal, setting, written = row
    body = read_body(written)
    return Supporting(
        node_key=node_key,
        uid=uid,
        order=(chapter, scene, start, ordinal, uid),
        setting=setting_from(orjson.loads(setting)),
        record=body.record,
        chapter=chapter,
        revision=body.revision,
        payload=body.payload,
        evidence=body.evidence,
        mentions=body.named,
    )
