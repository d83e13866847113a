"""Decisions that are made again: an editor's word that stands already says nothing new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from events.chapters import ON_IDENTITY, Action
from events.domain_events import Json
from events.introducing import apart, decided
from events.registry import RANK

_SUBJECTS: Final = {"checkpoint": "name", "due": "thread", "exempt": "finding"}
"""By action the field that says what is decided about: the last word on it stands."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Which decisions bear on what one of them decides: those of the actions that have the fields `named`."""

    actions: tuple[str, ...]
    named: Mapping[str, Json]


def subject(action: Action, decision: Mapping[str, Json]) -> Subject | None:
    """What a publication decides about; None for one that is no decision."""
    if action in ON_IDENTITY:
        return Subject(ON_IDENTITY, {})
    field = _SUBJECTS.get(action)
    return None if field is None else Subject((action,), {field: decision[field]})


def standing(decision: Mapping[str, Json], earlier: Mapping[int, Mapping[str, Json]]) -> int | None:
    """The number of the decision among `earlier` ones on the same subject that says the same and still stands."""
    if "merge" in decision or "split" in decision:
        return _identity(decision, earlier)
    last = max(earlier, default=None)
    return last if last is not None and earlier[last] == decision else None


def _identity(decision: Mapping[str, Json], earlier: Mapping[int, Mapping[str, Json]]) -> int | None:
    """One that is undone by now does not stand. `review` is what there was to look at then, and no part of what was decided."""
    merges, cuts = decided(earlier)
    said = {name: value for name, value in decision.items() if name != "review"}
    same = [n for n, each in earlier.items() if {k: v for k, v in each.items() if k != "review"} == said]
    if "merge" in decision:
        stand = {link.rank - RANK["merge"] for link in merges}
        same = [n for n in same if n in stand]
    elif not apart(decision) <= cuts:
        return None
    return max(same, default=None)
