"""Cutting a chapter into passages: windows of 360 words that overlap by 80, never across chapters.

A word is a run of characters without white space. Scripts that put no spaces between words (Han, Kana, Thai, Lao, Khmer,
Burmese) count each character as a word, also inside a text that has spaces elsewhere; a longer run than any word
(40 characters and more, as in a text without a single space) counts as one word for every 40 characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from events.folding import is_grapheme_boundary

WORDS: Final = 360
OVERLAP: Final = 80
LONGEST_WORD: Final = 40

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_WORD: Final = re.compile(f"[{_UNSPACED}]|[^\\s{_UNSPACED}]{{1,{LONGEST_WORD}}}")


@dataclass(frozen=True, slots=True)
class Window:
    """The code points [start, end) of a chapter's text; `ordinal` counts the chapter's windows from 0."""

    ordinal: int
    start: int
    end: int


def windows(text: str, *, words: int = WORDS, overlap: int = OVERLAP) -> list[Window]:
    """The passages of a text in order: each begins and ends at a word, and every word is in at least one.

    A text of white space only has none. `overlap` must be less than `words`.
    """
    if not 0 <= overlap < words:
        raise ValueError(f"an overlap of {overlap} words does not fit into passages of {words}")
    spans = [match.span() for match in _WORD.finditer(text)]
    found: list[Window] = []
    first = 0
    while first < len(spans):
        last = min(first + words, len(spans)) - 1
        start, end = _whole(text, spans[first][0], -1), _whole(text, spans[last][1], 1)
        found.append(Window(len(found), start, end))
        if last == len(spans) - 1:
            break
        first += words - overlap
    return found


def _whole(text: str, offset: int, step: int) -> int:
    """`offset` moved by `step` until it does not cut a user-perceived character."""
    while not is_grapheme_boundary(text, offset):
        offset += step
    return offset
