"""A change of state before it is a record, and the text that it is read from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.extraction.offline.antecedents import Antecedents, Reference
from services.extraction.offline.lexicon import PERSON_NOUNS
from services.extraction.offline.mentions import Mention, Mentions
from services.extraction.offline.observations import Argument, Clause, Standing
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations

_WORD: Final = re.compile(r"[\w’'-]+")
_PRONOUNS: Final = frozenset(("he", "him", "she", "her", "i", "me"))
_REACH: Final = 900
"""Code points between a name and a pronoun for it, at most."""
_SENTENCE_END: Final = re.compile(r"[.!?][”\"’]?\s+|\n\s*\n")
_SURE: Final = 0.6
_AGREED: Final = 0.62
"""How sure a pronoun is that two ways of reading give the same figure for."""
_SOMEBODY: Final = re.compile(
    rf"(?i)(?<![\w’'])(?:an?|the|this|that|another|one|some)\s+(?:[\w’'-]+\s+){{0,2}}(?:{'|'.join(sorted(PERSON_NOUNS))}|person|figure)(?![\w’'-])"
)
_STOP: Final = re.compile(r"[;:“”\"]|\n\s*\n")
_UNREAL: Final = re.compile(
    r"(?i)(?<![^\W_’'])(?:almost|nearly|half|hardly|scarcely|as if|as though|if|unless|would|might|could|never|not|n[’']t|"
    r"always|often|sometimes|occasionally|frequently|usually|generally|seldom|every|used\s+to|no\s+longer|no\s+more)(?![\w’'])"
)


@dataclass(frozen=True, slots=True)
class Change:
    """A record's kind and fields, the words that say so, and how sure it is."""

    kind: str
    fields: Mapping[str, Any]
    span: Span
    confidence: float


class Ground:
    """The narration of a chapter: its clauses, and who is meant in them."""

    def __init__(
        self,
        text: str,
        clauses: Sequence[Clause],
        standings: Sequence[Standing],
        quotations: Quotations,
        mentions: Mentions,
        antecedents: Antecedents,
    ) -> None:
        self.text = text
        self.clauses = clauses
        self.standings = standings
        self.quotations = quotations
        self.mentions = mentions
        self._antecedents = antecedents

    def subject(self, clause: Clause) -> Reference | None:
        """The one character who is the subject; None where it is somebody else, several people or unsure."""
        return self.at(clause.subjects[0], clause.pronoun) if len(clause.subjects) == 1 else None

    def person(self, argument: Argument, *apart: Reference | None) -> Reference | None:
        """The character an argument names, or means by a pronoun that cannot mean anybody in `apart`."""
        word = self.word(argument.head).lower()
        found = self.at(argument.head, word if word in _PRONOUNS else "")
        return (
            None
            if any(other is not None and found is not None and other.figure is found.figure for other in apart)
            else found
        )

    def at(self, offset: int, pronoun: str = "") -> Reference | None:
        """The one character named at `offset`, or meant by the pronoun there; None where that is open."""
        found = self._antecedents.resolve(offset, pronoun)
        if found is not None and pronoun and found.confidence < _SURE and self._agreed(offset, found):
            found = Reference(found.figure, _AGREED)
        found = self._sure(found)
        return None if found is not None and pronoun and self._rivalled(offset, found) else found

    def _agreed(self, offset: int, found: Reference) -> bool:
        """Whether the chains of reference, too, take the pronoun for whom the nearest subject gives."""
        likely = self._antecedents.likely(offset)
        return likely is not None and likely.figure is found.figure

    def _rivalled(self, offset: int, found: Reference) -> bool:
        """Whether somebody without a name may be meant as well ("the old man … he died").

        That is whoever is told of since the pronoun's figure was named, or in the sentence before.
        """
        named = [m for m in self.mentions.within(max(0, offset - _REACH), offset) if m.figure is found.figure]
        ends = [end.end() for end in _SENTENCE_END.finditer(self.text, max(0, offset - _REACH), offset)]
        before = ends[-2] if len(ends) > 1 else max(0, offset - _REACH)
        return bool(named) and _SOMEBODY.search(self.text, min(named[-1].span.end, before), offset) is not None

    def acts(self, mention: Mention) -> bool:
        """Whether somebody is named as the subject of a clause."""
        return self._antecedents.acts(mention)

    def word(self, offset: int) -> str:
        match = _WORD.match(self.text, offset)
        return match.group() if match else ""

    def span(self, clause: Clause) -> Span:
        """The clause with its subject, as far as no speech and no other sentence begins."""
        start = min(clause.span.start, clause.predicate.start)
        if (mention := self.mentions.at(start)) is not None:
            start = mention.span.start
        stop = _STOP.search(self.text, clause.predicate.start, clause.predicate.end)
        return Span(start, stop.start() if stop is not None else clause.predicate.end)

    def real(self, clause: Clause, until: int | None = None) -> bool:
        """Whether nothing in the words of the clause, up to `until`, makes it less than a fact."""
        span = self.span(clause)
        return factual(self.text, Span(span.start, span.end if until is None else min(until, span.end)))

    def _sure(self, found: Reference | None) -> Reference | None:
        if found is None or found.figure.type != "character" or found.figure.ambiguous:
            return None
        return found if found.confidence >= _SURE else None


def factual(text: str, span: Span) -> bool:
    """Whether no word of the span denies it, supposes it, or says that it was usual or only begun."""
    return _UNREAL.search(text, *span) is None


def as_it_stands(standing: Standing, kind: str, fields: Mapping[str, Any], *people: Reference) -> Change:
    """The change that a clause on how things are tells; what had been so before the scene is past."""
    told = {**fields, "modality": "past"} if standing.earlier else fields
    return Change(kind, told, standing.span, confidence(*people))


def confidence(*references: Reference | None) -> float:
    """How sure a change is whose people are as sure as these."""
    return round(0.85 * min([r.confidence for r in references if r is not None], default=0.8), 2)
