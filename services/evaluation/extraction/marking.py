"""Whom people took words of direct speech to mean, where they marked them.

They wrote a name for whoever was meant, which need not be the one that heads the list of his names. The list may also have put
two people together: then one of the names written is never given to words that are marked as the other, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from services.evaluation.extraction.corpora import Chapter, Mark, Novel
from services.evaluation.extraction.memory import comparable

_NESTED = 3
"""Marks that begin before a name and may all go on beyond it, at most."""
_APART = 2
"""Marks of a name written for somebody that make a person of him; a single one may be a slip."""
_POSSESSIVE = re.compile(r"[’']s?$")


@dataclass(frozen=True, slots=True)
class Marked:
    """Words that people marked, as `comparable` has them, and the characters that they mean; None stands for anybody else."""

    words: str
    meant: frozenset[int | None]


class Marks:
    """The marks of a novel; `own` has the names that are one character's alone."""

    def __init__(self, novel: Novel, own: Mapping[int, frozenset[str]]) -> None:
        self._chapters: defaultdict[int, list[Mark]] = defaultdict(list)
        for mark in sorted(novel.marks, key=lambda mark: mark.start):
            self._chapters[mark.chapter].append(mark)
        self._known = self._written(novel, own)

    def _written(self, novel: Novel, own: Mapping[int, frozenset[str]]) -> dict[str, int]:
        """The character that each name written by people stands for: whose main name it is, else whose it is in the list.

        In the list alone that says nothing where people never gave the main name to any words to which they gave it.
        """
        main = {comparable(c.name): c.id for c in reversed(novel.characters)}
        listed = {comparable(name): c.id for c in reversed(novel.characters) for name in c.names}
        names = {name for theirs in own.values() for name in theirs}
        given: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for chapter in novel.chapters:
            for mark in self._chapters[chapter.number]:
                words = _words(chapter, mark)
                if words in names:
                    given[words].update(comparable(meant) for meant in mark.meant)
        times = Counter({written: sum(c[written] for c in given.values()) for written in listed})
        together = {
            written
            for written, character in listed.items()
            if any(written in c and any(main.get(other) == character for other in c) for c in given.values())
        }
        return {name: c for name, c in listed.items() if name in together or times[name] < _APART} | main

    def at(self, chapter: Chapter, start: int, end: int, name: str) -> Marked | None:
        """The mark whose words end in the name at a place of the chapter."""
        marks = self._chapters.get(chapter.number, [])
        index = bisect_right(marks, chapter.start + start, key=lambda mark: mark.start)
        for mark in reversed(marks[max(0, index - _NESTED) : index]):
            words = _words(chapter, mark)
            if mark.end >= chapter.start + end and f" {words}".endswith(f" {name}"):
                return Marked(words, frozenset(self._known.get(comparable(meant)) for meant in mark.meant))
        return None


def _words(chapter: Chapter, mark: Mark) -> str:
    words = chapter.text[mark.start - chapter.start : mark.end - chapter.start]
    return comparable(_POSSESSIVE.sub("", words))
