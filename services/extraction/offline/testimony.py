"""What the text says, beside each quotation and around it, for and against each possible speaker."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from services.extraction.offline.antecedents import Antecedents
from services.extraction.offline.drafts import Draft, Drafting, People
from services.extraction.offline.epithets import fits, nameless, sex_of
from services.extraction.offline.lexicon import ANSWERING
from services.extraction.offline.mentions import Mention, Mentions
from services.extraction.offline.names import Gender
from services.extraction.offline.observations import Clause, Observations
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.turns import Turn

_REACH: Final = 2500
"""Code points back in which a name makes its bearer a possible speaker."""
_TURNS_AROUND: Final = 8
_LONG_NARRATION: Final = 500
_SEXES: Final[dict[str, Gender]] = {"he": "male", "she": "female"}
_GOING_ON: Final = frozenset(("add", "continue", "resume", "pursue", "proceed", "go", "conclude", "repeat"))

# what counts for or against somebody; sums of natural logarithms of odds
_NAMED = 9.0
_WRONG_SEX = -7.0
_OPEN_SEX = -0.7
_RESOLVED = 2.5
_LIKELY = 2.0
_ACTS_ALONE = 3.0
_ACTS_FIRST = 1.8
_ACTS = 1.0
_ACTED_BEFORE = 1.2
_BESIDE = 0.4
_CALLED = -6.0
_SPOKEN_OF = -1.6
_RECENT_TURN = 1.6
_RECENT_NAME = 1.2
_OFTEN = 0.25
_OWN_KIN = -3.0


class Testimony:
    """Weighs the quotations of a chapter."""

    def __init__(
        self,
        text: str,
        paragraphs: Sequence[Span],
        quotations: Quotations,
        seen: Observations,
        mentions: Mentions,
        antecedents: Antecedents,
    ) -> None:
        self._paragraphs = paragraphs
        self._quotations = quotations
        self._clauses = sorted(seen.clauses, key=lambda clause: clause.predicate.start)
        self._clause_starts = [clause.predicate.start for clause in self._clauses]
        self._mentions = mentions
        self._antecedents = antecedents
        self._people = People(mentions)
        self._drafting = Drafting(text, paragraphs, quotations, seen, mentions, antecedents, self._people)

    def turns(self) -> tuple[list[Turn], People]:
        """The turns in order, and everybody whom their weights are about."""
        drafts = self._drafting.drafts()
        return [self._turn(number, drafts) for number in range(len(drafts))], self._people

    def _turn(self, number: int, drafts: Sequence[Draft]) -> Turn:
        draft = drafts[number]
        verb = draft.spoken.cue.verb if draft.spoken.cue is not None else ""
        return Turn(
            draft.index,
            draft.spoken.quotes,
            draft.bond,
            verb,
            self._weights(number, drafts),
            draft.addressed,
            draft.hearers_sex,
            goes_on=verb in _GOING_ON,
            replies=verb in ANSWERING,
            certain=draft.certain,
        )

    def _weights(self, number: int, drafts: Sequence[Draft]) -> dict[int, float]:
        draft = drafts[number]
        if draft.named is not None:
            return {draft.named: _NAMED}
        weights: defaultdict[int, float] = defaultdict(float)
        self._weigh_presence(number, drafts, weights)
        self._weigh_narration(draft, weights)
        self._weigh_speech(draft, weights)
        if draft.pronoun:
            self._weigh_pronoun(draft, weights)
        elif draft.noun:
            self._weigh_description(draft, weights)
        if draft.among:
            weights = defaultdict(float, {place: weights[place] for place in draft.among})
        for place in weights:
            weights[place] += _OFTEN * math.log1p(self._people.counts[place])
        return {place: round(weight, 4) for place, weight in weights.items()}

    def _weigh_presence(self, number: int, drafts: Sequence[Draft], weights: defaultdict[int, float]) -> None:
        """Who speaks or is spoken to nearby, and who is named before."""
        near: dict[int, float] = {}
        for other in range(max(0, number - _TURNS_AROUND), min(len(drafts), number + _TURNS_AROUND)):
            distance = abs(other - number)
            worth = _RECENT_TURN * math.exp(-distance / 4) * (1.0 if other < number else 0.8)
            if other == number:
                continue
            draft = drafts[other]
            people = [draft.named] if draft.named is not None else []
            if draft.addressed is not None:
                people.append(self._people.place(draft.addressed.figure))
            for place in people:
                near[place] = max(near.get(place, 0.0), worth)
        for place, worth in near.items():
            weights[place] += worth
        start = drafts[number].spoken.quotes[0].start
        seen: set[int] = set()
        for mention in reversed(self._mentions.within(max(0, start - _REACH), start)):
            if mention.figure.type == "character" and (place := self._people.place(mention.figure)) not in seen:
                seen.add(place)
                fresh = _RECENT_NAME if mention.narrated else 0.3 * _RECENT_NAME
                weights[place] += fresh * math.exp(-(start - mention.span.end) / 600)

    def _weigh_narration(self, draft: Draft, weights: defaultdict[int, float]) -> None:
        """Who acts in the narration beside the speech, or right before it."""
        paragraph = self._paragraphs[draft.index]
        quotes = draft.spoken.quotes
        spans = self._beside(paragraph, quotes)
        actors: list[int] = []
        for span in spans:
            for clause in self._clauses_in(span):
                actors += self._actors(clause)
        distinct = list(dict.fromkeys(actors))
        narration = sum(span.end - span.start for span in spans)
        for rank, place in enumerate(distinct):
            alone = len(distinct) == 1 and narration <= _LONG_NARRATION
            weights[place] += _ACTS_ALONE if alone else _ACTS_FIRST if rank == 0 else _ACTS
        for span in spans:
            for mention in self._mentions.within(*span):
                if mention.figure.type == "character" and self._people.place(mention.figure) not in distinct:
                    weights[self._people.place(mention.figure)] += _BESIDE
        if not distinct and draft.index and quotes[0].start - paragraph.start < 3:
            before = self._drafting.narration_before(draft.index)
            if before is not None and before.end - before.start > 5:
                for clause in reversed(self._clauses_in(before)):
                    acting = self._actors(clause)
                    if acting:
                        weights[acting[-1]] += _ACTED_BEFORE
                        break

    def _beside(self, paragraph: Span, quotes: Sequence[Span]) -> list[Span]:
        """The narration of the paragraph around these quotations, up to the next of somebody else."""
        all_quotes = self._quotations.within(paragraph)
        first, last = all_quotes.index(quotes[0]), all_quotes.index(quotes[-1])
        ends = [paragraph.start, *(quote.end for quote in all_quotes)]
        starts = [*(quote.start for quote in all_quotes), paragraph.end]
        return [Span(ends[n], starts[n]) for n in range(first, last + 2) if starts[n] - ends[n] > 2]

    def _clauses_in(self, span: Span) -> list[Clause]:
        low, high = bisect_left(self._clause_starts, span.start), bisect_left(self._clause_starts, span.end)
        return self._clauses[low:high]

    def _actors(self, clause: Clause) -> list[int]:
        found = []
        for subject in clause.subjects:
            reference = self._antecedents.resolve(subject, clause.pronoun) or self._antecedents.likely(subject)
            if reference is not None and reference.figure.type == "character":
                found.append(self._people.place(reference.figure))
            elif clause.pronoun == "i":
                found.append(self._people.stranger("i"))
        return found

    def _weigh_speech(self, draft: Draft, weights: defaultdict[int, float]) -> None:
        """Nobody calls himself by name, and hardly anybody speaks of himself so."""
        if draft.addressed is not None:
            weights[self._people.place(draft.addressed.figure)] += _CALLED
        for quote in draft.spoken.quotes:
            for place in {self._people.place(m.figure) for m in self._spoken_of(quote)}:
                weights[place] += _SPOKEN_OF

    def _spoken_of(self, span: Span) -> list[Mention]:
        return [m for m in self._mentions.within(*span) if m.figure.type == "character"]

    def _weigh_pronoun(self, draft: Draft, weights: defaultdict[int, float]) -> None:
        cue = draft.spoken.cue
        assert cue is not None
        for found, worth in (
            (self._antecedents.resolve(cue.subject, cue.pronoun), _RESOLVED),
            (self._antecedents.likely(cue.subject), _LIKELY),
        ):
            if found is not None and found.figure.type == "character":
                weights[self._people.place(found.figure)] += worth
        self._weigh_sex(_SEXES.get(draft.pronoun, ""), weights)
        if draft.pronoun == "it":
            for place in weights:
                weights[place] += _WRONG_SEX / 2 if self._people.figures[place].gender else 0.0

    def _weigh_sex(self, sex: Gender, weights: defaultdict[int, float]) -> None:
        for place in weights if sex else ():
            gender = self._people.figures[place].gender
            weights[place] += _OPEN_SEX if not gender else _WRONG_SEX if gender != sex else 0.0

    def _weigh_description(self, draft: Draft, weights: defaultdict[int, float]) -> None:
        owner = self._people.figures[draft.owner] if draft.owner is not None else None
        for place in weights:
            weights[place] += fits(draft.noun, self._people.figures[place], owner)
            weights[place] += _OWN_KIN if place == draft.owner else 0.0
        self._weigh_sex(sex_of(draft.noun), weights)
        weights[self._people.stranger(draft.noun)] += nameless(draft.noun)
