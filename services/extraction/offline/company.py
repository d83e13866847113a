"""Which names a chapter tells apart: nobody is named twice in one breath, and nobody talks of himself by name.

"Mrs. Hale and Mary Hale went out" and ‘“Mary!” cried Mrs. Hale’ each speak of two people, however well the names would fit
one. Without such evidence two names that share a word may well be one person's.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mention, find_mentions
from services.extraction.offline.names import Name
from services.extraction.offline.observations import Saying, Surface
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations

_BREATH = re.compile(r"[.!?;:“”\"]|\n\s*\n")
"""What ends a stretch of narration that names nobody twice."""
_BESIDE = re.compile(
    r"\s*,?\s+(?:and|or|nor|but|with|to|from|than|between|for|by|of)\s+(?:her |his |the |poor |old |dear )?\Z"
)
_REACH = 80
"""Code points between a quotation and the verb of speech that belongs to it."""


class Company:
    """How often a chapter tells two names apart; a name side by side with another counts twice."""

    def __init__(self, counts: Counter[frozenset[Surface]] | None = None) -> None:
        self._counts = counts or Counter()

    @classmethod
    def of(cls, text: str, names: Sequence[Name], speech: Quotations, sayings: Iterable[Saying]) -> Company:
        """What the chapter says; `names` are those of its people."""
        figures = [Figure(name.text, name.type, [name.tokens], [name]) for name in names]
        mentions = find_mentions(text, figures, speech)
        counts: Counter[frozenset[Surface]] = Counter()
        for breath in _breaths(text, [mention for mention in mentions.all if mention.narrated]):
            counts.update(_pairs(text, breath))
        for saying in sayings:
            speaker = mentions.at(saying.subject)
            quote = beside(saying.offset, speech)
            if speaker is not None and quote is not None:
                spoken = {_surface(mention) for mention in mentions.within(*quote)}
                counts.update(frozenset((_surface(speaker), other)) for other in spoken)
        return cls(Counter({pair: count for pair, count in counts.items() if len(pair) == 2}))

    def apart(self, name: Name, figure: Figure, least: int = 1) -> bool:
        """Whether the chapter tells the name from those of the figure at least so often."""
        others = {other.tokens for other in figure.names} | {figure.full[:1]}
        return sum(self._counts[frozenset((name.tokens, other))] for other in others - {name.tokens}) >= least


def _breaths(text: str, mentions: Sequence[Mention]) -> Iterator[list[Mention]]:
    breath: list[Mention] = []
    for mention in mentions:
        if breath and _BREATH.search(text, breath[-1].span.end, mention.span.start):
            yield breath
            breath = []
        breath.append(mention)
    if breath:
        yield breath


def _pairs(text: str, breath: Sequence[Mention]) -> Iterator[frozenset[Surface]]:
    named = list(dict.fromkeys(map(_surface, breath)))
    for index, one in enumerate(named):
        for other in named[index + 1 :]:
            yield frozenset((one, other))
    for before, after in pairwise(breath):
        if _BESIDE.match(text[before.span.end : after.span.start]):
            yield frozenset((_surface(before), _surface(after)))


def _surface(mention: Mention) -> Surface:
    return mention.figure.surfaces[0]


def beside(offset: int, speech: Quotations) -> Span | None:
    """The quotation that ends or begins next to a verb of speech."""
    spans = speech.spans
    index = bisect_left(spans, (offset, 0))
    if index and offset - spans[index - 1].end <= _REACH:
        return spans[index - 1]
    if index < len(spans) and spans[index].start - offset <= _REACH:
        return spans[index]
    return None
