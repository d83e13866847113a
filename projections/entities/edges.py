"""The typed edges that a record draws between entities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from events.domain_events import Json
from projections.record_view import RecordView

MAX_PARTICIPANTS: Final = 12
"""Participants of one event beyond this many draw no edges among each other: a crowd says nothing about its pairs."""


@dataclass(frozen=True, slots=True)
class Edge:
    """`target` None: the edge leads to what `label` says, such as a fact that is known."""

    source: str
    target: str | None
    type: str
    label: str | None
    polarity: float | None = None


def edges_of(view: RecordView) -> list[Edge]:
    """The edges of a record. They say what the record says, also where its modality is not actual."""
    draw = _DRAWN.get(view.kind)
    return list(dict.fromkeys(draw(view, _by_slot(view)))) if draw else []


def _by_slot(view: RecordView) -> dict[str, str]:
    return {mention.slot: mention.entity for mention in view.mentions}


def _pair(type_: str, source: str, target: str, label: str) -> Callable[[RecordView, dict[str, str]], Iterator[Edge]]:
    def draw(view: RecordView, slots: dict[str, str]) -> Iterator[Edge]:
        if source in slots and target in slots:
            yield Edge(slots[source], slots[target], type_, _text(view.payload, label), view.payload.get("polarity"))

    return draw


def _text(payload: Json, field: str) -> str | None:
    value = payload.get(field)
    return value if isinstance(value, str) else None


def _object(view: RecordView, slots: dict[str, str]) -> Iterator[Edge]:
    for slot in ("owner", "location"):
        if "object" in slots and slot in slots:
            yield Edge(slots["object"], slots[slot], slot, None)


def _participation(view: RecordView, slots: dict[str, str]) -> Iterator[Edge]:
    people = [entity for slot, entity in slots.items() if slot.startswith("participants.")]
    label = _text(view.payload, "summary")
    if len(people) <= MAX_PARTICIPANTS:
        for source, target in combinations(people, 2):
            yield Edge(source, target, "participation", label)
    if "location" in slots:
        for person in people:
            yield Edge(person, slots["location"], "participation", label)


def _knowledge(view: RecordView, slots: dict[str, str]) -> Iterator[Edge]:
    if "knower" in slots:
        yield Edge(slots["knower"], None, "knowledge", _text(view.payload, "fact"))


_DRAWN: Final[dict[str, Callable[[RecordView, dict[str, str]], Iterator[Edge]]]] = {
    "relationship_delta": _pair("relationship", "source", "target", "relation"),
    "interaction": _pair("interaction", "source", "target", "type"),
    "identity": _pair("identity", "a", "b", "kind"),
    "presence": _pair("location", "entity", "location", "kind"),
    "fact": _pair("fact", "subject", "object", "predicate"),
    "character_delta": _pair("allegiance", "character", "value", "attribute"),
    "object_delta": _object,
    "event": _participation,
    "situation": _participation,
    "knowledge": _knowledge,
}
