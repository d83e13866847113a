"""Which two people of a story may be one, by what they are called and whom they are with. Pure functions.

No reason is closeness of spelling: names have to share a whole word, be short forms of one given name, or differ in hyphens and
accents only. Titles, given names and sexes that contradict each other, and two who speak with each other, speak against it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Final

from services.extraction.offline.lexicon import (
    BEFORE_A_GIVEN_NAME,
    FEMALE_NAMES,
    FEMALE_TITLES,
    GIVEN_NAMES,
    INTERCHANGEABLE_TITLES,
    LOOSE_TITLES,
    MALE_NAMES,
    MALE_TITLES,
    PARTICLES,
)
from services.extraction.offline.names import split_titles
from services.extraction.offline.nicknames import short_for

Pair = frozenset[str]
LEAST: Final = 0.2
"""A pair that scores less is not worth an editor's time."""
_SCORES: Final = {"spelling": 0.8, "nickname": 0.6, "given name": 0.6, "surname": 0.6, "epithet": 0.4}
_COMPANY: Final = 0.1
_DESCRIPTION: Final = 0.1
_COMMON: Final = 3
_IN_COMMON: Final = 0.5
_WORDS: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Called:
    """One name of a person in parts, in lower case: titles, and the words that are left."""

    titles: frozenset[str]
    words: tuple[str, ...]
    capital: bool
    written: str = ""
    """The words as they are written, but for case."""

    @classmethod
    def of(cls, name: str) -> Called:
        bare = re.sub(r"^(?:the|an?)\s+", "", name.strip(), flags=re.IGNORECASE)
        tokens = tuple(bare.replace("’", "'").split())
        proper = any(token[:1].isupper() for token in tokens)
        titles, rest = split_titles(tokens) if proper else ((), tokens)
        told = {INTERCHANGEABLE_TITLES.get(title, title) for title in titles if title not in LOOSE_TITLES}
        return cls(frozenset(told), tuple(_plain(word) for word in rest), proper, " ".join(rest).casefold())

    @property
    def sex(self) -> str:
        """What title or given name says; empty where they say nothing."""
        if self.titles & (MALE_TITLES | FEMALE_TITLES):
            return "male" if self.titles & MALE_TITLES else "female"
        given = self.words[0] if self.words else ""
        return "male" if given in MALE_NAMES else "female" if given in FEMALE_NAMES else ""

    @property
    def given(self) -> str:
        """The word that is surely a given name; empty where it may as well be a surname."""
        if not self.capital or not self.words or self.words[0] in PARTICLES:
            return ""
        first = self.words[0]
        full = len(self.words) > 1 and len(first) > 1 and self.titles != {"mrs"}
        known = first in GIVEN_NAMES and (not self.titles or self.titles & BEFORE_A_GIVEN_NAME)
        return first if full or known else ""

    @property
    def surname(self) -> str:
        """The word that may be a surname; empty for a given name alone and for what is no name."""
        if not self.capital or not self.words or (len(self.words) == 1 and self.given):
            return ""
        return self.words[-1]


@dataclass(frozen=True)
class Person:
    """Somebody as of a chapter: under every name, by chapters, with whom, and as described."""

    id: str
    name: str
    names: tuple[str, ...]
    since: int
    """The chapter that names the person first."""
    company: frozenset[str] = frozenset()
    """Who speaks to or with the person, by id."""
    descriptions: tuple[str, ...] = ()

    @cached_property
    def called(self) -> tuple[Called, ...]:
        return tuple(Called.of(name) for name in self.names)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why two may be one: the kind of reason, and the words that they have in common."""

    kind: str
    shared: str
    bearers: int = 1
    """How many people of the story the shared words fit."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two that may be one; `a` has the fuller name. The score is a ranking from 0 to 1, no probability."""

    a: Person
    b: Person
    score: float
    reasons: tuple[Reason, ...] = field(default_factory=tuple)


def likenesses(people: Sequence[Person], apart: Collection[Pair] = ()) -> list[Likeness]:
    """The pairs that may be one, likeliest first; `apart` are pairs known to be two."""
    bearers = _bearers(people)
    found = []
    for one, other in _sharing(people):
        if one.id in other.company or frozenset((one.id, other.id)) in apart or _contradict(one, other):
            continue
        reasons = sorted(set(_reasons(one, other, bearers)), key=lambda r: (-_worth(r), r.kind, r.shared))
        score = _worth(reasons[0]) if reasons else 0.0
        if score < LEAST:
            continue
        extra = tuple(_extra(one, other))
        a, b = sorted((one, other), key=lambda p: (tuple(-n for n in _fullness(p)), p.since, p.id))
        total = min(1.0, score + sum({"company": _COMPANY, "description": _DESCRIPTION}[r.kind] for r in extra))
        found.append(Likeness(a, b, round(total, 2), (*reasons, *extra)))
    return sorted(found, key=lambda like: (-like.score, like.a.since, like.a.id, like.b.id))


def _worth(reason: Reason) -> float:
    return _SCORES[reason.kind] / reason.bearers


def _bearers(people: Iterable[Person]) -> Mapping[str, set[str]]:
    """Who bears a word in a name, by the word."""
    bearers: defaultdict[str, set[str]] = defaultdict(set)
    for person in people:
        for called in person.called:
            for word in called.words:
                bearers[word].add(person.id)
    return bearers


def _sharing(people: Sequence[Person]) -> list[tuple[Person, Person]]:
    """The pairs that have a word, a given name in any of its forms, or all their letters in common."""
    groups: defaultdict[str, dict[str, Person]] = defaultdict(dict)
    for person in people:
        for called in person.called:
            keys = {*called.words[:1], *called.words[-1:], "".join(called.words)}
            keys |= {full for word in keys for full in short_for(word)}
            for key in keys - {""}:
                groups[key][person.id] = person
    pairs = {
        (one.id, other.id): (one, other)
        for group in groups.values()
        for one, other in combinations(sorted(group.values(), key=lambda p: p.id), 2)
    }
    return [pairs[key] for key in sorted(pairs)]


def _contradict(one: Person, other: Person) -> bool:
    """Whether sexes, given names or surnames say that they are two."""
    sexes = {c.sex for c in one.called} - {""}, {c.sex for c in other.called} - {""}
    if sexes[0] and sexes[1] and sexes[0].isdisjoint(sexes[1]):
        return True
    titles = [frozenset().union(*(c.titles for c in person.called)) & {"mr", "mrs", "miss"} for person in (one, other)]
    if titles[0] and titles[1] and titles[0].isdisjoint(titles[1]):
        return True
    given = [{c.given for c in person.called} - {""} for person in (one, other)]
    if given[0] and given[1] and not any(_same_given(a, b) for a in given[0] for b in given[1]):
        return True
    surnames = [{c.surname for c in person.called if len(c.words) > 1} - {""} for person in (one, other)]
    return bool(surnames[0] and surnames[1] and surnames[0].isdisjoint(surnames[1]))


def _same_given(a: str, b: str) -> bool:
    forms = [{word} | short_for(word) for word in (a, b)]
    return not forms[0].isdisjoint(forms[1]) or (min(len(a), len(b)) == 1 and a[0] == b[0])


def _reasons(one: Person, other: Person, bearers: Mapping[str, set[str]]) -> list[Reason]:
    found = []
    for a in one.called:
        for b in other.called:
            found += _of_names(a, b, bearers)
    return found


def _of_names(a: Called, b: Called, bearers: Mapping[str, set[str]]) -> list[Reason]:
    found = []
    if a.written != b.written and "".join(a.words) == "".join(b.words):
        found.append(Reason("spelling", " ".join(a.words)))
    if a.capital != b.capital:
        return found
    if not a.capital:  # "the old soldier", "the soldier": the same noun, and one says no more than the other
        short, long = sorted((set(a.words), set(b.words)), key=len)
        if a.words and b.words and a.words[-1] == b.words[-1] and short <= long:
            found.append(Reason("epithet", a.words[-1], _others(bearers, a.words[-1])))
        return found
    if (
        a.given
        and b.given
        and a.given != b.given
        and len(a.given) > 1
        and len(b.given) > 1
        and _same_given(a.given, b.given)
    ):
        found.append(Reason("nickname", f"{a.given}, {b.given}", _others(bearers, a.given)))
    short_name, full = sorted((a, b), key=lambda c: len(c.words))
    alone = len(short_name.words) == 1 and not short_name.titles - BEFORE_A_GIVEN_NAME
    if full.given and full.given == short_name.words[0] and (alone or short_name.words == full.words):
        found.append(Reason("given name", full.given, _others(bearers, full.given)))
    if (
        a.surname
        and a.surname == b.surname
        and len(short_name.words) == 1
        and (a.titles, a.words) != (b.titles, b.words)
    ):
        found.append(Reason("surname", a.surname, _others(bearers, a.surname)))
    return found


def _others(bearers: Mapping[str, set[str]], word: str) -> int:
    """How many pairs a bearer of the word could make: with two bearers just the one in question."""
    return max(1, len(bearers[word]) - 1)


def _extra(one: Person, other: Person) -> list[Reason]:
    """What makes a pair likelier and never suffices: whom both know, and descriptions of the same words."""
    found = []
    if len(one.company & other.company) >= _COMMON:
        found.append(Reason("company", str(len(one.company & other.company))))
    words = [{w.lower() for d in p.descriptions for w in _WORDS.findall(d) if len(w) > 3} for p in (one, other)]
    if (
        words[0]
        and words[1]
        and len(words[0] & words[1]) >= _IN_COMMON * min(map(len, words))
        and len(words[0] & words[1]) > 1
    ):
        found.append(Reason("description", ", ".join(sorted(words[0] & words[1])[:5])))
    return found


def _fullness(person: Person) -> tuple[int, int]:
    return max((len(c.words) * c.capital, len(c.words)) for c in person.called)


def _plain(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in folded if c.isalnum())
