"""What the tools found, brought to one scale: the sentences of the slice, seen from several sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from services.retrieval.fusion import DECIMALS, Scores

NEAR: Final = 0.3
"""What the scores around a sentence count for beside its own: answers stand among sentences that bear on the question."""
_SPEAKS: Final = 1.0
"""Standard deviations above the mean from which a view speaks for a sentence."""


class Views:
    """Scores of sentences by name, joined as the weighted sum of their standard scores, so that none rules by its scale."""

    def __init__(self, size: int, weights: Mapping[str, float]) -> None:
        self._size = size
        self._weights = weights
        self._standard: dict[str, Scores] = {}

    def add(self, name: str, scores: Scores, *, fresh: bool = False) -> None:
        """Adds a view, shape (sentences,); one without weight, or that tells no sentence from another, adds nothing.

        A view of a name that is there replaces it, or with `fresh` stands beside it.
        """
        weight = self._weights.get(name, 0.0)
        spread = float(scores.std()) if len(scores) and weight else 0.0
        if spread > 1e-12:
            shown = f"{name} {sum(n.startswith(name) for n in self._standard) + 1}" if fresh else name
            self._standard[shown] = weight * (scores - scores.mean()) / spread

    @property
    def joined(self) -> Scores:
        total = np.zeros(self._size)
        for name in sorted(self._standard):  # a fixed order: sums of floats depend on it
            total += self._standard[name]
        return total

    def among(self, around: Callable[[Scores], Scores]) -> Scores:
        """The joined scores, and with `NEAR` of their spread what `around` makes of them."""
        total = self.joined
        near = around(total)
        spread = float(near.std()) if len(near) else 0.0
        return total + NEAR * float(total.std()) * (near - near.mean()) / spread if spread > 1e-12 else total

    def why(self, sentence: int) -> tuple[str, ...]:
        """The names of the views that speak for a sentence, the strongest first."""
        found = {n: round(float(s[sentence]), DECIMALS) for n, s in self._standard.items()}
        return tuple(
            sorted((n for n, s in found.items() if s > _SPEAKS * self._weight(n)), key=lambda n: (-found[n], n))
        )

    def _weight(self, shown: str) -> float:
        return self._weights.get(shown) or self._weights[shown.rsplit(" ", 1)[0]]
