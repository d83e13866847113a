"""Whether "Mr. Voss" and "John Voss" may be two men of one surname: a father and his son, or brothers.

One man is introduced in full and then called by his surname. Where the full name comes back after the short one, or a given name
alone goes side by side with the title, the two are as likely told apart by it, and they stay apart. The same holds of a Miss and
her sister.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import MALE_NAMES
from services.extraction.offline.names import Name, spelling, surface_pattern
from services.extraction.offline.observations import Surface
from services.extraction.offline.quotations import Quotations

_SHARED = frozenset(("mr", "miss"))
"""Titles that go with a surname which others of the family bear under the same title."""
_SETTLED = 2
"""Uses of the short name after which it is what the chapter calls its bearer."""
_OFTEN = 2
_YOUNG = 2
"""Times that a chapter says "young Tom", after which Tom may be an elder."""
_CALLED_SO = 3
"""Uses of a bare surname, or of a title and surname, in the narration, which knows one bearer only."""
_CHILDREN = "daughters?|sons?|child(?:ren)?|boys?|girls?"


@dataclass(frozen=True, slots=True)
class _Use:
    offset: int
    name: Name
    narrated: bool


class Namesakes:
    """The names of a chapter that share a surname, in the order of the text."""

    def __init__(
        self,
        uses: dict[str, list[_Use]],
        told: dict[Surface, int],
        several: frozenset[str],
        parents: frozenset[Surface] = frozenset(),
    ) -> None:
        self._uses = uses
        self._told = told
        self._several = several
        self._parents = parents

    @classmethod
    def of(cls, text: str, names: Sequence[Name], speech: Quotations) -> Namesakes:
        """What the chapter says; `names` are those of its people."""
        shared = {name.rest[0] for name in names if len(name.rest) == 1 and name.title in _SHARED}
        full = {name.rest[-1] for name in names if len(name.rest) > 1}
        uses: defaultdict[str, dict[int, _Use]] = defaultdict(dict)
        for name in names:
            surname = name.rest[-1]
            if surname not in shared & full:
                continue
            for match in surface_pattern(name.tokens).finditer(text):
                longest = uses[surname].get(match.end())  # "John Voss" stands in "Mr. John Voss", too
                if longest is None or match.start() < longest.offset:
                    uses[surname][match.end()] = _Use(match.start(), name, not speech.covers(match.start()))
        return cls(
            {surname: sorted(found.values(), key=lambda use: use.offset) for surname, found in uses.items()},
            {name.tokens: name.votes.told for name in names},
            frozenset(s for s in shared & full if re.search(rf"(?:Mr|Messrs|Miss)\.?\s+{re.escape(s)}e?s(?!\w)", text)),
            frozenset(name.tokens for name in names if len(name.rest) > 1 and _is_a_parents(name, text)),
        )

    def in_doubt(self, name: Name, figure: Figure) -> bool:
        """Whether a title with a surname ("Mr. Voss") may be another than the figure, whose given name the chapter has."""
        surname = name.rest[0]
        uses = self._uses.get(surname, [])
        if name.title not in _SHARED or not uses or all(part.endswith(".") for part in figure.full[:-1]):
            return False
        if surname in self._several:
            return True
        if self.called_by_surname(surname):
            return False
        short = [use for use in uses if use.name.tokens == name.tokens]
        own = {other.tokens for other in figure.names if len(other.rest) > 1}
        full = [use for use in uses if use.name.tokens in own]
        if name.title == "miss":
            return len(short) < _SETTLED and figure.full[:1] not in self._told
        wives = any(use.name.title == "mrs" and use.name.rest == figure.full for use in uses)
        if wives or self._side_by_side(name, figure):
            return True
        return len(short) < max(_SETTLED, len(full) + 1) or _comes_back(short, full)

    def elder(self, figure: Figure, others: Sequence[Figure]) -> bool:
        """Whether a man's full name may be that of the father of whom the chapter calls by the given name.

        Mostly it says whose daughter or son somebody is, or those who speak have it where the narration has a "Mr. Voss".
        """
        full = [name for name in figure.names if len(name.rest) > 1]
        if not full or figure.gender != "male":
            return False
        if any(name.tokens in self._parents for name in full):
            return True
        if any(name.title == "mr" for name in full):  # "Mr. John Voss" is called so to tell him from "Mr. Voss"
            return False
        formal = sum(
            name.votes.told
            for other in others
            if other is not figure
            for name in other.names
            if name.title == "mr" and name.rest == figure.full[-1:]
        )
        told, uses = (sum(getattr(name.votes, count) for name in full) for count in ("told", "total"))
        return formal >= _CALLED_SO and 2 * told < uses

    def introduced(self, name: Name, figure: Figure) -> bool:
        """Whether the chapter has the figure with title and full name ("Miss Ida Voss") before it says "Miss Voss", and not after."""
        uses = self._uses.get(name.rest[0], [])
        short = [use.offset for use in uses if use.name.tokens == name.tokens]
        own = {other.tokens for other in figure.names if len(other.rest) > 1 and other.title == name.title}
        full = [use.offset for use in uses if use.name.tokens in own]
        return bool(full) and len(short) >= _SETTLED and max(full) < min(short) and name.rest[0] not in self._several

    def called_by_surname(self, surname: str) -> bool:
        """Whether the narration calls somebody by the bare surname, so that nobody else there bears it."""
        return self._told.get((surname,), 0) >= _CALLED_SO

    def _side_by_side(self, name: Name, figure: Figure) -> bool:
        """Whether the narration has the given name alone as well as the title."""
        return min(self._told.get(figure.full[:1], 0), name.votes.told) >= _OFTEN


def _is_a_parents(name: Name, text: str) -> bool:
    """Whether at least every other use of a name says whose child somebody is ("Tom Voss's daughter")."""
    children = rf"{surface_pattern(name.tokens).pattern}[’']s?\s+(?:[a-z]+\s+)?(?:{_CHILDREN})(?!\w)"
    return 2 * len(re.findall(children, text)) >= name.votes.total


def _comes_back(short: Sequence[_Use], full: Sequence[_Use]) -> bool:
    """Whether the full name is more than an introduction of the short one: told again and again, or after it, too."""
    told = [use.offset for use in short if use.narrated]
    if min(len(told), sum(use.narrated for use in full)) >= _CALLED_SO:
        return True
    if any(use.narrated and told and use.offset > told[0] for use in full):
        return True
    titled = sum(bool(use.name.title) for use in full)
    return 2 * titled >= len(full) and any(use.name.title and use.offset > short[0].offset for use in full)


def tell_the_young(text: str, figures: Sequence[Figure]) -> None:
    """Calls "young Tom" so who has no other name in a chapter that does it again and again, and lets him claim nothing else.

    As a rule there is a father of that name, whom other chapters have. Where this one has him in full, Tom is the young one.
    """
    for figure in figures:
        if figure.type != "character" or figure.gender == "female" or figure.ambiguous or len(figure.full) != 1:
            continue
        words = {name.rest[0] for name in figure.names if not name.titles}
        counts = {
            word: len(re.findall(rf"(?<!\w)[Yy]oung\s+{re.escape(word)}(?!\w|\s+[^\W\d_a-z])", text)) for word in words
        }
        word = max(sorted(counts), key=lambda w: counts[w], default="")
        if word.lower() in MALE_NAMES and counts[word] >= _YOUNG and all(not name.titles for name in figure.names):
            told_apart = any(other.elder and other.full[0] == word for other in figures)
            others = {spelling(form) for form in (*(name.text for name in figure.names), *figure.derived)}
            figure.withheld |= others - ({spelling(word)} if told_apart else set())
            figure.name = word if told_apart else f"young {word}"
            if told_apart:
                figure.epithets.append(f"young {word}")
