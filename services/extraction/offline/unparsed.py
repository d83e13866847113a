"""Names in languages without a parser: by capitals alone, and with the little confidence that deserves."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from services.extraction.offline.figures import Figure
from services.extraction.offline.observations import Surface
from services.extraction.offline.paragraphs import Span

_WORD = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)*")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?…:“”«»„\"‘’(—–-])\s*$")
_OFTEN = 3
_CONFIDENCE = 0.3


def capital_names(text: str, paragraphs: Sequence[Span]) -> list[Figure]:
    """Words and runs that keep their capital inside sentences at least three times and never occur without it.

    They are taken for characters: most names of fiction are.
    """
    lower: Counter[str] = Counter()
    inner: defaultdict[Surface, int] = defaultdict(int)
    for paragraph in paragraphs:
        run: list[str] = []
        end = paragraph.start
        for word in _WORD.finditer(text, *paragraph):
            if word.group()[0].islower():
                lower[word.group()] += 1
            goes_on = bool(run) and text[end : word.start()] == " "
            if run and not (goes_on and _is_capital(word.group())):
                inner[tuple(run)] += 1
                run = []
            before = text[max(paragraph.start, word.start() - 4) : word.start()]
            if _is_capital(word.group()) and (run or not _STARTS_SENTENCE.search(before)):
                run.append(word.group())
            end = word.end()
        if run:
            inner[tuple(run)] += 1
    return [
        Figure(" ".join(tokens), "character", [tokens], confidence=_CONFIDENCE)
        for tokens, count in sorted(inner.items())
        if count >= _OFTEN and len(tokens) <= 4 and not any(lower[token.lower()] for token in tokens)
    ]


def _is_capital(word: str) -> bool:
    return word[0].isupper() and len(word) > 1 and not word.isupper()
