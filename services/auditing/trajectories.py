"""A character's trajectory: what changes about them, chapter by chapter as it is told, and in the order in which it happens.

NKW, appendix D.2 (character state trajectories): attributes, places, relations, goals, emotions, possessions and arc stages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from events.domain_events import Json
from events.errors import Conflict
from events.ids import EntityId
from events.names import AMBIGUOUS, class_of
from events.records import KINDS as ALL_KINDS
from services.auditing.chronology import Placed, in_story_order, placed
from services.auditing.material import Material, is_actual, scene_of
from services.reading.timeline import present_and_mentioned

KINDS: Final = ALL_KINDS


@dataclass(frozen=True, slots=True)
class Change:
    """That an aspect of the character becomes `value`; None: it ends."""

    aspect: str
    value: str | None
    placed: Placed


def trajectory(material: Material, name: str) -> Json:
    """`{"character", "id", "telling_order": [...], "story_order": [...]}`. Raises UnknownEntity; Conflict for a name that several bear.

    `telling_order` has each chapter with the character: whether present, its changes (each with the value before), and `after`, what
    holds then. `story_order` has the same changes in story order, folded in that order, by stretches of one time and chapter; what
    happened in the past is in it as well.
    """
    head = _character(material, name)
    records = placed(material.rows)
    changes = list(_changes(material, records, head))
    return {
        "character": material.naming.name(head),
        "id": head,
        "type": material.naming.type(head),
        "telling_order": _telling(material, head, [c for c in changes if is_actual(c.placed.row)]),
        "story_order": _story(material, changes),
    }


def _character(material: Material, name: str) -> EntityId:
    found = material.naming.candidates(name, people=True)
    if len(found) > 1 or class_of(found[0]) == AMBIGUOUS:
        names = ", ".join(sorted(each for each in found if class_of(each) != AMBIGUOUS))
        raise Conflict(f"{name!r} names several: {names}; write one of these ids.")
    return found[0]


def _changes(material: Material, records: Sequence[Placed], head: EntityId) -> Iterator[Change]:
    owned: set[EntityId] = set()
    for each in records:
        row, payload = each.row, each.row.payload
        who = {material.naming.head(m.entity) for m in row.mentions}
        named = material.naming.renamed(payload, row.mentions)
        if row.kind == "object_delta" and payload.get("owner"):
            thing = next(iter(material.who(row, "object")), None)
            if head in material.who(row, "owner"):
                owned.add(thing) if thing else None
                yield Change(f"has {named['object']}", "yes", each)
            elif thing in owned:
                owned.discard(thing)
                yield Change(f"has {named['object']}", None, each)
        elif head in who:
            yield from _of_kind(material, each, named, head)


def _of_kind(material: Material, each: Placed, named: Json, head: EntityId) -> Iterator[Change]:
    row = each.row
    if row.kind == "presence" and head in material.who(row, "entity"):
        yield Change("location", str(named["location"]), each)
    elif row.kind == "character_delta" and head in material.who(row, "character"):
        several = row.payload.get("op", "set") != "set"
        aspect = f"{named['attribute']} {named['value']}" if several else str(named["attribute"])
        ends = row.payload.get("op") == "remove"
        yield Change(aspect, None if ends else "yes" if several else str(named["value"]), each)
    elif row.kind == "relationship_delta":
        source, target = (next(iter(material.who(row, field)), None) for field in ("source", "target"))
        other = named["target"] if source == head else named["source"]
        if row.payload.get("symmetric", True) or source == head:
            yield Change(f"relation to {other}", str(named["relation"]), each)
        elif target == head:
            yield Change(f"relation of {other}", str(named["relation"]), each)
    elif row.kind == "arc_delta" and head in material.who(row, "subject"):
        yield Change(f"arc {named['arc']}", str(named["stage"]), each)
    elif row.kind == "knowledge" and head in material.who(row, "knower"):
        yield Change(f"knowledge: {material.fact(row)}", str(row.payload.get("stance", "knows")), each)


def _telling(material: Material, head: EntityId, changes: Sequence[Change]) -> list[Json]:
    moment, group = material.moment, sorted(material.naming.group(head))
    found = material.session.timeline.appearances(moment.story, moment.at, moment.believed, group)
    present, mentioned = present_and_mentioned(found)
    by_chapter = {chapter: list(of) for chapter, of in groupby(changes, lambda c: c.placed.row.chapter)}
    held: dict[str, str] = {}
    return [
        {"chapter": chapter, "present": chapter in present, **_folded(material, by_chapter.get(chapter, []), held)}
        for chapter in sorted({*present, *mentioned, *by_chapter})
    ]


def _story(material: Material, changes: Sequence[Change]) -> list[Json]:
    by_row = {change.placed.told: change.placed for change in changes}
    ordered = in_story_order(by_row.values())
    of_row: dict[int, list[Change]] = {}
    for change in changes:
        of_row.setdefault(change.placed.told, []).append(change)
    held: dict[str, str] = {}
    found = []
    for (order, chapter), stretch in groupby(ordered, lambda each: (each.order, each.row.chapter)):
        records = list(stretch)
        own = [change for each in records for change in of_row[each.told]]
        label = next((each.label for each in records if each.label), None)
        found.append({"order": order, "label": label, "chapter": chapter, **_folded(material, own, held)})
    return found


def _folded(material: Material, changes: Sequence[Change], held: dict[str, str]) -> dict[str, Json]:
    """The changes that are changes, and what holds after them; `held` is brought up to that."""
    shown = []
    for change in changes:
        before = held.get(change.aspect)
        if change.value == before:
            continue
        if change.value is None:
            del held[change.aspect]
        else:
            held[change.aspect] = change.value
        shown.append(_shown(material, change, before))
    return {"changes": shown, "after": dict(sorted(held.items()))}


def _shown(material: Material, change: Change, before: str | None) -> Json:
    row = change.placed.row
    return {
        "aspect": change.aspect,
        "value": change.value,
        "before": before,
        "scene": scene_of(row) or None,
        "story_time": {"order": change.placed.order, "label": change.placed.label, "dated": change.placed.dated},
        "modality": row.payload.get("modality", "actual"),
        "record": row.name,
        "evidence": material.evidence(row),
    }
