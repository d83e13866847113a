"""Who says what to whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.extraction.offline.antecedents import Antecedents, Reference
from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mentions
from services.extraction.offline.observations import Observations
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.testimony import Testimony
from services.extraction.offline.turns import Party, Turn, likeliest


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one speaker says in one paragraph; `verb` is empty where nothing but the turn of speech tells the speaker."""

    quotes: tuple[Span, ...]
    speaker: Reference
    hearer: Reference | None
    verb: str


class Dialogue:
    """Attributes the quotations of a chapter."""

    def __init__(
        self,
        text: str,
        paragraphs: Sequence[Span],
        quotations: Quotations,
        seen: Observations,
        mentions: Mentions,
        antecedents: Antecedents,
    ) -> None:
        self._turns, people = Testimony(text, paragraphs, quotations, seen, mentions, antecedents).turns()
        nameless = {id(figure) for figure in people.figures[people.named :]}
        self._speakers = [
            None if found is None or id(found.figure) in nameless else _weighed(turn, found)
            for turn, found in zip(self._turns, likeliest(self._turns, people.figures), strict=True)
        ]

    def utterances(self) -> list[Utterance]:
        return [
            Utterance(turn.quotes, speaker, self._hearer(number), turn.verb)
            for number, (turn, speaker) in enumerate(zip(self._turns, self._speakers, strict=True))
            if speaker is not None
        ]

    def parties(self) -> list[Party]:
        """Every quotation with its speaker and hearer, where they are known."""
        result = []
        for number, (turn, speaker) in enumerate(zip(self._turns, self._speakers, strict=True)):
            hearer = self._hearer(number)
            for quote in turn.quotes:
                result.append(Party(quote, number, _figure(speaker), _figure(hearer)))
        return result

    def _hearer(self, number: int) -> Reference | None:
        """Who is addressed, by name or else because the turn before was theirs."""
        turn, speaker = self._turns[number], self._speakers[number]
        if turn.addressed is not None or speaker is None:
            return turn.addressed
        for before in range(number - 1, -1, -1):
            last, who = self._turns[before], self._speakers[before]
            if last.index < turn.index - 2 or who is None:
                return None
            if who.figure is not speaker.figure:
                return Reference(who.figure, round(0.6 * who.confidence, 2))
            if last.index < turn.index:
                return None
        return None


def _figure(reference: Reference | None) -> Figure | None:
    return reference.figure if reference is not None else None


def _weighed(turn: Turn, found: Reference) -> Reference:
    # what only the turn of speech tells is never half certain
    most = 0.6 if turn.verb else 0.49
    return Reference(found.figure, round(turn.certain or most * found.confidence, 2))
