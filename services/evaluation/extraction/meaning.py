"""What the names that people listed are taken to mean, place by place in the text.

A name that is no entity's in so many words ("the light porter") may well be understood wherever it stands, and one that an
entity carries ("Mrs. Hale") may be somebody else's. So each name means whom most of its places are taken for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.evaluation.extraction.corpora import Chapter, Character, Novel
from services.evaluation.extraction.marking import Marks
from services.evaluation.extraction.memory import comparable, folded
from services.extraction.offline.reading import Reading, Reference

Named = tuple[int, str]
"""A character and one of the names that are his alone, as `comparable` has it."""

Names = Mapping[str, frozenset[str]]
"""What each entity is called, as `comparable` has it."""

_REACH = 300
"""Code points that a reference begins at most before the head of a name in it ends."""
_HEAD = re.compile(r".+?(?=\s(?:of|in|with)\s|\Z)", re.DOTALL)
"""A name to the end of its head word."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name stands in a chapter, in code points; `head` is the end of its head word ("Anne" in "Anne of Green Gables")."""

    chapter: int
    start: int
    end: int
    head: int
    alone: bool
    """Whether it is no part of a longer name of the list."""


Understood = Callable[[Place], str | None]
"""Whom the words at a place are taken for: an entity, or a reference without one that is like no other; None where they are no
reference at all."""


def places(novel: Novel, own: Mapping[int, frozenset[str]]) -> dict[Named, list[Place]]:
    """Where each name stands that is one character's alone, on its own or inside a longer name of that character.

    Left out are places that people marked as somebody else, and names that they mostly did when they marked them and no word more.
    """
    finder = _Finder(novel.characters, own)
    marks = Marks(novel, own)
    found: defaultdict[Named, list[Place]] = defaultdict(list)
    votes: Counter[Named] = Counter()
    for chapter in novel.chapters:
        for named, place in finder.within(chapter):
            mark = marks.at(chapter, place.start, place.end, named[1])
            right = mark is None or named[0] in mark.meant
            if right:
                found[named].append(place)
            if mark is not None and mark.words == named[1]:
                votes[named] += 1 if right else -1
    return {named: found[named] for named in sorted(found) if votes[named] >= 0}


def alone(found: Mapping[Named, Sequence[Place]]) -> dict[Named, list[Place]]:
    """The places where a name is no part of a longer one; names that have none are left out."""
    kept = {named: [place for place in where if place.alone] for named, where in found.items()}
    return {named: where for named, where in kept.items() if where}


class _Finder:
    """Looks for the listed names, the longest at each place."""

    def __init__(self, characters: Sequence[Character], own: Mapping[int, frozenset[str]]) -> None:
        listed = {name for c in characters for name in map(comparable, c.names)} - {""}
        self._listed = _pattern(sorted(listed, key=lambda name: (-len(name), name)))
        self._bearer = {name: character for character, names in own.items() for name in names if name}
        self._within: dict[Named, list[tuple[str, re.Pattern[str]]]] = {}
        self._own = own

    def within(self, chapter: Chapter) -> Iterator[tuple[Named, Place]]:
        text, offsets = folded(chapter.text)
        for match in self._listed.finditer(text):
            whole = " ".join(match.group().split())
            character = self._bearer.get(whole)
            if character is None:
                continue
            for name, pattern in self._parts(character, whole):
                part = pattern.search(text, *match.span())
                if part is not None:
                    head = _HEAD.match(text, *part.span())
                    start, last, of = (
                        offsets[part.start()],
                        offsets[part.end() - 1],
                        offsets[head.end() - 1 if head else part.end() - 1],
                    )
                    yield (character, name), Place(chapter.number, start, last + 1, of + 1, name == whole)

    def _parts(self, character: int, whole: str) -> list[tuple[str, re.Pattern[str]]]:
        """The names of the character that are the whole or a part of it."""
        key = (character, whole)
        if key not in self._within:
            patterns = [(name, _pattern([name])) for name in sorted(self._own[character]) if name]
            self._within[key] = [(name, pattern) for name, pattern in patterns if pattern.search(whole)]
        return self._within[key]


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    spelt = "|".join(r"\s+".join(map(re.escape, name.split())) for name in names)
    return re.compile(rf"(?<!\w)(?:{spelt})(?!\w)")


def understood(readings: Mapping[int, Reading], meant: Callable[[int, str], str | None]) -> Understood:
    """What the references of each chapter say of a place: the innermost that has the head of the name there."""
    mentions = {chapter: sorted(reading.mentions, key=_start) for chapter, reading in readings.items()}

    def ask(place: Place) -> str | None:
        near = mentions.get(place.chapter, [])
        first, last = (bisect_left(near, offset, key=_start) for offset in (place.head - _REACH, place.head))
        reference = min((m for m in near[first:last] if m.span.end >= place.head), key=_length, default=None)
        if reference is None:
            return None
        entity = meant(place.chapter, reference.figure) if reference.figure else None
        return entity or f"{place.chapter}/{reference.chain}"

    return ask


def _start(reference: Reference) -> int:
    return reference.span.start


def _length(reference: Reference) -> int:
    return reference.span.end - reference.span.start


def shares(found: Mapping[Named, Sequence[Place]], ask: Understood) -> dict[int, dict[str, float]]:
    """What share of the places where each character is named every entity is taken for, each place counted once."""
    entities: defaultdict[int, dict[tuple[int, int], str]] = defaultdict(dict)
    for (character, _), where in found.items():
        for place in where:
            entity = ask(place)
            if entity is not None:
                entities[character][place.chapter, place.head] = entity
    return {
        character: {entity: count / len(read) for entity, count in Counter(read.values()).items()}
        for character, read in entities.items()
    }


def taken_for(found: Mapping[Named, Sequence[Place]], ask: Understood, names: Names) -> dict[Named, frozenset[str]]:
    """Whom each name means: the one that most of its places are taken for, those left out that are no reference.

    Where no place is one, the entities that carry it (`names`).
    """
    result = {}
    for named, where in found.items():
        votes = Counter(entity for place in where if (entity := ask(place)) is not None)
        if votes:
            result[named] = frozenset((min(votes, key=lambda entity: (-votes[entity], entity)),))
        else:
            result[named] = frozenset(entity for entity, called in names.items() if named[1] in called)
    return result
