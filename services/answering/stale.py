"""Values that once held: whether an answer gives one for what holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from services.answering.case import Case
from services.answering.facts import held
from services.retrieval.entries import Entry
from services.retrieval.wording import content_terms

_FUNCTORS: Final = ("owner", "location", "object_state", "relationship")
_ATTRIBUTES: Final = re.compile(r",(?:status|allegiance|occupation|disguise|goal)$")
_PRESENT: Final = re.compile(r"\b(?:is|are|has|have|does|do|now|currently|still)\b", re.IGNORECASE)
_PAST: Final = re.compile(
    r"\b(?:was|were|did|had|before|after|when|while|earlier|formerly|originally|previous\w*|at first|first|once|used to|until|history)\b",
    re.IGNORECASE,
)
SAID: Final = 0.8
"""The share of a value's words that an answer has to have to be taken to give it."""


@dataclass(frozen=True, slots=True)
class Outdated:
    """A value that was replaced, and the one that holds. `is_all`: the answer says nothing else."""

    past: Entry
    current: Entry
    is_all: bool


def outdated(case: Case) -> Outdated | None:
    """The first replaced value that an answer gives for the present one; a question about the past may be answered with it."""
    if case.state is not None or _PAST.search(case.question) or not _PRESENT.search(case.question):
        return None
    for past, current in _replaced(case):
        says_old, says_new = held(past.value, case.text) >= SAID, held(current.value, case.text) >= SAID
        if says_old and not says_new:
            own = set(content_terms(case.text)) - set(content_terms(past.value))
            return Outdated(past, current, is_all=not own)
    return None


def _replaced(case: Case) -> Iterator[tuple[Entry, Entry]]:
    """The replaced values of keys about whom the question names, the latest first, each with what holds under its key."""
    about = {figure.id for figure in case.asked_about}
    for key, entries in case.slice.entries_by_key.items():
        functor = key.partition("(")[0]
        if functor not in _FUNCTORS and not (functor == "character" and _ATTRIBUTES.search(key[:-1])):
            continue
        current = next((entry for entry in entries if entry.holds), None)
        if current is None or not about & set(current.subjects):
            continue
        for past in reversed(entries):
            if not past.holds and past.value and past.value != current.value:
                yield past, current
