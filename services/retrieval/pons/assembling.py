"""The packet: what is recorded of figures and events, and the text that tells it, within the budget and in story order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from services.retrieval.evidence import brief_record_item
from services.retrieval.folding import Folding
from services.retrieval.fusion import ranked
from services.retrieval.packing import Item, Packing
from services.retrieval.passages import Asked
from services.retrieval.pons.excerpts import Excerpts
from services.retrieval.pons.flow import Thread
from services.retrieval.pons.index import Index
from services.retrieval.pons.plot import EVENTS
from services.retrieval.pons.similarity import Nearness
from services.retrieval.wording import content_terms

STATEMENTS: Final = 60
"""Records that are looked at."""
NEW: Final = 0.5
"""The share of a record's words that the packet does not have yet, from which it is worth its room."""
LEFT: Final = 200
"""Sentences that may fill what room is left."""
_LEAST: Final = 60
"""Characters below which no item fits."""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What may come into a packet: threads, the most relevant first, awake figures, and the share of the budget for records."""

    threads: Sequence[Thread]
    figures: Sequence[int]
    share: float
    fill: bool = True
    """Whether text that is in no thread may fill the rest."""
    ordered: bool = True
    """Whether the packet is in story order."""


def assembled(asked: Asked, index: Index, near: Nearness, selection: Selection, budget: int) -> list[Item]:
    """The text of each thread and the nearest text besides; then records, in the room kept for them; then text again."""
    assembly = _Assembly(asked, index, near, budget)
    assembly.keep(round(budget * selection.share))
    assembly.texts(selection.threads)
    if selection.fill:
        assembly.fill()
    assembly.keep(0)
    assembly.records(selection)
    assembly.texts(selection.threads)
    if selection.fill:
        assembly.fill()
    if not selection.ordered:
        return assembly.packing.items
    return sorted(assembly.packing.items, key=lambda item: (item.order, item.id))


class _Assembly:
    """One packet in the making."""

    def __init__(self, asked: Asked, index: Index, near: Nearness, budget: int) -> None:
        self._slice, self._index, self._near = asked.slice, index, near
        self._folding = Folding()
        self._excerpts = Excerpts(asked.slice)
        self._ids: set[str] = set()
        self._words: set[str] = set()
        self._kept = 0
        self.packing = Packing(budget)

    def take(self, item: Item) -> bool:
        """Takes an item that fits and says something new."""
        if item.id in self._ids or self._folding.repeats(item.text) or not self.packing.take(item):
            return False
        self._ids.add(item.id)
        self._folding.add(item.text)
        self._words.update(content_terms(item.text))
        return True

    def keep(self, room: int) -> None:
        """Leaves so many characters to what comes later."""
        self._kept = room

    @property
    def _room(self) -> int:
        return self.packing.room - self._kept

    def records(self, selection: Selection) -> None:
        """Takes what is recorded of awake figures and of threads, the nearest first, where it says more than the text or holds no more."""
        for record, item in self._statements(selection):
            words = set(content_terms(item.text))
            current = list(self._current(record))
            if current or len(words - self._words) >= NEW * len(words):
                for holding in current:
                    self.take(self._statement(holding, "character", ("holds now",)))
                self.take(item)

    def texts(self, threads: Sequence[Thread]) -> None:
        for thread in threads:
            if self._room < _LEAST:
                return
            first, last = self._telling(thread.plot)
            channel = "plot" if thread.figure is not None else "anchor"
            self._excerpt(first, last, thread.relevance, channel, thread.via)

    def fill(self) -> None:
        for sentence in ranked(self._near.sentences, above=0.0)[:LEFT].tolist():
            if self._room < _LEAST:
                return
            score = float(self._near.sentences[sentence])
            self._excerpt(sentence, sentence + 1, score, "text", ("near the question",))

    def _excerpt(self, first: int, last: int, score: float, channel: str, via: tuple[str, ...]) -> None:
        item = self._excerpts.around(first, last, self._room, score, channel)
        if item is None:
            return
        if self.take(replace(item, path=via)):
            self._excerpts.give(item)
        else:
            self._excerpts.skip(first)

    def _statements(self, selection: Selection) -> Iterator[tuple[int, Item]]:
        told = {int(self._index.plot.records[t.plot]): t for t in selection.threads if t.plot < self._index.plot.events}
        figures = np.sort(np.array(selection.figures, dtype=np.int64))
        mentioning = self._index.characters.mentions[figures].indices if len(figures) else figures
        scores = np.zeros(len(self._near.records))
        candidates = np.union1d(mentioning, np.array(list(told), dtype=np.int64)).astype(np.int64)
        scores[candidates] = self._near.records[candidates]
        for number in ranked(scores, above=0.0)[:STATEMENTS].tolist():
            row = self._slice.records[number]
            if number in told:
                yield number, self._statement(number, "plot", told[number].via)
            elif row.kind not in EVENTS:
                yield number, self._statement(number, "character", ("of an awake figure",))

    def _current(self, record: int) -> Iterator[int]:
        """The records that say what holds instead of what this one set and holds no more."""
        for entry in self._slice.entries_of_record.get(record, ()):
            if not entry.holds:
                yield from (e.support[0] for e in self._slice.entries_by_key[entry.key] if e.holds)

    def _statement(self, record: int, channel: str, via: tuple[str, ...]) -> Item:
        """What a record says, without its quotation: the text comes beside it."""
        row = self._slice.records[record]
        item = brief_record_item(self._slice, record, float(self._near.records[record]), channel, via)
        return replace(item, order=(0, row.chapter, row.order[1]))

    def _telling(self, plot: int) -> tuple[int, int]:
        """The sentences that tell a plot node: those a record is grounded in, else the nearest of the chunk."""
        layer, near = self._index.plot, self._near.sentences
        if plot < layer.events:
            told = self._slice.provenance.sentences_of(int(layer.records[plot]))
            if len(told):
                best = int(told[near[told].argmax()])
                return best, best + 1
        if layer.chunk[plot] < 0:
            return 0, 0
        row = self._slice.passages[int(layer.chunk[plot])]
        first, last = self._slice.sentences.at(row.chapter, row.start, row.end)
        best = first + int(near[first:last].argmax()) if last > first else first
        return best, min(best + 1, last)
