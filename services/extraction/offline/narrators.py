"""Who says "I" in the narration: told by headings such as "Mina Murray’s Journal" or "Letter from Lucy to Mina"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mentions
from services.extraction.offline.observations import Observations
from services.extraction.offline.paragraphs import Span

_NAME = r"(?P<name>(?:[^\W\d_a-z][\w.’'-]*\s+){0,3}[^\W\d_a-z][\w.-]*)"
_PAPERS = r"(?:journal|diary|narrative|log|letter|memorandum|statement|account|notes|testimony|confession)"
_OWNED = re.compile(rf"[\W_]*{_NAME}[’']s?\s+(?:\w+\s+){{0,2}}(?i:{_PAPERS})\b")
_SENT = re.compile(rf"[\W_]*(?i:letter|telegram|note)s?,?\s+(?:from\s+)?{_NAME},?\s+to\s")
_LONGEST_HEADING = 120
_OFTEN = 3


class Narrators:
    """The first-person narrators of a chapter by place."""

    def __init__(self, starts: Sequence[int], figures: Sequence[Figure | None], first_person: bool) -> None:
        self._starts = starts
        self._figures = figures
        self.first_person = first_person
        """Whether the narration says "I" often enough to have a narrator in the story."""

    def at(self, offset: int) -> Figure | None:
        """Who narrates at `offset`, where a heading before it says so."""
        index = bisect_right(self._starts, offset) - 1
        return self._figures[index] if index >= 0 else None


def vote_for_headings(text: str, paragraphs: Sequence[Span], seen: Observations) -> None:
    """A name that owns a journal or sends a letter is a person's."""
    for _, name in _headings(text, paragraphs):
        votes = seen.runs[tuple(name.group("name").split())]
        votes.inner += 1
        votes.person += 3.0


def narrators(text: str, paragraphs: Sequence[Span], mentions: Mentions, seen: Observations) -> Narrators:
    starts, figures = [], []
    for paragraph, match in _headings(text, paragraphs):
        mention = mentions.at(match.start("name"))
        starts.append(paragraph.start)
        figures.append(mention.figure if mention is not None and mention.figure.type == "character" else None)
    return Narrators(starts, figures, seen.first_person >= _OFTEN)


def _headings(text: str, paragraphs: Sequence[Span]) -> list[tuple[Span, re.Match[str]]]:
    found = []
    for paragraph in paragraphs:
        if paragraph.end - paragraph.start <= _LONGEST_HEADING:
            line = _OWNED.match(text, *paragraph) or _SENT.match(text, *paragraph)
            if line:
                found.append((paragraph, line))
    return found
