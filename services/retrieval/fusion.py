"""Rankings, and joining them by reciprocal rank (Cormack et al. 2009)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

K: Final = 60
DECIMALS: Final = 6
"""Scores are compared and shown at this precision, so that a last bit never decides an order."""

Scores: TypeAlias = npt.NDArray[np.float64]
Ranking: TypeAlias = npt.NDArray[np.int64]
"""Indices, the best first."""


def ranked(scores: Scores, *, above: float | None = None) -> Ranking:
    """Indices by falling score, equal ones in their own order; with `above` only those whose rounded score exceeds it."""
    rounded = np.round(scores, DECIMALS)
    if above is None:
        return np.argsort(-rounded, kind="stable")
    kept = np.flatnonzero(rounded > above)  # most of a long story has nothing of a question: it need not be sorted
    return kept[np.argsort(-rounded[kept], kind="stable")]


def fused(size: int, rankings: Iterable[Ranking], k: int = K) -> Scores:
    """Of `size` things, the sum over the rankings of 1 / (k + rank), ranks from 1; 0 for what no ranking has."""
    total = np.zeros(size, dtype=np.float64)
    for ranking in rankings:
        total[ranking] += 1.0 / (k + 1 + np.arange(len(ranking)))
    return total
