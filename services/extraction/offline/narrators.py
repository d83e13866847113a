"""Who says "I" in the narration: told by headings such as "Mina Murray’s Journal" or "Letter from Lucy to Mina"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from services.extraction.offline.company import beside
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
_ME = re.compile(r"(?<!\w)me(?!\w)")
_CALLED_OFTEN = 2
_OFTEN = 3
_A_NARRATOR = 15
"""A narration that says "I" so often is somebody's own story."""
_IN_A_SHORT_CHAPTER = 5
_DENSE = 4 / 6000
"""How often a code point of a narration that is somebody's own story begins an "I", at least: four in a thousand words."""


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
    teller = (
        _teller(text, paragraphs, mentions, speech, seen) if is_told_by_one(text, paragraphs, speech, seen) else None
    )
    return Narrators(starts, figures, first_person, teller)


def is_told_by_one(text: str, paragraphs: Sequence[Span], speech: Quotations, seen: Observations) -> bool:
    """Whether a chapter is one narrator's own story, without headings that hand it from one to another."""
    narrated = len(text) - sum(quote.end - quote.start for quote in speech.spans)
    dense = seen.first_person >= _IN_A_SHORT_CHAPTER and seen.first_person >= _DENSE * narrated
    return (seen.first_person >= _A_NARRATOR or dense) and not _headings(text, paragraphs)


def _teller(
    text: str, paragraphs: Sequence[Span], mentions: Mentions, speech: Quotations, seen: Observations
) -> Figure:
    """The narrator: "the narrator" in every chapter, so that all of them tell of one, and what others call him beside it."""
    figure = _spoken_to(text, mentions, _Replies(text, paragraphs, speech, seen), speech)
    if figure is None or figure.ambiguous:
        return Figure(UNNAMED, "character", [], confidence=0.6)
    figure.name = UNNAMED
    return figure


def _spoken_to(text: str, mentions: Mentions, replies: _Replies, speech: Quotations) -> Figure | None:
    """The one whom others call by name while the narration never names him, as nobody tells of himself by name.

    It counts only where the narrator is there to be spoken to: where he answers, or "me" stands beside the speech.
    """
    called: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for quote in speech.spans:
        if replies.own(quote):
            continue
        keys = [figure_key(m.figure) for m in mentions.within(*quote) if is_vocative(text, m, quote)]
        called.update(keys)
        answered.update(keys if replies.answered(quote) else ())
    told = {figure_key(mention.figure) for mention in mentions.all if mention.narrated}
    ranked = [(key, count) for key, count in called.most_common() if key not in told]
    if not ranked or answered[ranked[0][0]] < _CALLED_OFTEN or (len(ranked) > 1 and ranked[1][1] * 2 > ranked[0][1]):
        return None
    return next(m.figure for m in mentions.all if figure_key(m.figure) == ranked[0][0])


class _Replies:
    """Where the narrator says something himself, and where what is said is said to him."""

    def __init__(self, text: str, paragraphs: Sequence[Span], speech: Quotations, seen: Observations) -> None:
        self._starts = [paragraph.start for paragraph in paragraphs]
        mine = [saying.offset for saying in seen.sayings if saying.pronoun == "i"]
        spoken = [(offset, quote) for offset in mine if (quote := beside(offset, speech)) is not None]
        self._own = {quote for offset, quote in spoken if self._number(offset) == self._number(quote.start)}
        self._answers = {self._number(offset) for offset in mine}
        self._to_me = {self._number(m.start()) for m in _ME.finditer(text) if not speech.covers(m.start())}

    def _number(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def own(self, quote: Span) -> bool:
        """Whether the narrator is said to speak it."""
        return quote in self._own

    def answered(self, quote: Span) -> bool:
        number = self._number(quote.start)
        return number in self._to_me or bool({number - 1, number + 1} & self._answers)


def _headings(text: str, paragraphs: Sequence[Span]) -> list[tuple[Span, re.Match[str]]]:
    found = []
    for paragraph in paragraphs:
        if paragraph.end - paragraph.start <= _LONGEST_HEADING:
            line = _OWNED.match(text, *paragraph) or _SENT.match(text, *paragraph)
            if line:
                found.append((paragraph, line))
    return found
