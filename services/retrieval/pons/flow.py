"""Flow Filter: what bears on the question stays, in the order of the story (PonsRAG, section 4.2).

The paper has a model prune the pairs and resolve what a question says of time ("at last", "earlier"). A model can be hung in here as a
`Filter`; without one a pair stays if it scores at least a share of the best, and words of time weigh the beginning or the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

LEAST: Final = 0.8
"""The share of the best relevance that a pair needs."""
TIME: Final = 0.3
"""What the place in the story adds at most, where the question names the beginning or the end."""

_LAST: Final = re.compile(
    r"\b(?:at last|finally|eventually|in the end|at the end|ends? up|at the close|last time|now|by the end|latest|currently|still)\b",
    re.I,
)
_FIRST: Final = re.compile(
    r"\b(?:at first|first|in the beginning|at the beginning|originally|initially|at the start)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Thread:
    """A plot node that may come into the packet, the figure it is paired with (None: none), and how it was found.

    `time` is (chapter, code point); `via` names the steps that led to it.
    """

    plot: int
    figure: int | None
    relevance: float
    time: tuple[int, int]
    via: tuple[str, ...]


class Filter(Protocol):
    """Chooses among threads in story order; `said` is what each says. Gives back indices, as a model does."""

    def choose(self, question: str, said: Sequence[str]) -> Sequence[int]: ...


def flow(question: str, threads: Sequence[Thread]) -> list[Thread]:
    """The threads that bear on the question, the most relevant first, ties in story order."""
    weighed = _weighed_by_time(question, threads)
    best = max((t.relevance for t in weighed), default=0.0)
    kept = [t for t in weighed if t.relevance >= LEAST * best]
    return sorted(kept, key=lambda t: (-t.relevance, t.time, t.plot))


def chronological(threads: Sequence[Thread]) -> list[Thread]:
    return sorted(threads, key=lambda t: (t.time, t.plot))


def _weighed_by_time(question: str, threads: Sequence[Thread]) -> list[Thread]:
    last, first = _LAST.search(question), _FIRST.search(question)
    if (last is None) == (first is None) or len(threads) < 2:
        return list(threads)
    ordered = chronological(threads)
    if first:
        ordered.reverse()
    steps = len(ordered) - 1
    return [replace(t, relevance=round(t.relevance * (1.0 + TIME * n / steps), 6)) for n, t in enumerate(ordered)]


def pruned(question: str, threads: Sequence[Thread], said: Sequence[str], pruning: Filter) -> list[Thread]:
    """The threads a model chose, shown to it in story order; all of them where it chose none that there is."""
    shown = chronological(threads)
    text = dict(zip((t.plot for t in threads), said, strict=True))
    chosen = {shown[n].plot for n in pruning.choose(question, [text[t.plot] for t in shown]) if 0 <= n < len(shown)}
    return [t for t in threads if t.plot in chosen] or list(threads)
