"""Who says "I" in the narration: told by headings such as "Mara Voss’s Journal", "Contributed by Tomas" or "Letter from Ida to Mara".

Without such a heading it is "the narrator", who also goes by the names that others call him to his face.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from services.extraction.offline.company import beside
from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import GIVEN_NAMES
from services.extraction.offline.mentions import Mentions, figure_key
from services.extraction.offline.observations import Observations
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.vocatives import is_vocative

_NAME = r"(?P<name>(?:[^\W\d_a-z][\w.’'-]*\s+){0,3}[^\W\d_a-z][\w.-]*)"
_PAPERS = r"(?:journal|diary|narrative|log|letter|memorandum|statement|account|notes|testimony|confession)"
_OWNED = re.compile(rf"[\W_]*(?!(?i:chapter|part|book|letter)\b){_NAME}[’']s?\s+(?:\w+\s+){{0,2}}(?i:{_PAPERS})\b")
_SENT = re.compile(rf"[\W_]*(?i:letter|telegram|note)s?,?\s+(?:from\s+)?{_NAME},?\s+to\s")
_SOMEBODY = (
    r"(?!\w+self\b)(?P<name>(?:[^\W\d_a-z](?:[\w.-]|[’'](?!s\b))*\s+){0,3}[^\W\d_a-z](?:[\w-]|[’'](?!s\b))*)"
    r"(?=\s*(?:[,;:()—–-]|\.?\s*\Z))"
)
_TOLD = r"(?:contributed|written|told|related|narrated|kept|resumed|continued|set down)"
_OF = re.compile(
    rf"[\s(*_—-]*(?i:(?:(?:the|an?|extract(?:s|ed)?|from|of|in)\s+){{0,4}}{_PAPERS}\s+(?:of|by|from)\s+(?:the\s+late\s+)?){_SOMEBODY}"
)
_TOLD_BY = re.compile(
    rf"[\s(*_—-]*(?i:(?:(?:the|an?)\s+)?(?:(?:story|tale|history|part|{_PAPERS})[,:]?\s+)?(?:as\s+)?{_TOLD}\s+by\s+){_SOMEBODY}"
)
_HEADINGS = (_OWNED, _SENT, _OF, _TOLD_BY)
_LONGEST_HEADING = 120
UNNAMED = "the narrator"
"""What a narrator goes by; a chapter that knows his name joins the two."""
_ME = re.compile(r"(?<!\w)me(?!\w)")
_FORMAL = frozenset(("mr", "miss", "mrs", "dr"))
_SURELY = 3
"""Calls that the narrator answers; where there are two only, both."""
_TOLD_AT_MOST = 10
"""Of so many uses of the narrator's name one may stand in the narration ("he called me Mara")."""
_CALLED = 4
"""Calls to somebody whom the narration never tells of that make it the narrator, if he is there at all."""
_CALLED_MOSTLY = 0.75
"""The share of the uses of his name that such calls are: of others one speaks, too."""
_OFTEN = 3
_A_NARRATOR = 15
"""A narration that says "I" so often is somebody's own story."""
_IN_A_SHORT_CHAPTER = 5
_DENSE = 4 / 6000
"""How often a code point of a narration that is somebody's own story begins an "I", at least: four in a thousand words."""


class Narrators:
    """The first-person narrators of a chapter by place."""

    def __init__(
        self,
        starts: Sequence[int],
        figures: Sequence[Figure | None],
        first_person: bool,
        spoken_to: Figure | None,
        also: Sequence[Figure] = (),
    ) -> None:
        self._spoken_to = spoken_to
        self.also = also
        """Figures of the cast that turned out to be the narrator, too, who has taken up their names."""
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
    if not is_told_by_one(text, paragraphs, speech, seen):
        return Narrators(starts, figures, first_person, None)
    teller, *also = _teller(text, paragraphs, mentions, speech, seen)
    return Narrators(starts, figures, first_person, teller, also)


def is_told_by_one(text: str, paragraphs: Sequence[Span], speech: Quotations, seen: Observations) -> bool:
    """Whether a chapter is one narrator's own story, without headings that hand it from one to another."""
    narrated = len(text) - sum(quote.end - quote.start for quote in speech.spans)
    dense = seen.first_person >= _IN_A_SHORT_CHAPTER and seen.first_person >= _DENSE * narrated
    return (seen.first_person >= _A_NARRATOR or dense) and not _headings(text, paragraphs)


def _teller(
    text: str, paragraphs: Sequence[Span], mentions: Mentions, speech: Quotations, seen: Observations
) -> list[Figure]:
    """The narrator, "the narrator" in every chapter so that all of them tell of one, then those whose names he took up."""
    called = _spoken_to(text, mentions, _Replies(text, paragraphs, speech, seen), speech)
    if not called:
        return [Figure(UNNAMED, "character", [], confidence=0.6)]
    narrator, *others = called
    for other in others:
        narrator.names += other.names
        narrator.surfaces += other.surfaces
        narrator.derived += other.derived
        narrator.gender = narrator.gender or other.gender
    narrator.name = UNNAMED
    narrator.derived += _in_full(narrator)
    return called


def _in_full(narrator: Figure) -> tuple[str, ...]:
    """The full name of whom some call "Mara" and others "Miss Voss": narrators seldom hear it, and other chapters have it."""
    given = [name.rest[0] for name in narrator.names if len(name.rest) == 1 and name.rest[0].lower() in GIVEN_NAMES]
    surnames = {name.rest[0] for name in narrator.names if len(name.rest) == 1 and name.title in _FORMAL}
    surname = next(iter(surnames), "")
    return tuple(f"{word} {surname}" for word in sorted({*given} - surnames)) if len(surnames) == 1 else ()


def _spoken_to(text: str, mentions: Mentions, replies: _Replies, speech: Quotations) -> list[Figure]:
    """Those whom others call by name while the narration never names them, as nobody tells of himself by name.

    It counts only where the narrator is there to be spoken to: where he answers, or "me" stands beside the speech. Who is
    called so most comes first; the others are the narrator's other names, where most such calls are to him.
    """
    called: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for quote in speech.spans:
        if replies.own(quote):
            continue
        keys = [figure_key(m.figure) for m in mentions.within(*quote) if is_vocative(text, m, quote)]
        called.update(keys)
        answered.update(keys if replies.answered(quote) else ())
    told = Counter(figure_key(mention.figure) for mention in mentions.all if mention.narrated)
    uses = Counter(figure_key(mention.figure) for mention in mentions.all)
    ranked = [(key, count) for key, count in called.most_common() if _TOLD_AT_MOST * told[key] <= uses[key]]
    own = [key for key, count in ranked if answered[key] >= min(count, _SURELY) and 2 * answered[key] >= count > 1]
    rivals = [answered[key] for key, _ in ranked if key not in own]
    if not own or 2 * max(rivals, default=0) > answered[own[0]]:
        own = _only_called(called, answered, told, uses)
    if not own:
        return []
    figures = {figure_key(m.figure): m.figure for m in reversed(mentions.all)}
    first, *others = (figures[key] for key in own)
    found = [first, *(f for f in others if not f.ambiguous and (not f.gender or f.gender == first.gender))]
    return found if not first.ambiguous else []


def _only_called(called: Counter[str], answered: Counter[str], told: Counter[str], uses: Counter[str]) -> list[str]:
    """The one whom people speak to again and again, hardly speak of, and of whom nothing is told.

    Whoever else is in a scene does something in it. He has to answer once, for somebody in a story within the story is called
    as well, and nobody of whom as little is told may answer as often.
    """
    ours = [
        key
        for key, count in called.items()
        if count >= _CALLED and count >= _CALLED_MOSTLY * uses[key] and _TOLD_AT_MOST * told[key] < uses[key]
    ]
    if len(ours) != 1 or not answered[ours[0]]:
        return []
    rivals = [key for key in called if key != ours[0] and told[key] <= 1 and answered[key] >= answered[ours[0]]]
    return [] if rivals else ours


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
            line = next((m for pattern in _HEADINGS if (m := pattern.match(text, *paragraph))), None)
            if line:
                found.append((paragraph, line))
    return found
