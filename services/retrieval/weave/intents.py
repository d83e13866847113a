"""Query decomposition (NKW, appendix, "Query decomposition"): a question as the intents it is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

from services.retrieval.wording import content_terms

MOST: Final = 4
"""Intents beside the whole question; each costs an embedding."""
_LEAST_TERMS: Final = 2
_ASKING: Final = "who|whom|whose|what|which|when|where|why|how"
_SEAM: Final = re.compile(
    r"[?!;:]\s+|\.\s+(?=\w)"
    rf"|,\s+(?:and |but |or )?(?=(?:in |at |on |to |by |from |for |of |with )?(?:{_ASKING})\b)"
    r"|,\s+(?:and|but|while|whereas)\s+"
    rf"|\s+and\s+(?=(?:in |at |on |to |by |from |for |of |with )?(?:{_ASKING})\b)"
    r"|,?\s+(?:as )?(?:compared (?:with|to)|as against|against|beside|rather than|as opposed to)\s+(?=\w+\s+\w+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Intent:
    """One thing that is asked."""

    text: str

    @cached_property
    def terms(self) -> list[str]:
        return content_terms(self.text)


class Planner(Protocol):
    """Takes a question apart, as a model can: the texts of its intents in order, without the question itself."""

    def plan(self, question: str) -> Sequence[str]: ...


class RulePlanner:
    """Cuts a question at its seams: clauses that ask on their own, sentences, and what is compared with what."""

    def plan(self, question: str) -> list[str]:
        parts = [part.strip(" ,.?!;:") for part in _SEAM.split(question)]
        asked = [part for part in parts if len(content_terms(part)) >= _LEAST_TERMS]
        return asked if len(asked) > 1 else []


def decomposed(question: str, planner: Planner) -> list[Intent]:
    """The whole question first, then its intents: at most `MOST`, none twice."""
    texts = dict.fromkeys(text.strip() for text in planner.plan(question))
    return [Intent(question), *(Intent(text) for text in texts if text and text != question)][: MOST + 1]
