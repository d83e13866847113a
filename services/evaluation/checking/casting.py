"""Whom and what a paragraph may be about, drawn from the state of a story."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

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
