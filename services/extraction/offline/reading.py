"""What the extractor notes on its way to records: every reference to somebody or some place, and what happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from services.extraction.offline.paragraphs import Span

Form = Literal["name", "description", "pronoun"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in the text that refers to somebody or something; references of one `chain` mean the same.

    `sort` is PER, LOC, FAC, GPE, VEH or ORG; empty for a pronoun whose meaning is open.
    """

    span: Span
    sort: str
    form: Form
    chain: int
    figure: str = ""
    """Whom the chapter's records have it mean, by the name that they use; empty where that is nobody with a record."""


@dataclass(frozen=True, slots=True)
class Reading:
    """References in order of place, and the words that tell of something that happens."""

    mentions: tuple[Reference, ...] = ()
    triggers: tuple[Span, ...] = ()
