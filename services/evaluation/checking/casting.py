"""Whom and what a paragraph may be about, drawn from the state of a story."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from services.auditing.checking import findings as kinds
from services.evaluation.checking.edits import Paragraph

Records = tuple[dict[str, Any], ...]
Made = tuple[str, Records]


@dataclass(frozen=True, slots=True)
class Cast:
    """What a paragraph may be about, by name: each tuple is in a fixed order."""

    people: tuple[str, ...]
    dead: tuple[str, ...]
    owned: tuple[tuple[str, str], ...]
    lying: tuple[tuple[str, str], ...]
    places: tuple[str, ...]
    known: tuple[tuple[str, str], ...]
    """(fact, the one who knows it)."""
    ties: tuple[tuple[str, str, float], ...]
    closed: tuple[str, ...]
    open: tuple[str, ...]
    chapter: int


def _named_in(person: str, fact: str) -> bool:
    """Whether a fact is about the person, who needs nobody to tell it."""
    return any(word in fact for word in person.split() if len(word) > 3)


def ignorant(cast: Cast, fact: str, knower: str) -> list[str]:
    """Who could not know a fact without being told it."""
    return [p for p in cast.people if p not in (knower, *cast.dead) and not _named_in(p, fact)]


def tellable(cast: Cast) -> list[tuple[str, str]]:
    """Facts that two people at least could not know of themselves."""
    return [(fact, x) for fact, x in cast.known if x not in cast.dead and len(ignorant(cast, fact, x)) > 1]


def pair(cast: Cast, random: Random, *but: str) -> tuple[str, str]:
    """Two people, neither of them one of those named."""
    one, other = random.sample([p for p in cast.people if p not in but], 2)
    return one, other


Wording: TypeAlias = Callable[[Cast, Random], Iterator[Made]]
"""The paragraphs that say one sort of thing, in several wordings."""


def worded(cast: Cast, random: Random, wordings: Mapping[str, tuple[Wording, Wording]]) -> Iterator[Paragraph]:
    """What every kind's wordings make, the contradictions and then the clean ones, of the kinds that the cast has the material for."""
    material = {
        kinds.DEAD_ACT: cast.dead, kinds.OWNERSHIP: cast.owned, kinds.TWO_PLACES: cast.places[1:], kinds.UNTOLD: tellable(cast),
        kinds.RELATIONSHIP: cast.ties, kinds.REOPENED: cast.closed, kinds.RULE: cast.people, kinds.ALIAS: cast.people,
    }  # fmt: skip
    for kind, (wrong, right) in wordings.items():
        if material[kind]:
            yield from (Paragraph(kind, text, records, kind) for text, records in wrong(cast, random))
            yield from (Paragraph(None, text, records, kind) for text, records in right(cast, random))
