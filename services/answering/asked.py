"""What may be asked for an answer: checked before anything is read, and before any model is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from events.errors import InvalidInput
from events.evidence import clean_text
from services.retrieval import questions

DEFAULT_METHOD: Final = "weave"
MOST_OPTIONS: Final = 26
LONGEST_OPTION: Final = 1_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that can be answered: its packet's method and budget, and the options to choose from, if there are any."""

    text: str
    method: str
    budget: int
    options: tuple[str, ...]


def asked(question: Any, method: Any, budget: Any, options: Any) -> Asked:
    """Raises `InvalidInput`, which says what to change."""
    found = questions.question(question, method, budget)
    return Asked(found.text, found.method, found.budget, _options(options))


def _options(options: Any) -> tuple[str, ...]:
    if options is None:
        return ()
    if isinstance(options, str) or not isinstance(options, Sequence) or not all(isinstance(o, str) for o in options):
        raise InvalidInput("The options are a list of texts; leave them out for a free answer.")
    given = tuple(" ".join(clean_text(option).split()) for option in options)
    if not given:
        return ()
    if not 2 <= len(given) <= MOST_OPTIONS:
        raise InvalidInput(f"There are {len(given)} options; give from 2 to {MOST_OPTIONS}, or none for a free answer.")
    for number, option in enumerate(given, 1):
        if not any(c.isalnum() for c in option):
            raise InvalidInput(f"Option {number} has no word in it; every option is an answer that could be given.")
        if len(option) > LONGEST_OPTION:
            raise InvalidInput(f"Option {number} has {len(option)} characters; an option has at most {LONGEST_OPTION}.")
    _distinct(given)
    return given


def _distinct(options: Sequence[str]) -> None:
    seen: dict[str, int] = {}
    for number, option in enumerate(options, 1):
        first = seen.setdefault(option.casefold(), number)
        if first != number:
            raise InvalidInput(f"Options {first} and {number} are the same ({option[:60]!r}); give each answer once.")
