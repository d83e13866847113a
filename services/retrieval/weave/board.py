"""The evidence board (NKW, appendix, step 5): channels with budgets, packed dynamically.

The channels: `state`, what holds now where the text shown tells what held before; `figures`, who is meant; `facts`, records
whose text did not come in itself; `text`, pieces of the story. Figures and facts have a share of the budget, and what they leave the
text takes; a state takes what it needs, with the piece that needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from services.retrieval.cast import Figure
from services.retrieval.evidence import brief_figure_item, brief_record_item
from services.retrieval.fusion import DECIMALS, Scores
from services.retrieval.packing import SEPARATOR, Item, cost_of
from services.retrieval.slices import Slice
from services.retrieval.superseding import Beside
from services.retrieval.weave.selecting import Selection
from services.retrieval.weave.views import Views

SHARES: Final = {"figures": 0.02, "facts": 0.02}
"""Of the budget, at most; the rest is for text, and for `state` what it costs."""
ROOMY: Final = 8_000
"""Characters from which figures and facts have their share: in a smaller packet a piece of text is worth more."""
SURE: Final = 0.75
"""A record is shown in place of its text from this confidence on."""


class Board:
    """Packs one packet. `used` says what each channel took."""

    def __init__(self, slice_: Slice, views: Views, scores: Scores, figures: list[tuple[Figure, float]]) -> None:
        self._slice = slice_
        self._views = views
        self._scores = np.round(scores, DECIMALS)
        self._figures = figures
        self.used: dict[str, int] = {}

    def packed(self, budget: int) -> list[Item]:
        """Items in the order of their channels, text in story order; never more than `budget` characters rendered."""
        beside = Beside(self._slice)
        text = Selection(self._slice.sentences, self._scores, beside=beside)
        shares = _shares(budget)
        text.fill(budget - sum(shares.values()))
        left = budget - text.used - beside.used - (len(SEPARATOR) if text.pieces else 0)
        items: list[Item] = []
        for channel, found in (("figures", self._who()), ("facts", self._facts(text, beside))):
            took = _fitting(found, min(left, shares[channel]))
            self.used[channel] = sum(map(cost_of, took))
            left -= self.used[channel]
            items += took
        text.fill(budget - sum(map(cost_of, items)))
        self.used |= {"state": beside.used, "text": text.used}
        pieces = [text.item(p, "text", self._views.why(p.best)) for p in text.pieces]
        return [*beside.items, *items, *pieces]

    def _who(self) -> Iterator[Item]:
        for figure, score in self._figures:
            if figure.introduced_in:
                yield brief_figure_item(self._slice, figure, round(score, DECIMALS), "figures")

    def _facts(self, text: Selection, beside: Beside) -> Iterator[Item]:
        """The records that stand on the best sentences that are not shown, one for each; none of what is past without what holds."""
        slice_ = self._slice
        sure = slice_.confidence >= SURE
        shown: set[int] = set()
        for sentence in np.argsort(-self._scores, kind="stable").tolist():
            if text.holds(sentence):
                continue
            for index in slice_.provenance.records_of(sentence).tolist():
                record = slice_.records[index]
                if (
                    sure[index]
                    and index not in shown
                    and record.kind != "entity"
                    and beside.holds(beside.of_record(record.name))
                ):
                    shown.add(index)
                    why = self._views.why(sentence)
                    yield brief_record_item(slice_, index, float(self._scores[sentence]) + 0.0, "facts", why)
                    break


def _shares(budget: int) -> dict[str, int]:
    """The characters that each channel beside the text may have."""
    return {name: int(share * budget) if budget >= ROOMY else 0 for name, share in SHARES.items()}


def _fitting(items: Iterator[Item], room: int) -> list[Item]:
    """The items that fit, in turn, until several in a row did not."""
    found: list[Item] = []
    misses = 0
    for item in items:
        if misses == 4 or room < 60:
            break
        if cost_of(item) <= room:
            found.append(item)
            room -= cost_of(item)
        else:
            misses += 1
    return sorted(found, key=lambda item: (item.order, item.id))
