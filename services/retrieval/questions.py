"""What may be asked: the limits, checked before anything is read."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from events.errors import InvalidInput
from events.evidence import clean_text
from events.ids import MAX_CHAPTER

MAX_QUESTION: Final = 20_000
MAX_BUDGET: Final = 2**53
MAX_TOKENS: Final = 10**9
_UNSEEN: Final = re.compile("[\u00ad\u061c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Marks of direction and the like, which come along when text is copied and stand in the way of words. Joiners stay."""
METHODS: Final = ("hybrid", "bm25", "dense", "state", "nwm", "pons", "weave")


@dataclass(frozen=True, slots=True)
class Question:
    """A question that can be asked."""

    text: str
    method: str
    budget: int


def question(text: Any, method: Any, budget: Any) -> Question:
    """Raises `InvalidInput`. Whatever a text looks like (SQL, query syntax, markup), it is only text."""
    if not isinstance(text, str):
        raise InvalidInput("The question is a text.")
    cleaned = _UNSEEN.sub("", clean_text(text).replace("\u200b", " "))
    if len(cleaned) > MAX_QUESTION:
        raise InvalidInput(f"The question has {len(cleaned)} characters; ask in at most {MAX_QUESTION}.")
    if not any(unicodedata.category(c)[0] in "LNM" or unicodedata.category(c) == "So" for c in cleaned):
        raise InvalidInput("The question has no word in it; ask about the story in words.")
    # what comes after a colon names a variant, which the method itself knows
    if not isinstance(method, str) or method.partition(":")[0] not in METHODS:
        raise InvalidInput(f"There is no method {str(method)[:40]!r}; use one of {', '.join(METHODS)}.")
    if not isinstance(budget, int) or isinstance(budget, bool) or not 1 <= budget <= MAX_BUDGET:
        raise InvalidInput(f"The budget is a whole number of characters, from 1 to {MAX_BUDGET}; 12000 is usual.")
    return Question(cleaned, method, budget)


def tokens(budget: Any) -> int | None:
    """A budget in tokens, or None for one in characters. Raises `InvalidInput`."""
    if budget is None:
        return None
    if not isinstance(budget, int) or isinstance(budget, bool) or not 1 <= budget <= MAX_TOKENS:
        raise InvalidInput(f"The budget in tokens is a whole number from 1 to {MAX_TOKENS}; 3000 is usual.")
    return budget


def checkpoint(at: Any) -> int | str | None:
    """A chapter, a checkpoint's name, or None for the last chapter. Raises `InvalidInput`."""
    if isinstance(at, str) and at.isascii() and at.isdigit():
        at = int(at[:20])
    if at is None or (isinstance(at, str) and at.strip()):
        return at
    if not isinstance(at, int) or isinstance(at, bool) or not 1 <= at <= MAX_CHAPTER:
        raise InvalidInput(
            f"`at` is a chapter from 1 to {MAX_CHAPTER}, or the name of a checkpoint; leave it out for the last chapter."
        )
    return at


def moment(as_recorded: Any) -> int | datetime | None:
    """A position of the log, a moment (UTC where no zone is given), or None for now. Raises `InvalidInput`."""
    if isinstance(as_recorded, str) and as_recorded.isascii() and as_recorded.isdigit():
        as_recorded = int(as_recorded[:20])
    if isinstance(as_recorded, str):
        try:
            as_recorded = datetime.fromisoformat(as_recorded)
        except ValueError:
            raise InvalidInput(
                f"`as_recorded` is a position or an ISO timestamp such as 2026-05-03T12:00:00Z, not {as_recorded[:40]!r}."
            ) from None
    if isinstance(as_recorded, datetime):
        return as_recorded.replace(tzinfo=UTC) if as_recorded.tzinfo is None else as_recorded
    if as_recorded is None or (isinstance(as_recorded, int) and not isinstance(as_recorded, bool) and as_recorded >= 0):
        return as_recorded
    raise InvalidInput("`as_recorded` is a position from 0, or an ISO timestamp; leave it out for the present belief.")
