"""Whom and what a text names: the figures of a slice, by any name they have there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from events.ids import EntityId
from events.names import PERSON, class_of, key_of
from projections.search.analysis import terms
from services.answering.wording import CREATURES
from services.extraction.offline.lexicon import TITLES
from services.retrieval.cast import Cast, Figure
from services.retrieval.slices import Slice

_WORD: Final = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_ARTICLES: Final = frozenset(("the", "a", "an"))
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_ASKED: Final = "who whom whose what which where when why how did does do is are was were has have had can could will"
_ASKING: Final = frozenset(_ASKED.split())
_GENERATIONS: Final = frozenset(("old", "young", "elder", "younger", "junior", "senior"))
_FAR_MORE: Final = 3
"""How many times as often a name has to mean one of several people as any other."""
_LONGEST: Final = 8
"""Words of a name that are compared."""


@dataclass(frozen=True, slots=True)
class Named:
    """A figure where a text names it: code points [start, end)."""

    figure: Figure
    start: int
    end: int


class Names:
    """The names of a slice's figures, as sequences of words; the longest name that fits counts."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._by_words: dict[tuple[str, ...], Figure] = {}
        self._parts: dict[str, dict[EntityId, Figure]] = {}
        self._shared: dict[tuple[str, ...], list[Figure]] = {}
        bearers: dict[tuple[str, ...], dict[EntityId, Figure]] = {}
        self._by_end: dict[tuple[str, ...], dict[EntityId, Figure]] = {}
        # people first: a surname that some chapter takes for a place is asked of its bearer
        for figure in sorted(cast.ordered, key=lambda figure: class_of(figure.id) != PERSON):
            for name in (cast.name(figure.id), *cast.aliases(figure), key_of(figure.id)):
                words = _words(name)
                if not words:
                    continue
                self._by_words.setdefault(words, figure)
                bearers.setdefault(words, {})[figure.id] = figure
                if class_of(figure.id) == PERSON and len(words) > 1:
                    for part in {words[0], words[-1]} - TITLES - CREATURES:
                        self._parts.setdefault(part, {})[figure.id] = figure
                for start in range(1, len(words)):
                    self._by_end.setdefault(words[start:], {})[figure.id] = figure

        shared = {
            words: people
            for words, several in bearers.items()
            if len(people := [figure for figure in several.values() if class_of(figure.id) == PERSON]) > 1
        }
        meant: dict[tuple[str, ...], Counter[EntityId]] = {}
        for surface, counts in cast.called.items() if shared else ():
            meant.setdefault(_words(surface), Counter()).update(counts)
        for words, people in shared.items():
            self._decide(words, people, meant)

    def _decide(
        self, words: tuple[str, ...], people: list[Figure], meant: Mapping[tuple[str, ...], Counter[EntityId]]
    ) -> None:
        """A name of several people means whose first name for himself it is, or whom it means far more often; else nobody."""
        own = [figure for figure in people if _words(self._cast.name(figure.id)) == words]
        clear = own[0] if len(own) == 1 else self._foremost(people, meant.get(words, Counter()))
        if clear is not None:
            self._by_words[words] = clear
        else:
            del self._by_words[words]
            self._shared[words] = people

    def _foremost(self, people: Sequence[Figure], times: Mapping[EntityId, int]) -> Figure | None:
        """Who of several is meant far more often, or of whom the others are likely but other spellings; None: nobody."""
        ranked = sorted(people, key=lambda figure: (-times.get(figure.id, 0), -len(figure.mentioned_in), figure.id))
        first = ranked[0]
        if times.get(first.id, 0) >= _FAR_MORE * max(1, times.get(ranked[1].id, 0)):
            return first
        called = [_without_titles(self._cast.name(figure.id)) for figure in ranked]
        return first if all(_may_be_one(called[0], other) for other in called[1:]) else None

    def of(self, entity: str) -> str:
        return self._cast.name(entity)

    def unclear_in(self, text: str) -> list[tuple[str, list[str]]]:
        """Names in a text that several people have, each with theirs: a name of two, or a part of the names of two."""
        named = self.in_text(text)
        words = [(match, _plain(match.group())) for match in _WORD.finditer(text)]
        found = []
        for place, (match, word) in enumerate(words):
            if any(n.start <= match.start() < n.end for n in named):
                continue
            if place and words[place - 1][1] in _ARTICLES:
                continue  # the King, of whom there may be several, is told apart by what is told of him
            length = next((n for n in (3, 2, 1) if self._is_shared(words[place : place + n], n)), 0)
            several = self._shared.get(tuple(w for _, w in words[place : place + length]), [])
            if not length and match.group()[:1].isupper() and (place > 0 or word not in _ASKING):
                beside = [words[n][0].group()[:1].isupper() for n in (place - 1, place + 1) if 0 < n < len(words)]
                part = list(self._parts.get(word, {}).values())
                times = {figure.id: len(figure.mentioned_in) for figure in part}
                several = part if len(part) > 1 and not any(beside) and self._foremost(part, times) is None else []
            if several:
                end = words[place + max(1, length) - 1][0].end()
                found.append((text[match.start() : end], sorted(self.of(figure.id) for figure in several)))
        return found

    def _is_shared(self, words: Sequence[tuple[re.Match[str], str]], length: int) -> bool:
        return len(words) == length and tuple(word for _, word in words) in self._shared

    def names(self, figure: Figure) -> list[str]:
        """Every name of a figure, the canonical one first."""
        return list(dict.fromkeys([self._cast.name(figure.id), *self._cast.aliases(figure)]))

    def called(self, text: str) -> Figure | None:
        """The figure that the whole text names."""
        return self._by_words.get(_words(text))

    def meant(self, text: str) -> Figure | None:
        """The figure that the whole text names, or the only one whose name ends so: `the key` where there is one, of brass."""
        found = self.called(text)
        ending = self._by_end.get(_words(text), {})
        if found is None and len(ending) == 1:
            return next(iter(ending.values()))
        return found or self._belonging(text)

    def _belonging(self, text: str) -> Figure | None:
        """Whom `the duke's boat` means, where one name has the duke and another the boat: `the duke's ship`, also called `the boat`."""
        words = _words(text)
        owner = next(iter(self.in_text(text)), None)
        if owner is None or len(words) < 2 or not re.search(r"['’]", text):
            return None
        noun = set(terms(words[-1]))
        of = set(terms(text[owner.start : owner.end]))
        found = {}
        for figure in self._cast.ordered:
            named = [set(terms(name)) for name in self.names(figure)]
            if (
                figure.id != owner.figure.id
                and any(of < name for name in named)
                and any(noun <= name for name in named)
            ):
                found[figure.id] = figure
        return next(iter(found.values())) if len(found) == 1 else None

    def hinted_in(self, text: str) -> list[Figure]:
        """Everybody and everything whose name ends with words of the text, other than those that it names outright."""
        named = self.in_text(text)
        left = [m for m in _WORD.finditer(text) if not any(n.start <= m.start() < n.end for n in named)]
        words = [_plain(match.group()) for match in left]
        found: dict[EntityId, Figure] = {}
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
                found.update(self._by_end.get(tuple(words[start:end]), {}))
        return list(found.values())

    def in_text(self, text: str) -> list[Named]:
        """The figures a text names, in its order."""
        return list(self._found(text))

    def _found(self, text: str) -> Iterator[Named]:
        words = [(match, _plain(match.group())) for match in _WORD.finditer(text)]
        place = 0
        while place < len(words):
            for length in range(min(_LONGEST, len(words) - place), 0, -1):
                figure = self._by_words.get(tuple(word for _, word in words[place : place + length]))
                if figure is not None:
                    yield Named(figure, words[place][0].start(), words[place + length - 1][0].end())
                    place += length
                    break
            else:
                place += 1


def as_called(names: Names, text: str, packet: Mapping[str, Any]) -> str:
    """The text with everybody under the name that most of the packet's items have for them; names that none has stay."""
    told = [f" {' '.join(_WORD.findall(item['text'].casefold()))} " for item in packet["items"]]
    shown, end = [], 0
    for named in names.in_text(text):
        counts = [(sum(f" {name.casefold()} " in each for each in told), name) for name in names.names(named.figure)]
        most = max(count for count, _ in counts)
        own = text[named.start : named.end]
        best = next(name for count, name in counts if count == most)
        shown += [text[end : named.start], own if not most or own.casefold() == best.casefold() else best]
        end = named.end
    return "".join([*shown, text[end:]])


def names_of(slice_: Slice) -> Names:
    return Names(slice_.cast)


def identities(found: Sequence[Named]) -> frozenset[EntityId]:
    return frozenset(named.figure.id for named in found)


def _words(name: str) -> tuple[str, ...]:
    words = tuple(_plain(match.group()) for match in _WORD.finditer(name))
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def _without_titles(name: str) -> list[str]:
    """The words of a name; a title stays that tells one generation from another."""
    return [word for word in _words(name) if word not in TITLES or word in _GENERATIONS]


def _may_be_one(name: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two names differ in titles alone, in a given name that one lacks, or that is short for the other's."""
    if set(name) <= set(other) or set(other) <= set(name):
        return not (set(name) ^ set(other)) & _GENERATIONS
    short, long = sorted((name[0], other[0]), key=len)
    return name[1:] == other[1:] and len(short) > 1 and long.startswith(short)


def _plain(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())
