"""Refolding a key where it changed: from the last interval before the change to where old and new agree again.

The definition of the fold is `events.validity.fold`; this gives the same intervals at a cost that follows the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

Word: TypeAlias = tuple[int, str | None]
"""A chapter and its last word on the key; None: nothing holds any more."""


class Span(msgspec.Struct, frozen=True, order=True, gc=False):
    """`value` holds after chapters `start` .. `end` - 1 (`end` None: without end)."""

    start: int
    end: int | None
    value: str


@dataclass(frozen=True, slots=True)
class Refolded:
    closed: list[Span]
    opened: list[Span]


def refold(old: Sequence[Span], words: Sequence[Word], first: int, last: int) -> Refolded:
    """What changes in a key's intervals when its assertions change in some chapters between `first` and `last`.

    `old` holds the intervals so far that reach chapter `first` - 1 or later, in order. `words` holds the last words, as they
    are now, of the chapters from `first` through the first one after `last` that says anything (from there on old and new
    intervals agree, whatever came before), or of all chapters from `first` on if none does.
    """
    agree_from = words[-1][0] if words and words[-1][0] > last else None
    prior = next((span for span in old if span.start < first), None)
    new = _fold(prior, words)
    affected = [span for span in old if agree_from is None or span.start <= agree_from]
    if agree_from is not None and new and new[-1].end is None:
        unchanged = next(s for s in affected if s.end is None or agree_from < s.end)
        new[-1] = Span(new[-1].start, unchanged.end, new[-1].value)
    return Refolded([s for s in affected if s not in new], [s for s in new if s not in affected])


def _fold(prior: Span | None, words: Iterable[Word]) -> list[Span]:
    """The intervals from the one that holds before the first word; the last has no end."""
    spans: list[Span] = []
    run: tuple[int, str] | None = (prior.start, prior.value) if prior else None
    for chapter, value in words:
        if run is not None and run[1] == value:
            continue
        if run is not None:
            spans.append(Span(run[0], chapter, run[1]))
        run = None if value is None else (chapter, value)
    if run is not None:
        spans.append(Span(run[0], None, run[1]))
    return spans
