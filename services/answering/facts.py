"""Facts in words: how much of one text another holds, as content terms."""

from __future__ import annotations

import re
from typing import Final

from services.answering.naming import Names
from services.retrieval.wording import content_terms

_DENIED: Final = re.compile(r"\b(?:not|never|no|nobody|nothing|none|without)\b|n['’]t\b", re.IGNORECASE)
_BY: Final = re.compile(r"\bby\b", re.IGNORECASE)
SAME: Final = 0.6
"""The share of a fact's content terms from which another text is taken to tell it."""


def held(wanted: str, text: str) -> float:
    """The share of the content terms of `wanted` that `text` has, from 0 to 1; 0 where `wanted` has none."""
    terms = set(content_terms(wanted))
    return len(terms & set(content_terms(text))) / len(terms) if terms else 0.0


def may_be_one(names: Names, fact: str, told: str) -> bool:
    """Whether two facts that share words may be one: both denied or neither, and who is named first in both, unless it is turned."""
    if (_DENIED.search(fact) is None) != (_DENIED.search(told) is None):
        return False
    one, other = ([n.figure.id for n in names.in_text(text)] for text in (fact, told))
    turned = len(one) == len(other) == 2 and one == other[::-1] and one[0] != one[1]
    return not turned or (_BY.search(fact) is None) != (_BY.search(told) is None)
