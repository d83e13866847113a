"""Chosen statements as prose: one sentence for what one subject does in a row, paragraphs by chapter, what is open together at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from projections.story_state.found import RecordRow
from services.auditing.sentences import STAND_OPEN, STANDS_OPEN, finished
from services.auditing.told import Told

_TOGETHER: Final = 3
"""Statements of one subject that make one sentence."""
_LONGEST: Final = 240
"""Characters of it."""
_JOINED: Final = re.compile(r",|;|\band\b|\bbut\b|\bthat\b")
"""What makes a clause one that a comma and an `and` part from the next."""
_TURNED: Final = re.compile(
    r"\b(?:that|who|which|when|while|where|because|and (?:he|she|it|they))\b|[;:“”]", re.IGNORECASE
)
"""What turns a sentence to somebody else, so that nothing can go on with its subject."""
_SHORT: Final = 3
"""Sentences that make a paragraph."""
_COUNTS: Final = ("", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence of a recap with the records that it says."""

    text: str
    rows: tuple[RecordRow, ...]


def written(told: Sequence[Told]) -> list[list[Written]]:
    """The paragraphs: what happened by chapter, then what is open. Nothing is said that no statement says, and none is left out."""
    story = [each for each in told if not each.is_open]
    still = [each for each in told if each.is_open]
    paragraphs: list[list[Written]] = []
    for _, of_chapter in groupby(story, key=lambda each: each.chapter):
        sentences = list(_sentences(list(of_chapter)))
        if paragraphs and len(paragraphs[-1]) < _SHORT:
            paragraphs[-1] += sentences
        else:
            paragraphs.append(sentences)
    if len(paragraphs) > 1 and len(paragraphs[-1]) < _SHORT:
        paragraphs[-2:] = [paragraphs[-2] + paragraphs[-1]]
    return [*paragraphs, list(_open(still))] if still else paragraphs


def _sentences(told: Sequence[Told]) -> Iterator[Written]:
    """Those of one chapter, in order; what one subject does in a row in one sentence."""
    place = 0
    while place < len(told):
        run = [told[place]]
        while place + len(run) < len(told) and len(run) < _TOGETHER and _goes_on(run, told[place + len(run)]):
            run.append(told[place + len(run)])
        yield _one(run)
        place += len(run)


def _goes_on(run: Sequence[Told], other: Told) -> bool:
    first = run[0]
    if not first.predicate or not other.predicate or first.subject != other.subject:
        return False
    if _TURNED.search(run[-1].predicate) or run[-1].happens != other.happens:
        return False
    return sum(len(each.predicate) for each in run) + len(other.predicate) + len(first.said) <= _LONGEST


def _one(run: Sequence[Told]) -> Written:
    rows = tuple({row.uid: row for each in run for row in each.rows}.values())
    if len(run) == 1:
        return Written(run[0].text, rows)
    parts = [each.predicate for each in run]
    if any(map(_JOINED.search, parts)):
        head, tail = ", ".join(parts[:-1]), f", and {parts[-1]}"
    else:
        head, tail = ", ".join(parts[:-1]), f" and {parts[-1]}"
    return Written(finished(f"{run[0].said} {head}{tail}"), rows)


def _open(told: Sequence[Told]) -> Iterator[Written]:
    """Those of one kind in one sentence, in the order of the first of each."""
    kinds: dict[str, list[Told]] = {}
    for each in told:
        kinds.setdefault(each.said, []).append(each)
    for said, of_kind in kinds.items():
        rows = tuple(row for each in of_kind for row in each.rows)
        if len(of_kind) == 1 or any(";" in each.predicate for each in of_kind):
            yield from (Written(each.text, each.rows) for each in of_kind)
        else:
            count = _COUNTS[len(of_kind)] if len(of_kind) < len(_COUNTS) else str(len(of_kind))
            many = STAND_OPEN.get(next((k for k, v in STANDS_OPEN.items() if v == said), ""), "things are still open")
            yield Written(finished(f"{count} {many}: {'; '.join(each.predicate for each in of_kind)}"), rows)
