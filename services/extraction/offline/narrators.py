"""Who says "I" in the narration: told by headings such as "Mina Murray’s Journal" or "Letter from Lucy to Mina"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mentions, figure_key
from services.extraction.offline.observations import Observations
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.vocatives import is_vocative

_NAME = r"(?P<name>(?:[^\W\d_a-z][\w.’'-]*\s+){0,3}[^\W\d_a-z][\w.-]*)"
_PAPERS = r"(?:journal|diary|narrative|log|letter|memorandum|statement|account|notes|testimony|confession)"
_OWNED = re.compile(rf"[\W_]*{_NAME}[’']s?\s+(?:\w+\s+){{0,2}}(?i:{_PAPERS})\b")
_SENT = re.compile(rf"[\W_]*(?i:letter|telegram|note)s?,?\s+(?:from\s+)?{_NAME},?\s+to\s")
_LONGEST_HEADING = 120
UNNAMED = "the narrator"
"""What a narrator goes by; a chapter that knows his name joins the two."""
_CALLED_OFTEN = 2
_OFTEN = 3
_A_NARRATOR = 15
"""A narration that says "I" so often is somebody's own story."""


class Narrators:
    """The first-person narrators of a chapter by place."""

    def __init__(
        self, starts: Sequence[int], figures: Sequence[Figure | None], first_person: bool, spoken_to: Figure | None
    ) -> None:
        self._spoken_to = spoken_to
        self._starts = starts
        self._figures = figures
        self.first_person = first_person
        """Whether the narration says "I" often enough to have a narrator in the story."""
        self.unnamed = spoken_to if spoken_to is not None and spoken_to.name == UNNAMED else None
        """The narrator whom nothing names in this chapter."""

    def at(self, offset: int) -> Figure | None:
        """Who narrates at `offset`.

        By a heading before it, else whom others call by name and the narration never does, else "the narrator".
        """
        index = bisect_right(self._starts, offset) - 1
        return self._figures[index] if index >= 0 else self._spoken_to

    def told_at(self, offset: int) -> bool:
        """Whether a heading says who narrates at `offset`."""
        return bisect_right(self._starts, offset) > 0


def vote_for_headings(text: str, paragraphs: Sequence[Span], seen: Observations) -> None:
    """A name that owns a journal or sends a letter is a person's."""
    for _, name in _headings(text, paragraphs):
        votes = seen.runs[tuple(name.group("name").split())]
        votes.inner += 1
        votes.person += 3.0


def narrators(
    text: str, paragraphs: Sequence[Span], mentions: Mentions, speech: Quotations, seen: Observations
) -> Narrators:
    starts, figures = [], []
    for paragraph, match in _headings(text, paragraphs):
        mention = mentions.at(match.start("name"))
        starts.append(paragraph.start)
        figures.append(mention.figure if mention is not None and mention.figure.type == "character" else None)
    first_person = seen.first_person >= _OFTEN
    teller = _teller(text, mentions, speech) if is_told_by_one(text, paragraphs, seen) else None
    return Narrators(starts, figures, first_person, teller)


def is_told_by_one(text: str, paragraphs: Sequence[Span], seen: Observations) -> bool:
    """Whether a chapter is one narrator's own story, without headings that hand it from one to another."""
    return seen.first_person >= _A_NARRATOR and not _headings(text, paragraphs)


def _teller(text: str, mentions: Mentions, speech: Quotations) -> Figure:
    figure = _spoken_to(text, mentions, speech)
    if figure is None:
        return Figure(UNNAMED, "character", [], confidence=0.6)
    # a form of address alone, or initials, say too little
    if any(len(name.rest) > 1 and all(len(word) > 2 for word in name.rest) for name in figure.names):
        figure.epithets.append(UNNAMED)
    return figure


def _spoken_to(text: str, mentions: Mentions, speech: Quotations) -> Figure | None:
    """The one whom others call by name while the narration never names him, as nobody tells of himself by name."""
    called: Counter[str] = Counter()
    for quote in speech.spans:
        called.update(figure_key(m.figure) for m in mentions.within(*quote) if is_vocative(text, m, quote))
    told = {figure_key(mention.figure) for mention in mentions.all if mention.narrated}
    ranked = [(key, count) for key, count in called.most_common() if key not in told]
    if not ranked or ranked[0][1] < _CALLED_OFTEN or (len(ranked) > 1 and ranked[1][1] * 2 > ranked[0][1]):
        return None
    return next(m.figure for m in mentions.all if figure_key(m.figure) == ranked[0][0])


def _headings(text: str, paragraphs: Sequence[Span]) -> list[tuple[Span, re.Match[str]]]:
    found = []
    for paragraph in paragraphs:
        if paragraph.end - paragraph.start <= _LONGEST_HEADING:
            line = _OWNED.match(text, *paragraph) or _SENT.match(text, *paragraph)
            if line:
                found.append((paragraph, line))
    return found
