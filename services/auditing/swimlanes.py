"""The timeline in story order: characters by stretches of story time, present or only mentioned (NKW's swimlanes)."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from events.domain_events import Json
from events.records import KINDS as ALL_KINDS
from projections.timeline.fold import PRESENT_AS
from services.auditing.chronology import in_story_order, placed
from services.auditing.material import Material
from services.reading.timeline import timeline

KINDS: Final = ALL_KINDS


def in_order_of_story(material: Material) -> Json:
    """`{"order": "story", "columns": [...], "characters": [...]}`: a column is what one chapter tells of one time.

    A chapter that looks back has several columns, each in its place; `cells` says `present`, `mentioned` or null for each.
    What is only dreamt, planned or supposed has no place in the story's time.
    """
    columns: list[Json] = []
    seen: dict[str, dict[int, bool]] = {}
    ordered = in_story_order(placed(material.rows))
    for number, ((order, chapter), stretch) in enumerate(groupby(ordered, lambda e: (e.order, e.row.chapter))):
        label = None
        for each in stretch:
            label = label or each.label
            fields = PRESENT_AS.get(each.row.kind, ())
            for mention in each.row.mentions:
                there = mention.slot.partition(".")[0] in fields
                lane = seen.setdefault(material.naming.head(mention.entity), {})
                lane[number] = lane.get(number, False) or there
        columns.append({"chapter": chapter, "order": order, "label": label})
    cast = timeline(material.session, material.moment)["characters"]
    lanes = [_lane(each, seen.get(each["id"], {}), len(columns)) for each in cast]
    return {"order": "story", "columns": columns, "characters": [lane for lane in lanes if any(lane["cells"])]}


def _lane(character: Json, seen: dict[int, bool], columns: int) -> Json:
    cells = [None if n not in seen else "present" if seen[n] else "mentioned" for n in range(columns)]
    return {"id": character["id"], "name": character["name"], "cells": cells}
