"""The packet that an answer rests on: what was looked up first, then what was found for the question, in one budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from services.answering.facts import held
from services.answering.looking import FromState
from services.answering.naming import Names, identities
from services.answering.skills import Skill
from services.retrieval.entries import Entry
from services.retrieval.evidence import entry_item, record_item
from services.retrieval.packing import SEPARATOR, rendered_packet
from services.retrieval.slices import Slice

Json = Any
PER_SKILL: Final = 4
"""Records that a skill puts before the reader."""
LIFTED_SHARE: Final = 0.5
"""The share of the budget that what was looked up may take, beside what an answer of the state rests on."""


def of_entries(slice_: Slice, entries: Iterable[Entry]) -> list[Json]:
    """State entries as items of a packet."""
    return [entry_item(slice_, entry, place).to_json() for place, entry in enumerate(entries)]


def of_state(slice_: Slice, state: FromState) -> list[Json]:
    """What an answer of the state is, as items of a packet."""
    told = [record_item(slice_, index, 0.0, "state").to_json() for index in state.records]
    return [*of_entries(slice_, state.entries), *told]


def of_skills(slice_: Slice, names: Names, question: str, skills: Sequence[Skill]) -> list[Json]:
    """The records that a question's skills want to see: of their kinds, about whom the question names, the best worded first."""
    about = identities(names.in_text(question))
    found: dict[int, Json] = {}
    for skill in skills:
        scored = []
        for index, record in enumerate(slice_.records):
            if record.kind not in skill.kinds:
                continue
            named = {slice_.cast.of(entity) for _, entity, _ in record.mentions}
            share = held(question, record.text)
            if share and (not about or named & about):
                scored.append((-round(share, 6), -record.chapter, index))
        for share, _, index in sorted(scored)[:PER_SKILL]:
            found.setdefault(index, record_item(slice_, index, -share, f"skill:{skill.name}").to_json())
    return [found[index] for index in sorted(found)]


def assembled(packet: Mapping[str, Json], needed: Sequence[Json], lifted: Sequence[Json]) -> dict[str, Json]:
    """The packet with the items that were looked up at its head; what no longer fits goes, the least scored first.

    `needed` come in before anything, `lifted` up to a share of the budget. An item is in it once.
    """
    room = packet["budget"]
    first: dict[str, Json] = {}
    for item in needed:
        if item["id"] not in first and _cost(item) <= room + len(SEPARATOR):
            first[item["id"]] = item
            room -= _cost(item)
    most = room - int(packet["budget"] * LIFTED_SHARE)
    for item in lifted:
        if item["id"] not in first and room - _cost(item) >= most:
            first[item["id"]] = item
            room -= _cost(item)
    rest = [item for item in packet["items"] if item["id"] not in first]
    kept: set[str] = set()
    for _, place in sorted((-item["score"], place) for place, item in enumerate(rest)):
        if _cost(rest[place]) <= room + (0 if first or kept else len(SEPARATOR)):
            kept.add(rest[place]["id"])
            room -= _cost(rest[place])
    items = [*first.values(), *(item for item in rest if item["id"] in kept)]
    return {**packet, "items": items, "used": len(rendered_packet({"items": items}))}


def _cost(item: Json) -> int:
    return len(rendered_packet({"items": [item]})) + len(SEPARATOR)
