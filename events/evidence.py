"""Evidence: where in a chapter's text a record is grounded. Offsets are code points, spans are half open."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from events.folding import Folding, fold, folded, is_grapheme_boundary

__all__ = ["Span", "TextIndex", "clean_text", "folded"]

# Characters that a search may compare again after hits that cannot be used; keeps hostile repetitive texts linear.
_SEARCH_BUDGET = 10_000_000


@dataclass(frozen=True, slots=True)
class Span:
    """The code points [start, end) of a text."""

    start: int
    end: int


class TextIndex:
    """Finds evidence in one text. Nothing is computed before the first quote that is not there letter for letter."""

    def __init__(self, text: str) -> None:
        self.text = text

    def locate(self, *, quote: str | None, start: int | None, end: int | None) -> Span | None:
        """The span that a quote, offsets, or both name; None where the text has no such span.

        A quote is looked for letter for letter, then without regard to typography (see `folded`), then also to case; without
        offsets its first occurrence is meant. Offsets that disagree with the quote only say which occurrence: the nearest to `start`.
        Offsets alone must hold something visible. Spans do not cut a user-perceived character unless the quote itself does.
        """
        if quote is None:
            return self._offsets(start, end)
        needle = folded(quote)
        if not needle:
            return None
        if start is None:
            return self._first(quote, needle)
        named = self._offsets(start, end)
        if named is not None and self._agrees(Span(start, end or start), named, quote, needle):
            return Span(start, end or start) if self.text[start:end] == quote else named
        return self._nearest(quote, needle, max(0, min(start, len(self.text))))

    def _agrees(self, given: Span, whole: Span, quote: str, needle: str) -> bool:
        if self.text[given.start : given.end] == quote:
            return True
        return folded(self.text[whole.start : whole.end]) == needle

    def _offsets(self, start: int | None, end: int | None) -> Span | None:
        if start is None or end is None or not 0 <= start < end <= len(self.text):
            return None
        if not folded(self.text[start:end]):
            return None
        while not is_grapheme_boundary(self.text, start):
            start -= 1
        while not is_grapheme_boundary(self.text, end):
            end += 1
        return Span(start, end)

    def _first(self, quote: str, needle: str) -> Span | None:
        exact = self._exact(quote, 0)
        if exact is not None:
            return exact
        return self._folded(self._folding, needle, 0) or self._folded(self._caseless, needle.casefold(), 0)

    def _nearest(self, quote: str, needle: str, start: int) -> Span | None:
        found = [s for s in (self._exact(quote, start), self._folded(self._folding, needle, start)) if s is not None]
        if found:
            return min(found, key=lambda span: abs(span.start - start))
        return self._folded(self._caseless, needle.casefold(), start)

    @cached_property
    def _folding(self) -> Folding:
        return fold(self.text)

    @cached_property
    def _caseless(self) -> Folding:
        return self._folding.without_case()

    def _exact(self, quote: str, start: int) -> Span | None:
        def whole(at: int) -> bool:
            return is_grapheme_boundary(self.text, at) and is_grapheme_boundary(self.text, at + len(quote))

        at = _closest(self.text, quote, start, whole)
        if at is None:
            at = _closest(self.text, quote, start, lambda _: True)
        return None if at is None else Span(at, at + len(quote))

    def _folded(self, folding: Folding, needle: str, start: int) -> Span | None:
        def whole(at: int) -> bool:
            return folding.is_seam(at) and folding.is_seam(at + len(needle))

        at = _closest(folding.text, needle, _folded_offset(folding, start), whole)
        return None if at is None else Span(folding.starts[at], folding.ends[at + len(needle) - 1])


def clean_text(text: str) -> str:
    """A chapter's text as it is hashed, stored and pointed into: encodable, without NUL and leading BOM, lines ended by LF.

    The normal form stays the author's. Cleaning twice changes nothing more.
    """
    text = text.replace("\0", "")
    if re.search("[\ud800-\udfff]", text):
        # Two halves of one character come together; a half without the other becomes U+FFFD.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _folded_offset(folding: Folding, start: int) -> int:
    """The first folded character that stands for the original at `start` or after it."""
    low, high = 0, len(folding.starts)
    while low < high:
        middle = (low + high) // 2
        if folding.starts[middle] < start:
            low = middle + 1
        else:
            high = middle
    return low


def _closest(text: str, needle: str, start: int, usable: Callable[[int], bool]) -> int | None:
    """The usable occurrence of `needle` whose beginning is closest to `start`, the earlier one of two."""
    after = _next(text, needle, start, len(text), usable)
    reach = len(text) if after is None else after - start
    window = 64
    while start > 0:
        low = max(0, start - window)
        before = _last(text, needle, low, start, usable)
        if before is not None:
            return before if after is None or start - before <= reach else after
        if low == 0 or window > reach:
            break
        window *= 4
    return after


def _next(text: str, needle: str, low: int, high: int, usable: Callable[[int], bool]) -> int | None:
    """The first usable occurrence that begins in [low, high)."""
    budget = _SEARCH_BUDGET
    at = text.find(needle, low, high + len(needle) - 1)
    while at >= 0 and budget > 0:
        if usable(at):
            return at
        budget -= len(needle)
        at = text.find(needle, at + 1, high + len(needle) - 1)
    return None


def _last(text: str, needle: str, low: int, high: int, usable: Callable[[int], bool]) -> int | None:
    """The last usable occurrence that begins in [low, high). Forward searches only: `str.rfind` can take quadratic time."""
    found = None
    at, budget = low, _SEARCH_BUDGET
    while budget > 0:
        hit = _next(text, needle, at, high, usable)
        if hit is None:
            break
        found, at = hit, hit + 1
        budget -= len(needle)
    return found
