"""From the headings that a text has to the chapters it is cut into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from services.publishing.importing.headings import Heading

_TABLE_ENTRY = 200
"""Characters of text that may stand between two entries of a table of contents."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may begin a chapter: [start, body) is the heading itself, with a title that stands below it.

    `level` is 1 to 6 where the format has levels.
    """

    start: int
    body: int
    heading: Heading | None
    title: str | None
    level: int | None = None

    @property
    def unit(self) -> str | None:
        return self.heading.unit if self.heading else None

    @property
    def number(self) -> int | None:
        return self.heading.number if self.heading else None

    @property
    def key(self) -> tuple[str, int | None, str]:
        return self.heading.key if self.heading else ("titled", None, (self.title or "").casefold())


@dataclass(frozen=True, slots=True)
class Piece:
    """One chapter's part of a text."""

    start: int
    end: int
    number: int | None
    title: str | None


def pieces(text: str, candidates: Sequence[Candidate]) -> list[Piece]:
    """The chapters of `text` in order; empty where the candidates make none. What precedes the first is in none of them."""
    parts = [c for c in candidates if c.unit == "part"]
    chosen = _chapters(text, candidates)
    found: list[Piece] = []
    for i, chapter in enumerate(chosen):
        start = _with_part(chapter, chosen[i - 1].body if i else 0, parts)
        if found:
            found[-1] = Piece(found[-1].start, start, found[-1].number, found[-1].title)
        found.append(Piece(start, len(text), chapter.number, chapter.title))
    return found


def _with_part(chapter: Candidate, after: int, parts: Sequence[Candidate]) -> int:
    """Where the chapter begins, counting the heading of a part that opens just before it."""
    return min((p.start for p in parts if after <= p.start < chapter.start), default=chapter.start)


def _chapters(text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    named = [c for c in candidates if c.unit in ("chapter", "unnumbered")]
    by_level, by_numeral = _by_level(candidates), _by_numeral(text, candidates)
    if sum(c.number is not None for c in named) > 1:
        return _without_contents(text, named, candidates)
    if len(by_numeral) > 1 and not len(by_level) > len(by_numeral):
        # A prologue or an epilogue stands among chapters that have nothing but a number.
        by_numeral = sorted([*by_numeral, *named], key=lambda c: c.start)
        return _without_contents(text, by_numeral, candidates)
    for scheme in (by_level, named, [c for c in candidates if c.unit == "part"]):
        if len(scheme) > 1 or (scheme and scheme is named):
            return _without_contents(text, scheme, candidates)
    sole = [c for c in candidates if c.level is not None or c.unit in ("unnumbered", "part")]
    return sole if len(sole) == 1 else []


def _by_level(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The headings of the highest level that has several, parts left aside where chapters stand below them."""
    for level in range(1, 7):
        found = [c for c in candidates if c.level == level]
        below = [c for c in candidates if c.level is not None and c.level > level]
        if len(found) > 1 and not (all(c.unit == "part" for c in found) and len(below) > 1):
            return [c for c in found if c.unit != "part"] if any(c.unit != "part" for c in found) else found
    return []


def _by_numeral(text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Numbers that count up from 1, and from 1 again after a part; bare ones divide chapters where others share a line with a title."""
    numerals = [c for c in candidates if c.unit in ("numeral", "part")]
    titled = _counting([c for c in numerals if c.unit == "part" or (c.heading and c.heading.title)])
    bare = _counting([c for c in numerals if not (c.heading and c.heading.title and c.unit == "numeral")])
    return next((scheme for scheme in (titled, bare) if _divides(text, scheme)), _counting(numerals))


def _divides(text: str, chosen: Sequence[Candidate]) -> bool:
    """Whether the headings divide the whole text, unlike the items of a numbered list in it."""
    ends = [c.start for c in chosen[1:]] + [len(text)]
    return len(chosen) > 1 and median(end - c.start for c, end in zip(chosen, ends, strict=True)) * len(
        chosen
    ) * 4 > len(text)


def _counting(candidates: Sequence[Candidate]) -> list[Candidate]:
    found: list[Candidate] = []
    following = 1
    for candidate in candidates:
        if candidate.unit == "part":
            following = 1
        elif candidate.number == following:
            found.append(candidate)
            following += 1
        elif candidate.number == 1 and following == 2 and len(found) == 1:
            found = [candidate]
    return found


def _without_contents(text: str, chosen: list[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """`chosen` without the entries of a table of contents: headings close together, all of which come again later."""
    following = {c.start: n.start for c, n in pairwise(candidates)}
    last = {c.key: i for i, c in enumerate(chosen)}

    def is_entry(i: int) -> bool:
        between = text[chosen[i].body : following.get(chosen[i].start, len(text))]
        return len(between.strip()) < _TABLE_ENTRY

    first = 0
    while first < len(chosen) and not is_entry(first):
        first += 1
    end = first
    while end < len(chosen) and is_entry(end) and last[chosen[end].key] > end:
        end += 1
    if end - first < 1:
        return chosen
    # The last entry is followed by whatever precedes the first chapter.
    if end + 1 < len(chosen) and chosen[end + 1].key == chosen[first].key and last[chosen[end].key] > end:
        end += 1
    reappears = end < len(chosen) and chosen[end].key == chosen[first].key
    return chosen[:first] + chosen[end:] if reappears and end - first > 1 else chosen
