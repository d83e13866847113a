"""Near-duplicate texts told from new ones, so that a packet says a thing once."""

from __future__ import annotations

import re
from typing import Final

SHINGLE: Final = 4
"""Words in a row."""
REPEATED: Final = 0.8
"""The share of a text's shingles from which it only repeats what is there."""

_WORD: Final = re.compile(r"\w+")


class Folding:
    """Remembers the texts that are in a packet."""

    def __init__(self) -> None:
        self._known: set[tuple[str, ...]] = set()

    def repeats(self, text: str) -> bool:
        """Whether at least `REPEATED` of the text's shingles are in the texts added so far. A text without words repeats nothing."""
        found = _shingles(text)
        return bool(found) and len(found & self._known) >= REPEATED * len(found)

    def add(self, text: str) -> None:
        self._known |= _shingles(text)


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if len(words) < SHINGLE:
        return {tuple(words)} if words else set()
    return set(zip(*(words[i:] for i in range(SHINGLE)), strict=False))
