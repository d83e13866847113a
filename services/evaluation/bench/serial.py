"""Made-up serials for measuring: any chapter of any length, the same every time it is asked for, with its records."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

Record = dict[str, Any]

_FIRST: Final = (
    "Mara", "Tomas", "Ilse", "Anton", "Berta", "Corin", "Dessa", "Edric", "Fenna", "Gregor", "Hanne", "Ivo", "Jorun", "Kasper",
    "Lise", "Matthias", "Nele", "Oskar", "Petra", "Quirin",
)  # fmt: skip
_LAST: Final = ("Voss", "Reyle", "Ambach", "Brandt", "Castel", "Dorn", "Ehrling", "Falk", "Gruber", "Holm")
_PLACES: Final = ("lighthouse", "mill", "harbour", "chapel", "archive", "ferry", "orchard", "cellar", "market", "tower")
_OF: Final = ("Arden", "Birk", "Calder", "Dunmore", "Eskil", "Farrow", "Glen", "Harrow")
_THINGS: Final = ("key", "lantern", "ledger", "compass", "letter", "ring", "map", "knife", "locket", "coin")
_MADE_OF: Final = ("brass", "silver", "iron", "glass", "ivory", "copper", "walnut", "slate")
_MOODS: Final = ("afraid", "hopeful", "weary", "furious", "calm", "ashamed", "curious", "jealous")
_BONDS: Final = ("friends", "rivals", "allies", "strangers", "debtors", "siblings in arms")
_FILLING: Final = (
    "The rain had not let up since the morning, and nobody in the street looked at anybody else.",
    "“You knew about this,” she said, “and you let me walk in there all the same.”",
    "He counted the steps, as he always did, and lost count at the landing, as he always did.",
    "Somewhere below a door was opened, and closed again with more care than a door needs.",
    "There were letters on the table, none of them opened, and a cup that had gone cold hours ago.",
    "“Tell me what you saw,” he asked, “and leave out what you think it meant.”",
    "They went on without a light, one hand on the wall, until the wall came to an end.",
    "Nothing was said about it that evening, and by the next day it was too late to begin.",
)


@dataclass(frozen=True, slots=True)
class Chapter:
    number: int
    text: str
    records: list[Record]


class Serial:
    """A serial with a cast that grows for a while, then stays: people, places and things move, meet, learn and change hands.

    Each chapter has `records` records, each with a sentence of its own as evidence, in about `words` words.
    """

    def __init__(self, seed: int = 0, *, records: int = 60, words: int = 0) -> None:
        self._seed = seed
        self._records = records
        self._words = words
        self._people = [f"{first} {last}" for last, first in product(_LAST, _FIRST)][:120]
        self._places = [f"{place} of {of}" for of, place in product(_OF, _PLACES)]
        self._things = [f"{made} {thing}" for made, thing in product(_MADE_OF, _THINGS)]

    def chapter(self, number: int) -> Chapter:
        draw = random.Random(f"{self._seed}:{number}")
        told = [*self._introductions(number)][: self._records // 2]
        kinds = [*_KINDS] * (self._records // len(_KINDS) + 1)
        told += [self._tell(kind, number, draw) for kind in kinds[: self._records - len(told)]]
        return _written(number, told, self._words, draw)

    def chapters(self, count: int) -> Iterator[Chapter]:
        return (self.chapter(number) for number in range(1, count + 1))

    def _known(self, names: list[str], number: int) -> list[str]:
        return names[: max(4, 2 * number)]

    def _introductions(self, number: int) -> Iterator[tuple[str, Record]]:
        """Two newcomers of each class a chapter, four at the beginning."""
        classes = (("character", self._people), ("location", self._places), ("object", self._things))
        for type_, names in classes:
            before = max(4, 2 * (number - 1)) if number > 1 else 0
            for name in names[before : len(self._known(names, number))]:
                yield f"It was in chapter {number} that the {name} came into it.", _entity(type_, name)

    def _tell(self, kind: str, number: int, draw: random.Random) -> tuple[str, Record]:
        people = draw.sample(self._known(self._people, number), 2)
        place = draw.choice(self._known(self._places, number))
        thing = draw.choice(self._known(self._things, number))
        return _KINDS[kind](people, place, thing, draw)


def _entity(type_: str, name: str) -> Record:
    aliases = [name.split()[0]] if type_ == "character" and name.split()[1] == _LAST[0] else []
    return {"kind": "entity", "type": type_, "name": name, "aliases": aliases}


Told = tuple[str, Record]
Teller = Callable[[list[str], str, str, random.Random], Told]


def _presence(people: list[str], place: str, _thing: str, _draw: random.Random) -> Told:
    return f"{people[0]} stood before the {place}.", {"kind": "presence", "entity": people[0], "location": place}


def _owner(people: list[str], _place: str, thing: str, _draw: random.Random) -> Told:
    return f"The {thing} was {people[0]}'s now.", {"kind": "object_delta", "object": thing, "owner": people[0]}


def _where(_people: list[str], place: str, thing: str, _draw: random.Random) -> Told:
    return f"The {thing} lay in the {place}.", {"kind": "object_delta", "object": thing, "location": place}


def _mood(people: list[str], _place: str, _thing: str, draw: random.Random) -> Told:
    mood = draw.choice(_MOODS)
    record = {"kind": "character_delta", "character": people[0], "attribute": "emotion", "value": mood}
    return f"{people[0]} was {mood}.", record


def _bond(people: list[str], _place: str, _thing: str, draw: random.Random) -> Told:
    bond = draw.choice(_BONDS)
    record = {"kind": "relationship_delta", "source": people[0], "target": people[1], "relation": bond}
    return f"{people[0]} and {people[1]} were {bond}.", record


def _knows(people: list[str], _place: str, thing: str, _draw: random.Random) -> Told:
    record = {"kind": "knowledge", "knower": people[0], "fact": f"{people[1]} hid the {thing}"}
    return f"{people[0]} knew that {people[1]} had hidden the {thing}.", record


def _happens(people: list[str], place: str, thing: str, _draw: random.Random) -> Told:
    summary = f"{people[0]} gives {people[1]} the {thing} in the {place}"
    record = {"kind": "event", "summary": summary, "participants": people, "location": place}
    return f"{people[0]} gave {people[1]} the {thing} in the {place}.", record


def _meets(people: list[str], _place: str, thing: str, _draw: random.Random) -> Told:
    record = {"kind": "interaction", "source": people[0], "target": people[1], "type": "quarrel", "polarity": -0.5}
    return f"{people[0]} quarrelled with {people[1]} about the {thing}.", record


_KINDS: Final[dict[str, Teller]] = {
    "presence": _presence, "owner": _owner, "mood": _mood, "happens": _happens, "bond": _bond, "knows": _knows,
    "where": _where, "meets": _meets,
}  # fmt: skip


def _written(number: int, told: list[Told], words: int, draw: random.Random) -> Chapter:
    """The chapter's text, and its records with the sentences that say them as evidence."""
    sentences: list[str] = []
    records = []
    length = 0
    filling = max(0, words - sum(len(sentence.split()) for sentence, _ in told)) // max(1, len(told)) // 16
    for ordinal, (sentence, record) in enumerate(told, start=1):
        start = length
        evidence = [{"quote": sentence, "start": start, "end": start + len(sentence)}]
        records.append({"id": f"r{ordinal}", **record, "evidence": evidence})
        paragraph = " ".join([sentence, *(draw.choice(_FILLING) for _ in range(filling))])
        sentences.append(paragraph)
        length += len(paragraph) + 2
    return Chapter(number, "\n\n".join(sentences) or f"Chapter {number}.", records)


def prose(characters: int, seed: int = 0) -> str:
    """Prose without records, of exactly so many characters."""
    draw = random.Random(f"prose:{seed}")
    people = [f"{first} {last}" for last, first in product(_LAST, _FIRST)]
    parts: list[str] = []
    length = 0
    while length < characters:
        who = draw.sample(people, 2)
        told = draw.choice((_presence, _happens, _meets, _mood, _bond))
        sentence, _ = told(who, draw.choice(_PLACES), f"{draw.choice(_MADE_OF)} {draw.choice(_THINGS)}", draw)
        paragraph = " ".join([sentence, draw.choice(_FILLING), f"“Not now,” said {who[1]}.", draw.choice(_FILLING)])
        parts.append(paragraph)
        length += len(paragraph) + 2
    return "\n\n".join(parts)[:characters]
