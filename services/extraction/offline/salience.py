"""Which of the chains in mind a pronoun takes up: the more recent, the more prominent, the better it fits."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from services.extraction.offline.figures import Figure
from services.extraction.offline.names import Gender
from services.extraction.offline.observations import Pronoun
from services.extraction.offline.paragraphs import Span

_REACH = 1500
"""Code points a pronoun looks back at most."""
_FADES = 220.0
"""Code points after which a chain has lost as much as it gains by having been the subject."""
_KNOWN_SEX = 1.2
_CLAUSE_END = re.compile(r"[,;:.!?—“”\"]|\b(?:and|but|that|when|while|as|who|which|before|after|if|because|for)\b")
_OBJECTS = frozenset(("him", "them"))


@dataclass(slots=True)
class Chain:
    """References that mean the same, and what is known of whom they mean."""

    number: int
    gender: Gender
    sort: str
    plural: bool
    noun: str = ""
    figure: Figure | None = None
    modifiers: set[str] = field(default_factory=set)
    last: Span = field(default_factory=lambda: Span(-1, -1))
    subject: bool = False
    quoted: bool = False
    count: int = 0

    def note(self, span: Span, subject: bool, quoted: bool) -> None:
        self.last, self.subject, self.quoted = span, subject, quoted
        self.count += 1

    def agrees(self, modifiers: Collection[str]) -> bool:
        """Whether a description with these adjectives may mean the same: none of them, or one in common."""
        return not modifiers or not self.modifiers or bool(self.modifiers & set(modifiers))


def best(
    chains: Sequence[Chain], pronoun: Pronoun, gender: Gender, text: str, *, plural: bool, apart: Collection[int]
) -> Chain | None:
    """The likeliest meaning of a third-person pronoun; None where nobody in reach fits."""
    scored = [
        (_score(chain, pronoun, gender, text), -chain.number, chain)
        for chain in chains
        if chain.plural == plural
        and chain.sort in ("PER", "ORG" if plural else "PER")
        and chain.last.end >= pronoun.offset - _REACH
        and chain.number not in apart
        and (plural or chain.gender in (gender, ""))
    ]
    return max(scored)[2] if scored else None


def _score(chain: Chain, pronoun: Pronoun, gender: Gender, text: str) -> float:
    score = -(pronoun.offset - chain.last.end) / _FADES
    score += 1.0 if chain.subject else 0.0
    score += 0.35 * math.log1p(chain.count)
    score += _KNOWN_SEX if gender and chain.gender == gender else 0.0
    score -= 1.2 if chain.quoted and not pronoun.quoted else 0.0
    if pronoun.word in _OBJECTS and chain.subject and not _CLAUSE_END.search(text, chain.last.end, pronoun.offset):
        score -= 4.0  # whoever does it is not whom it is done to
    return score
