"""The evidence board (NKW, appendix, step 5): channels with budgets, packed dynamically.

The channels: `state`, what holds now where the text shown tells what held before; `figures`, who is meant; `facts`, a line each from
records whose text did not come in itself, which tells of more places than their text would; `text`, pieces of the story. Figures and
facts have a share of the budget, and what they leave the text takes; a state takes what it needs, with the piece that needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from services.retrieval.cast import Figure
from services.retrieval.evidence import brief_figure_item, line_item
from services.retrieval.fusion import DECIMALS, Scores
from services.retrieval.packing import FACTS, SEPARATOR, Item, cost_of
from services.retrieval.slices import Slice
from services.retrieval.superseding import Beside
from services.retrieval.weave.selecting import Selection
from services.retrieval.weave.views import Views

FIGURES: Final = 0.02
"""Of the budget, at most, for who is meant."""
ROOMY: Final = 8_000
"""Characters from which figures have their share: in a smaller packet a piece of text is worth more."""
LINES: Final = 0.15
"""Of the budget, at most, for records that are sure; the rest is for text, and for `state` what it costs."""
HAPPENINGS: Final = frozenset({"event", "interaction", "revelation", "fact"})
"""The kinds that say most of a place: a line of them goes before one of another kind."""


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
        shares = self._shares(budget)
        text.fill(budget - sum(shares.values()))
        left = budget - text.used - beside.used - (len(SEPARATOR) if text.pieces else 0)
        items: list[Item] = []
        for channel, found in (("figures", self._who()), (FACTS, self._facts(text, beside))):
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
        """Of the best sentences that are not shown a line each, and no sentence told twice; none of what is past without what holds."""
        provenance = self._slice.provenance
        told: set[int] = set()
        for sentence in np.argsort(-self._scores, kind="stable").tolist():
            if sentence in told or text.holds(sentence):
                continue
            lines = [
                self._line(index, sentence) for index in provenance.records_of(sentence).tolist() if self._speaks(index)
            ]
            for index, line in sorted(
                lines, key=lambda found: (found[1].type not in HAPPENINGS, len(found[1].text), found[0])
            ):
                grounds = provenance.sentences_of(index).tolist()
                if beside.holds(beside.of_record(line.name) | beside.of_text(line.text, grounds)):
                    told.update(grounds)
                    yield line
                    break

    def _speaks(self, index: int) -> bool:
        return bool(self._slice.sure[index]) and self._slice.records[index].kind != "entity"

    def _line(self, index: int, sentence: int) -> tuple[int, Item]:
        why = self._views.why(sentence)
        return index, line_item(self._slice, index, float(self._scores[sentence]) + 0.0, FACTS, why)

    def _shares(self, budget: int) -> dict[str, int]:
        """The characters that each channel beside the text may have."""
        shares = {"figures": FIGURES if budget >= ROOMY else 0.0, FACTS: LINES if self._slice.sure.any() else 0.0}
        return {name: int(share * budget) for name, share in shares.items()}


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
