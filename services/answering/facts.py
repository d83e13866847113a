"""Facts in words: how much of one text another holds, as content terms."""

from __future__ import annotations

from typing import Final

from services.retrieval.wording import content_terms

SAME: Final = 0.6
"""The share of a fact's content terms from which another text is taken to tell it."""


def held(wanted: str, text: str) -> float:
    """The share of the content terms of `wanted` that `text` has, from 0 to 1; 0 where `wanted` has none."""
    terms = set(content_terms(wanted))
    return len(terms & set(content_terms(text))) / len(terms) if terms else 0.0
