"""A change of state before it is a record, and the text that it is read from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.extraction.offline.antecedents import Antecedents, Reference
from services.extraction.offline.mentions import Mentions
from services.extraction.offline.observations import Argument, Clause
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations

_WORD: Final = re.compile(r"[\w’'-]+")
_PRONOUNS: Final = frozenset(("he", "him", "she", "her", "i", "me"))
_SURE: Final = 0.6
_STOP: Final = re.compile(r"[;:“”\"]|\n\s*\n")
_UNREAL: Final = re.compile(
    r"(?i)(?<![^\W_’'])(?:almost|nearly|half|hardly|scarcely|as if|as though|if|unless|would|might|could|never|not|n[’']t|"
    r"always|often|sometimes|occasionally|usually|generally|seldom|every|used\s+to)(?![\w’'])"
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
        quotations: Quotations,
        mentions: Mentions,
        antecedents: Antecedents,
    ) -> None:
        self.text = text
        self.clauses = clauses
        self.quotations = quotations
        self.mentions = mentions
        self._antecedents = antecedents

    def subject(self, clause: Clause) -> Reference | None:
        """The one character who is the subject; None where it is somebody else, several people or unsure."""
        if len(clause.subjects) != 1:
            return None
        return self._sure(self._antecedents.resolve(clause.subjects[0], clause.pronoun))

    def person(self, argument: Argument, *apart: Reference | None) -> Reference | None:
        """The character an argument names, or means by a pronoun that cannot mean anybody in `apart`."""
        word = self.word(argument.head).lower()
        found = self._antecedents.resolve(argument.head, word if word in _PRONOUNS else "")
        if found is None or any(other is not None and other.figure is found.figure for other in apart):
            return None
        return self._sure(found)

    def at(self, offset: int, pronoun: str = "") -> Reference | None:
        return self._sure(self._antecedents.resolve(offset, pronoun))

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


def confidence(*references: Reference | None) -> float:
    """How sure a change is whose people are as sure as these."""
    return round(0.85 * min([r.confidence for r in references if r is not None], default=0.8), 2)
