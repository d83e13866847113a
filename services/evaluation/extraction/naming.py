"""Names and aliases of a novel's characters, and which entity stands for which character."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from services.evaluation.extraction.corpora import Character, Novel
from services.evaluation.extraction.intervals import Tally
from services.evaluation.extraction.memory import comparable

OFTEN = 10
"""A character with so many quotations has to be found."""
FOREMOST = 10
"""So many of the most quoted characters of a novel must be kept apart."""

Names = Mapping[str, frozenset[str]]
"""What each entity is called, as `comparable` has it."""


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


def merged_foremost(novel: Novel, names: Names) -> list[bool]:
    """For each of the most quoted characters, whether an entity that carries a name of its own carries one of another's."""
    foremost = quoted(novel)[:FOREMOST]
    own = own_names(foremost)
    merged: set[int] = set()
    for called in names.values():
        held = {character for character, theirs in own.items() if called & theirs}
        if len(held) > 1:
            merged |= held
    return [character.id in merged for character in foremost]


def alias_tallies(novel: Novel, names: Names) -> list[Tally]:
    """Pairs of names of one character that are names of one entity, a tally a character.

    Counted are the names people gave, where they stand in the text that was read and only one character has them; a pair of
    two characters' names counts as wrong with the first of them.
    """
    own = own_names(novel.characters)
    text = comparable(" ".join(chapter.text for chapter in novel.chapters))
    used = {c: sorted(name for name in theirs if _stands_in(name, text)) for c, theirs in own.items()}
    entities: defaultdict[str, set[str]] = defaultdict(set)
    for entity, called in names.items():
        for name in called:
            entities[name].add(entity)
    right: Counter[int] = Counter()
    wrong: Counter[int] = Counter()
    missed: Counter[int] = Counter()
    pool = [(name, character) for character, theirs in used.items() for name in theirs]
    for (one, a), (other, b) in combinations(pool, 2):
        together = bool(entities[one] & entities[other])
        if a == b:
            (right if together else missed)[a] += 1
        elif together:
            wrong[a] += 1
    return [Tally(right[c], wrong[c], missed[c]) for c in used if right[c] or wrong[c] or missed[c]]


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
