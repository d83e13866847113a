"""What is long shown by the part that matters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from services.documents import Document

LONGEST: Final = 400
UNTOLD: Final = 12


def excerpt(text: str, words: str | None, longest: int = LONGEST) -> str:
    """The stretch of a text around `words`, on one line: at most `longest` characters of it, cut between words.

    Where the text does not have them as they stand, around the longest of them that it has, else its beginning. An
    ellipsis stands for what is left out.
    """
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    at, length = _place(line, " ".join((words or "").split()))
    start = max(0, min(at - (longest - length) // 2, len(line) - longest))
    end = min(len(line), start + longest)
    if start:
        start = min(line.find(" ", start) + 1 or start, max(at, start))
    if end < len(line):
        end = max(line.rfind(" ", start, end), at + length)
    return ("… " if start else "") + line[start:end].strip() + (" …" if end < len(line) else "")


def without_most_untold(irony: Sequence[Document]) -> tuple[list[Document], int]:
    """What a person is shown of what the reader knows and a character does not, and how much is left out.

    All of which a record says so; of what merely nobody told them the first few, which are those about themselves.
    """
    untold = [each for each in irony if each["why"] == "untold"]
    shown = [each for each in irony if each["why"] != "untold"] + untold[:UNTOLD]
    return shown, len(irony) - len(shown)


def _place(line: str, words: str) -> tuple[int, int]:
    """Where the words stand, and how many characters they have."""
    for sought in (words, *sorted(words.split(), key=len, reverse=True)):
        if sought and (found := re.search(re.escape(sought), line, re.IGNORECASE)):
            return found.start(), found.end() - found.start()
    return 0, 0
