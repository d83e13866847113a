"""Names and aliases of a novel's characters, and which entity stands for which character."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from services.evaluation.extraction.corpora import Character, Novel
from services.evaluation.extraction.intervals import Tally
from services.evaluation.extraction.meaning import Named, Names
from services.evaluation.extraction.memory import comparable

OFTEN = 10
"""A character with so many quotations has to be found."""
FOREMOST = 10
"""So many of the most quoted characters of a novel must be kept apart."""
TAKEN_FOR = 0.1
"""The share of the places where a character is named that makes an entity one which it is taken for."""


def compared(names: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    return {entity: frozenset(map(comparable, called)) for entity, called in names.items()}


def own_names(characters: Sequence[Character]) -> dict[int, frozenset[str]]:
    """The names of each character that nobody else of the novel has."""
    bearers: defaultdict[str, set[int]] = defaultdict(set)
    for character in characters:
        for name in character.names:
            bearers[comparable(name)].add(character.id)
    return {c.id: frozenset(name for name in map(comparable, c.names) if len(bearers[name]) == 1) for c in characters}


def quoted(novel: Novel) -> list[Character]:
    """The characters by how often they are quoted in what was read, most often first."""
    counts = Counter(quotation.speaker for quotation in novel.quotations)
    return sorted((c for c in novel.characters if counts[c.id]), key=lambda c: (-counts[c.id], c.id))


def found_often(novel: Novel, names: Names) -> list[bool]:
    """For each character quoted often, whether an entity carries its main name or an alias."""
    counts = Counter(quotation.speaker for quotation in novel.quotations)
    carried = {name for called in names.values() for name in called}
    return [
        any(comparable(name) in carried for name in character.names)
        for character in quoted(novel)
        if counts[character.id] >= OFTEN
    ]


def foremost(novel: Novel) -> list[Character]:
    """The characters that must be kept apart."""
    return quoted(novel)[:FOREMOST]


def merged_foremost(novel: Novel, names: Names) -> list[bool]:
    """For each of the most quoted characters, whether an entity that carries a name of its own carries one of another's."""
    own = own_names(foremost(novel))
    return _merged(novel, [{c for c, theirs in own.items() if called & theirs} for called in names.values()])


def merged_in_the_text(novel: Novel, shares: Mapping[int, Mapping[str, float]]) -> list[bool]:
    """For each of the most quoted characters, whether an entity is taken for it and for another of them.

    `shares`: what share of the places where a character is named each entity is taken for; a tenth of them makes it the
    character's, whatever the entity is called.
    """
    entities: defaultdict[str, set[int]] = defaultdict(set)
    for character, taken in shares.items():
        for entity, part in taken.items():
            if part >= TAKEN_FOR:
                entities[entity].add(character)
    return _merged(novel, entities.values())


def _merged(novel: Novel, held: Iterable[set[int]]) -> list[bool]:
    """Whether each of the foremost is one of several that one entity is."""
    merged = {character for characters in held if len(characters) > 1 for character in characters}
    return [character.id in merged for character in foremost(novel)]


def carried(novel: Novel, names: Names) -> dict[Named, frozenset[str]]:
    """The entities that carry each name which only one character has and the text that was read."""
    text = comparable(" ".join(chapter.text for chapter in novel.chapters))
    entities: defaultdict[str, set[str]] = defaultdict(set)
    for entity, called in names.items():
        for name in called:
            entities[name].add(entity)
    return {
        (character, name): frozenset(entities[name])
        for character, theirs in own_names(novel.characters).items()
        for name in sorted(theirs)
        if _stands_in(name, text)
    }


def alias_tallies(entities: Mapping[Named, frozenset[str]]) -> list[Tally]:
    """Pairs of names of one character that have an entity in common, a tally a character.

    A pair of two characters' names that have one counts as wrong with the first of them.
    """
    right: Counter[int] = Counter()
    wrong: Counter[int] = Counter()
    missed: Counter[int] = Counter()
    for ((a, _), of_one), ((b, _), of_other) in combinations(entities.items(), 2):
        together = bool(of_one & of_other)
        if a == b:
            (right if together else missed)[a] += 1
        elif together:
            wrong[a] += 1
    return [Tally(right[c], wrong[c], missed[c]) for c in sorted({*right, *wrong, *missed})]


@dataclass(frozen=True, slots=True)
class Apart:
    """Two names of one character that are not taken for one entity."""

    novel: str
    character: str
    names: tuple[str, str]
    taken_for: tuple[tuple[str, ...], tuple[str, ...]]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def apart(novel: Novel, entities: Mapping[Named, frozenset[str]]) -> list[Apart]:
    """The pairs of one character's names that have no entity in common."""
    called = {character.id: character.name for character in novel.characters}
    return [
        Apart(novel.slug, called[a], (one, other), (tuple(sorted(of_one)), tuple(sorted(of_other))))
        for ((a, one), of_one), ((b, other), of_other) in combinations(entities.items(), 2)
        if a == b and not of_one & of_other
    ]


def _stands_in(name: str, text: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def doubles(novel: Novel) -> set[int]:
    """Characters that are listed a second time under a part of their name ("Voss" beside "Mara Voss") and never quoted as such."""
    counts = Counter(quotation.speaker for quotation in novel.quotations)
    speaking = [set(comparable(name).split()) for c in novel.characters if counts[c.id] for name in c.names]
    return {
        c.id
        for c in novel.characters
        if not counts[c.id] and all(any(set(comparable(n).split()) < whole for whole in speaking) for n in c.names)
    }


def aligned(novel: Novel, names: Names) -> dict[str, int]:
    """The one character each entity stands for: that with most names in common that are nobody else's.

    Where several have as many, whose main name it carries; then names that are shared count, and who is quoted more. Nothing
    stands for a double.
    """
    own = own_names(novel.characters)
    counts = Counter(quotation.speaker for quotation in novel.quotations)
    double = doubles(novel)
    result = {}
    for entity, called in names.items():
        scores = [
            (
                len(called & own[c.id]),
                comparable(c.name) in called,
                len(called & {comparable(n) for n in c.names}),
                counts[c.id],
                -c.id,
            )
            for c in novel.characters
            if c.id not in double
        ]
        best = max(scores, default=(0, False, 0, 0, 0))
        if best[2]:
            result[entity] = -best[4]
    return result
