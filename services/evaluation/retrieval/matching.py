"""What counts as found: a gold quote in an item, and the words of an answer in a text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from services.evaluation.retrieval.questions import Gold

Json = Any

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_PART: Final = re.compile(r"[^\W_]+")
_SHARE_OF_SPAN: Final = 0.5
"""A record is grounded in a quote if they share at least half of the shorter one."""

_FUNCTION: Final = (
    "a an the of to in on at by for with from into and or but as is was were are be been being am do does did done have has had"
    " having he she it they we you i his her hers its their our your my him them me us who whom which that this these those there"
    " then than so not no if when where what how why because s would could should will shall may might can must out up down off"
    " over about after before very all also just"
)
FUNCTION_WORDS: Final = frozenset(_FUNCTION.split())


@lru_cache(maxsize=20_000)
def words(text: str) -> frozenset[str]:
    """The words of a text, lower case, with straight apostrophes."""
    return frozenset(_WORD.findall(text.lower().replace("’", "'")))


def salient(answer: str) -> frozenset[str]:
    """The words of an answer that carry it; all of them where none does ("He did")."""
    found = words(answer)
    return found - FUNCTION_WORDS or found


def covered(answers: Iterable[str], known: Collection[str]) -> float:
    """The share of an answer's salient words that are known, of the reference of which most are.

    NWM (section 5, "Metrics") counts an answer as right from a half on.
    """
    shares = [len(wanted & frozenset(known)) / len(wanted) for wanted in map(salient, answers) if wanted]
    return max(shares, default=0.0)


@lru_cache(maxsize=20_000)
def spelled(text: str) -> str:
    """The words of a text in order, each between single spaces, without case and punctuation."""
    return f" {' '.join(_PART.findall(text.casefold()))} "


def has_words(item: Mapping[str, Json], gold: Gold) -> bool:
    """Whether the quote's words are in the item, in order and together."""
    return gold.quote is not None and spelled(gold.quote) in spelled(item["text"])


def is_grounded_in(item: Mapping[str, Json], gold: Gold) -> bool:
    """Whether the item is a record with evidence in the quote's place."""
    if gold.start is None or gold.end is None or "record" not in item:
        return False
    return any(
        span["chapter"] == gold.chapter and _share(span["start"], span["end"], gold.start, gold.end)
        for span in item["evidence"]
    )


def _share(start: int, end: int, other_start: int, other_end: int) -> bool:
    shared = min(end, other_end) - max(start, other_start)
    return shared > 0 and shared >= _SHARE_OF_SPAN * min(end - start, other_end - other_start)
