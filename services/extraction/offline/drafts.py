"""Turns of speech as the words beside them give them, before they are weighed: who is named, by what pronoun or description."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.extraction.offline.antecedents import Antecedents, Reference
from services.extraction.offline.cues import Cues, Spoken
from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import INTERCHANGEABLE_TITLES, NEUTRAL_TITLES, TITLES, words
from services.extraction.offline.mentions import Mentions
from services.extraction.offline.names import Gender
from services.extraction.offline.observations import Observations, Saying
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.turns import Bond
from services.extraction.offline.vocatives import is_vocative

_CLOSING: Final = "”»\"’'」』"
_CAPITAL_THEN: Final = re.compile(
    r"(?:[Tt]he\s+)?(?:(?!(?:of|to|with|and|or|in|at|for|from|by|who|as|but|on)\b)[\w’'-]+\s+){1,2}(?=[A-Z])"
)
_LADIES: Final = frozenset(("miss", "mrs"))
_OFFICES: Final = NEUTRAL_TITLES - words("cousin old young saint comrade agent chief")
"""Titles that the narration writes without a capital where no name follows."""
_WORD: Final = re.compile(r"[^\W\d_]*")
_OTHERS: Final = frozenset(("he", "she", "it", "they", "we", "you"))
_ADDRESS: Final = re.compile(
    r"(?<=[,.!?—-] )(?:(?P<man>[Ss]ir|papa|father)|(?P<woman>[Mm]a[’']am|[Mm]adam|mamma|mama|mother))(?=[,.!?;:—-])"
)


class People:
    """Everybody who may speak in a chapter, by number: its characters, then those who are only described."""

    def __init__(self, mentions: Mentions) -> None:
        self.figures = [figure for figure in mentions.figures() if figure.type == "character"]
        self.named = len(self.figures)
        """Figures from this number on have no name."""
        self._place = {id(figure): place for place, figure in enumerate(self.figures)}
        self._strangers: dict[str, int] = {}
        self.counts = Counter(self._place[id(m.figure)] for m in mentions.all if m.figure.type == "character")

    def number(self, reference: Reference | None) -> int | None:
        """The number of whom a reference means, where that is a character."""
        return self._place.get(id(reference.figure)) if reference is not None else None

    def bearer(self, title: str) -> Reference | None:
        """The one person of the chapter who bears a title."""
        bearers = [figure for figure in self.figures[: self.named] if title in {name.title for name in figure.names}]
        return Reference(bearers[0], 0.6) if title and len(bearers) == 1 else None

    def bearers(self, figure: Figure) -> tuple[int, ...]:
        """Whom a name that several people bear may mean in the chapter; a bare surname is nobody's who is called Miss or Mrs."""
        if not figure.ambiguous:
            return ()
        meant = [n for n, other in enumerate(self.figures[: self.named]) if other.name in figure.ambiguous]
        titled = any(name.titles for name in figure.names)
        return tuple(n for n in meant if titled or not _LADIES & {name.title for name in self.figures[n].names})

    def place(self, figure: Figure) -> int:
        return self._place[id(figure)]

    def stranger(self, description: str) -> int:
        """Whoever goes by a description and has no name."""
        if description not in self._strangers:
            self._strangers[description] = len(self.figures)
            self.figures.append(Figure("", "character", []))
        return self._strangers[description]


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn before its weights."""

    index: int
    """The paragraph's number."""
    spoken: Spoken
    bond: Bond
    named: int | None
    """Whom the words beside it name as the speaker."""
    among: tuple[int, ...]
    """The people whom a name beside it may mean that several bear."""
    certain: float
    pronoun: str
    """The pronoun that stands for the speaker."""
    noun: str
    """The noun of the description that stands for the speaker."""
    owner: int | None
    """Whose wife, friend and so on he is."""
    addressed: Reference | None
    hearers_sex: Gender


class Drafting:
    """Reads the quotations of a chapter, paragraph by paragraph."""

    def __init__(
        self,
        text: str,
        paragraphs: Sequence[Span],
        quotations: Quotations,
        seen: Observations,
        mentions: Mentions,
        antecedents: Antecedents,
        people: People,
    ) -> None:
        self._text = text
        self._paragraphs = paragraphs
        self._quotations = quotations
        self._mentions = mentions
        self._antecedents = antecedents
        self._people = people
        self._cues = Cues(text, seen, mentions)
        self._phrases = {phrase.head: phrase for phrase in seen.phrases}

    def drafts(self) -> list[Draft]:
        drafts: list[Draft] = []
        for index, paragraph in enumerate(self._paragraphs):
            quotes = self._quotations.within(paragraph)
            if quotes:
                for spoken in self._cues.of(paragraph, quotes, self.narration_before(index)):
                    drafts.append(self._draft(index, spoken, drafts[-1] if drafts else None))
        return drafts

    def narration_before(self, index: int) -> Span | None:
        """The narration at the end of the paragraph before, after its last quotation."""
        if not index:
            return None
        before = self._paragraphs[index - 1]
        quotes = self._quotations.within(before)
        return Span(quotes[-1].end if quotes else before.start, before.end)

    def _draft(self, index: int, spoken: Spoken, last: Draft | None) -> Draft:
        cue = spoken.cue
        named = self._named(cue) if cue is not None else None
        place = self._people.number(named)
        among = self._people.bearers(named.figure) if named is not None else ()
        if among:
            named, place = None, among[0] if len(among) == 1 else None
        noun, owner, pronoun = "", None, ""
        if cue is not None and place is None and not among:
            pronoun = cue.pronoun
            if pronoun == "i":
                place = self._people.stranger("i")
            elif not pronoun:
                phrase = self._phrases.get(cue.subject)
                noun = phrase.noun if phrase is not None else self._word_at(cue.subject)
                owner = self._whose(phrase.owner) if phrase is not None and phrase.owner is not None else None
        return Draft(
            index,
            spoken,
            self._bond(index, spoken, last),
            place,
            among,
            named.confidence if named is not None else 0.0,
            pronoun,
            noun,
            owner,
            self._addressed(spoken, place),
            self._hearers_sex(spoken.quotes),
        )

    def _named(self, cue: Saying) -> Reference | None:
        if cue.pronoun in _OTHERS:
            return None
        found = self._antecedents.resolve(cue.subject, cue.pronoun)
        if found is None and not cue.pronoun:
            found = self._antecedents.named(
                self._next_word(cue.subject)
            )  # "the March Hare", of whom one knows the Hare
        if found is None and not cue.pronoun:
            found = self._people.bearer(self._titled(cue.subject)) or self._antecedents.likely(cue.subject)
        return found if found is not None and found.figure.type == "character" else None

    def _titled(self, offset: int) -> str:
        """A title that stands without a name ("said Mademoiselle", "cried the captain"), in one spelling; else nothing."""
        word = self._word_at(offset)
        if word not in (TITLES if self._text[offset].isupper() else _OFFICES):
            return ""
        return INTERCHANGEABLE_TITLES.get(word, word)

    def _next_word(self, offset: int) -> int:
        match = _CAPITAL_THEN.match(self._text, offset)
        return match.end() if match else offset

    def _word_at(self, offset: int) -> str:
        match = _WORD.match(self._text, offset)
        return match.group().lower() if match else ""

    def _whose(self, offset: int) -> int | None:
        return self._people.number(self._antecedents.named(offset) or self._antecedents.likely(offset))

    def _bond(self, index: int, spoken: Spoken, last: Draft | None) -> Bond:
        if last is None:
            return "apart"
        if last.index == index:
            return "beside" if spoken.told_before else "answers"
        if last.index < index - 1:
            return "apart"
        end = last.spoken.quotes[-1].end
        left_open = end == self._paragraphs[last.index].end and self._text[end - 1] not in _CLOSING
        return "goes on" if left_open else "answers"

    def _addressed(self, spoken: Spoken, named: int | None) -> Reference | None:
        """Whom the verb of speech, or a name inside the speech, says it is meant for."""
        himself = self._people.figures[named] if named is not None else None
        if spoken.cue is not None and spoken.cue.hearer is not None:
            hearer = self._antecedents.named(spoken.cue.hearer)
            if hearer is not None and hearer.figure.type == "character" and hearer.figure is not himself:
                return hearer
        for quote in spoken.quotes:
            for mention in self._mentions.within(*quote):
                if mention.figure is not himself and is_vocative(self._text, mention, quote):
                    return Reference(mention.figure, 0.75)
        return None

    def _hearers_sex(self, quotes: Sequence[Span]) -> Gender:
        for quote in quotes:
            found = _ADDRESS.search(self._text, *quote)
            if found is not None:
                return "male" if found.lastgroup == "man" else "female"
        return ""
