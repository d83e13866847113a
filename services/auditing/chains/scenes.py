"""Scenes, as the records have them: where, who, with what, when, and what is said of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from events.domain_events import Json
from events.names import fact_key
from events.records import KINDS as ALL_KINDS
from projections.story_state.found import RecordRow
from services.auditing.chronology import HAPPENED, Placed, placed
from services.auditing.material import Material, scene_of
from services.auditing.sentences import DEAD, sentence

KINDS: Final = ALL_KINDS
_PEOPLE: Final = ("participants", "entity", "character", "source", "target", "knower")
_SUMMARIES: Final = 3


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens in one place of the telling. `number` counts the scenes of the story; heads of entities, their states by text.

    `order` is its place in the story's time, where that is told; `changed` are the entities that are altered for good in it, with
    the record that says so: the dead, and what burns, breaks or falls.
    """

    name: str
    chapter: int
    number: int
    summary: str
    places: frozenset[str]
    people: frozenset[str]
    things: frozenset[str]
    order: float | None
    changed: Mapping[str, str]
    confidence: float
    rows: tuple[RecordRow, ...]

    def shown(self, material: Material) -> Json:
        return {
            "scene": self.name,
            "chapter": self.chapter,
            "summary": self.summary,
            "places": sorted(material.names(self.places)),
            "people": sorted(material.names(self.people)),
            "objects": sorted(material.names(self.things)),
            "records": [row.name for row in self.rows],
            "evidence": material.evidence(*self.rows[:_SUMMARIES]),
        }


def scenes(material: Material) -> list[Scene]:
    """The scenes in telling order; those of which nothing but a mood is told are left out."""
    grouped: dict[tuple[int, int], list[Placed]] = defaultdict(list)
    for chapter, records in _by_chapter(placed(material.rows)).items():
        starts = _starts(records)
        for each in records:
            grouped[chapter, scene_of(each.row) or _around(each.row, starts)].append(each)
    made = (_scene(material, key, grouped[key]) for key in sorted(grouped))
    told = [scene for scene in made if scene is not None]
    return [replace(scene, number=number) for number, scene in enumerate(told)]


def _by_chapter(records: Sequence[Placed]) -> dict[int, list[Placed]]:
    found: dict[int, list[Placed]] = {}
    for each in records:
        if each.row.payload.get("modality", "actual") in HAPPENED:
            found.setdefault(each.row.chapter, []).append(each)
    return found


def _starts(records: Sequence[Placed]) -> list[tuple[int, int]]:
    """Where each numbered scene of a chapter begins: (position, number)."""
    first: dict[int, int] = {}
    for each in records:
        number = scene_of(each.row)
        if number and each.row.evidence:
            first[number] = min(first.get(number, each.row.evidence[0][0]), each.row.evidence[0][0])
    return sorted((start, number) for number, start in first.items())


def _around(row: RecordRow, starts: Sequence[tuple[int, int]]) -> int:
    """The scene in which a record lies that does not say it, by where its words stand."""
    if not starts or not row.evidence:
        return 1
    at = bisect_right(starts, (row.evidence[0][0], 2**31))
    return starts[max(0, at - 1)][1]


def _scene(material: Material, key: tuple[int, int], records: Sequence[Placed]) -> Scene | None:
    rows = [each.row for each in records]
    places = {head for row in rows for head in material.who(row, "location")}
    people = {head for row in rows for field in _PEOPLE for head in material.who(row, field)} - places
    things = {head for row in rows for head in material.who(row, "object") if row.kind == "object_delta"}
    telling = [row for row in rows if row.kind == "situation"] or [row for row in rows if row.kind == "event"]
    summaries = [said for row in (telling or rows)[:_SUMMARIES] if (said := sentence(material, row))]
    if not summaries or not places | people:
        return None
    main = telling or rows
    return Scene(
        name=f"{key[0]}.{key[1]}",
        chapter=key[0],
        number=0,
        summary=" ".join(summaries),
        places=frozenset(places),
        people=frozenset(people - things),
        things=frozenset(things),
        order=next((each.order for each in records if each.dated), records[0].order),
        changed=_changed(material, rows),
        confidence=min(float(row.payload.get("confidence", 1.0)) for row in main),
        rows=(*main, *(row for row in rows if row.uid not in {each.uid for each in main})),
    )


def _changed(material: Material, rows: Sequence[RecordRow]) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in rows:
        if row.kind == "character_delta" and str(row.payload["attribute"]).casefold() == "status":
            if DEAD & set(fact_key(str(row.payload["value"])).split()):
                found.update(dict.fromkeys(material.who(row, "character"), row.name))
        elif row.kind == "object_delta" and row.payload.get("state"):
            found.update(dict.fromkeys(material.who(row, "object"), row.name))
    return found
