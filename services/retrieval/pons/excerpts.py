"""Source text for a packet: a few whole sentences round the place that matters, exactly as they stand in the chapter."""

from __future__ import annotations

from typing import Final

from services.retrieval.packing import Item, Span, overhead
from services.retrieval.sentences import Run
from services.retrieval.slices import Slice

LENGTH: Final = 500
"""Characters an excerpt has at most, unless the sentence itself is longer."""


class Excerpts:
    """Cuts excerpts of one slice, none with a sentence that was given before."""

    def __init__(self, slice_: Slice, length: int = LENGTH) -> None:
        self._slice = slice_
        self._length = length
        self._given: set[int] = set()
        self._skipped: set[int] = set()
        self._runs: dict[int, Run] = {}
        self._cut: dict[str, range] = {}

    def around(self, first: int, last: int, room: int, score: float, channel: str) -> Item | None:
        """Sentences [first, last), with neighbours while they fit length and room; None if they do not fit or were given."""
        sentences = self._slice.sentences
        if first >= last or first in self._skipped or any(number in self._given for number in range(first, last)):
            return None
        run = int(sentences.run_of[first])
        low, high = int(sentences.firsts[run]), int(sentences.firsts[run + 1])
        probe = self._item(run, first, last, score, channel)
        spare = room - overhead(probe) - 8  # an identifier of a wider span may have some digits more
        if len(probe.text) > spare:
            return None
        most = min(self._length, spare)
        growing = True
        while growing:
            growing = False
            for candidate in (last, first - 1):
                wider = min(first, candidate), max(last, candidate + 1)
                if low <= candidate < high and candidate not in self._given and self._size(*wider) <= most:
                    first, last = wider
                    growing = True
        item = self._item(run, first, last, score, channel)
        self._cut[item.id] = range(first, last)
        return item

    def give(self, item: Item) -> None:
        """Remember that an excerpt went into the packet."""
        self._given.update(self._cut[item.id])

    def skip(self, sentence: int) -> None:
        """Remember that nothing is to be cut round a sentence again, as when it says what another said."""
        self._skipped.add(sentence)

    def _size(self, first: int, last: int) -> int:
        spans = self._slice.sentences.spans
        return int(spans[last - 1, 1] - spans[first, 0])

    def _item(self, run: int, first: int, last: int, score: float, channel: str) -> Item:
        sentences = self._slice.sentences
        told = self._runs.get(run) or self._runs.setdefault(run, sentences.run(run))
        start, end = int(sentences.spans[first, 0]), int(sentences.spans[last - 1, 1])
        text = told.text[start - told.start : end - told.start]
        name = f"{told.chapter}:{start}-{end}"
        span = Span(told.chapter, told.revision, start, end)
        return Item(
            f"p{name}",
            "passage",
            text,
            told.chapter,
            "passage",
            name,
            (span,),
            score,
            channel,
            (1, told.chapter, start),
        )
