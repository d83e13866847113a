"""Story order from telling order: where in the story's own time a record lies, as opposed to the chapter that tells it.

A record that gives its `story_time.order` lies there. One that does not lies where its scene was last said to lie; without that
at the story's present, which is the latest order that the telling has reached: a flashback does not turn time back for what
follows it. In chapters before the first that gives an order nothing is known, and telling order stands. Only what is told up to
the end of a record's chapter has a part in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from projections.story_state.found import RecordRow
from services.auditing.material import scene_of

HAPPENED: Final = ("actual", "past")
"""Modalities of what did happen in the story, now or before."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A record and where it lies in the story. `dated`: it says so itself; `told` is its number in telling order."""

    row: RecordRow
    order: float | None
    label: str | None
    dated: bool
    told: int

    @property
    def sorts(self) -> tuple[float, int]:
        """The key of story order: by time, and as told where times are equal."""
        return (float("-inf") if self.order is None else self.order, self.told)


def placed(rows: Sequence[RecordRow]) -> list[Placed]:
    """The records, given in telling order, with their places in the story."""
    present: float | None = None
    present_label: str | None = None
    scene: tuple[int, int] | None = None
    in_scene: tuple[float, str | None] | None = None
    found = []
    begun = _beginning(rows)
    for told, row in enumerate(rows):
        if begun is not None and present is None and row.chapter == begun[0]:
            present, present_label = begun[1:]
        if (row.chapter, scene_of(row)) != scene:
            scene, in_scene = (row.chapter, scene_of(row)), None
        time = row.payload.get("story_time") or {}
        order, label = time.get("order"), time.get("label")
        if order is not None:
            at = float(order)
            modality = row.payload.get("modality", "actual")
            if modality in HAPPENED and scene_of(row):
                in_scene = (at, label)
            if modality == "actual" and (present is None or at >= present):
                present, present_label = at, label or present_label
            found.append(Placed(row, at, label, True, told))
        elif in_scene is not None:
            found.append(Placed(row, in_scene[0], label or in_scene[1], False, told))
        else:
            found.append(Placed(row, present, label or present_label, False, told))
    return found


def _beginning(rows: Sequence[RecordRow]) -> tuple[int, float, str | None] | None:
    """The first chapter that gives an order to what happens now, with that order and its label."""
    for row in rows:
        time = row.payload.get("story_time") or {}
        if time.get("order") is not None and row.payload.get("modality", "actual") == "actual":
            return row.chapter, float(time["order"]), time.get("label")
    return None


def in_story_order(records: Iterable[Placed]) -> list[Placed]:
    """What happened, in the order in which it did."""
    happened = (each for each in records if each.row.payload.get("modality", "actual") in HAPPENED)
    return sorted(happened, key=lambda each: each.sorts)
