"""Dynamic packing of source text: the best sentences with what belongs to them, in as few and as exact spans as possible."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

import numpy as np

from services.retrieval.evidence import PASSAGES
from services.retrieval.folding import Folding
from services.retrieval.fusion import DECIMALS, Scores
from services.retrieval.packing import SEPARATOR, Item, Span, overhead
from services.retrieval.sentences import Run, Sentences
from services.retrieval.superseding import Beside

LEAST: Final = 1
MOST: Final = 5
"""Sentences that are taken at a time."""
LONGEST: Final = 550
"""Characters that are taken at a time."""
KEPT: Final = 0.35
"""Beyond the least, a sentence joins the one beside it if it has this share of its score."""
MISSES: Final = 12
"""Pieces that do not fit before the packet counts as full."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The sentences [first, last) of one run; `best` is the one it was taken for."""

    first: int
    last: int
    best: int


class Selection:
    """Pieces of text, rendered within a budget of characters. Pieces that meet become one, which spares a heading."""

    def __init__(
        self,
        sentences: Sentences,
        scores: Scores,
        *,
        least: int = LEAST,
        kept: float = KEPT,
        beside: Beside | None = None,
    ) -> None:
        """`beside` has what must stand beside the pieces; its room is theirs."""
        self._beside = beside
        self._sentences = sentences
        self._least = least
        self._kept = kept
        self._scores = np.round(scores, DECIMALS)
        self._pieces: list[Piece] = []
        self._runs: dict[int, Run] = {}
        self._folding = Folding()
        self.folded = 0
        self.used = 0
        """The characters of the pieces as rendered, with a separator between each two."""

    def fill(self, budget: int) -> None:
        """Takes pieces by falling score while they fit, and with them what must stand beside them; after the first that does not, a
        few shorter ones have their chance."""
        misses = 0
        for sentence in np.argsort(-self._scores, kind="stable").tolist():
            if misses == MISSES:
                return
            if self.holds(sentence):
                continue
            alone = Piece(sentence, sentence + 1, sentence)
            if self._folding.repeats(self._text(alone)):
                self.folded += 1
            elif not self._take(self._grown(sentence), budget) and not self._take(alone, budget):
                misses += 1

    @property
    def pieces(self) -> list[Piece]:
        """In story order."""
        return list(self._pieces)

    def holds(self, sentence: int) -> bool:
        at = bisect_left(self._pieces, sentence + 1, key=lambda piece: piece.first) - 1
        return at >= 0 and sentence < self._pieces[at].last

    def item(self, piece: Piece, channel: str = "text", path: tuple[str, ...] = ()) -> Item:
        run = self._run(piece)
        start, end = int(self._sentences.spans[piece.first, 0]), int(self._sentences.spans[piece.last - 1, 1])
        name = f"{run.chapter}:{start}-{end}"
        span = Span(run.chapter, run.revision, start, end)
        score, order = float(self._scores[piece.best]) + 0.0, (PASSAGES, run.chapter, start)
        text = self._text(piece)
        return Item(f"p{name}", "passage", text, run.chapter, "passage", name, (span,), score, channel, order, path)

    def _grown(self, sentence: int) -> Piece:
        """A sentence with those beside it, the better side first."""
        first, last = sentence, sentence + 1
        while last - first < MOST:
            beside = [n for n in (first - 1, last) if self._same_run(n, sentence) and self._is_new(n)]
            if not beside:
                break
            best = max(beside, key=lambda n: (self._scores[n], n))
            if last - first >= self._least and self._scores[best] < self._kept * self._scores[sentence]:
                break
            if self._length(min(first, best), max(last, best + 1)) > LONGEST:
                break
            first, last = min(first, best), max(last, best + 1)
        return Piece(first, last, sentence)

    def _is_new(self, sentence: int) -> bool:
        return not self.holds(sentence) and not self._folding.repeats(
            self._text(Piece(sentence, sentence + 1, sentence))
        )

    def _take(self, piece: Piece, budget: int) -> bool:
        low = bisect_left(self._pieces, piece.first, key=lambda p: p.last)
        while low < len(self._pieces) and self._pieces[low].last <= piece.first and not self._meets(low, piece):
            low += 1
        high = low
        while high < len(self._pieces) and self._meets(high, piece):
            high += 1
        met = self._pieces[low:high]
        merged = Piece(
            min([piece.first, *(p.first for p in met)]),
            max([piece.last, *(p.last for p in met)]),
            max([piece.best, *(p.best for p in met)], key=lambda n: (self._scores[n], -n)),
        )
        after = [*self._pieces[:low], merged, *self._pieces[high:]]
        cost = self._cost(merged) - sum(self._cost(p) for p in met)
        cost += len(SEPARATOR) * (len(after) - max(1, len(self._pieces)))
        beside = self._beside
        keys = beside.of_text(self._text(merged), range(merged.first, merged.last)) if beside else ()
        owed = beside.used + beside.cost(keys) if beside else 0
        if self.used + cost + owed > budget:
            return False
        if beside:
            beside.take(keys)
            beside.tell(self._text(merged), range(merged.first, merged.last))
        self._pieces = after
        self._folding.add(self._text(merged))
        self.used += cost
        return True

    def _meets(self, at: int, piece: Piece) -> bool:
        other = self._pieces[at]
        return other.first <= piece.last and other.last >= piece.first and self._same_run(other.first, piece.first)

    def _cost(self, piece: Piece) -> int:
        item = self.item(piece)
        return overhead(item) + len(item.text)

    def _run(self, piece: Piece) -> Run:
        number = int(self._sentences.run_of[piece.first])
        if number not in self._runs:
            self._runs[number] = self._sentences.run(number)
        return self._runs[number]

    def _text(self, piece: Piece) -> str:
        run = self._run(piece)
        start, end = int(self._sentences.spans[piece.first, 0]), int(self._sentences.spans[piece.last - 1, 1])
        return run.text[start - run.start : end - run.start]

    def _same_run(self, a: int, b: int) -> bool:
        run_of = self._sentences.run_of
        return 0 <= a < len(run_of) and bool(run_of[a] == run_of[b])

    def _length(self, first: int, last: int) -> int:
        return int(self._sentences.spans[last - 1, 1] - self._sentences.spans[first, 0])
