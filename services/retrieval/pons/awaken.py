"""Pons Awaken: activation spreads from the anchors over the edges between the layers (PonsRAG, section 4.2, eq. 7 and 8).

Co-HITS (Deng, Lyu and King 2009): x = (1 - λ) x⁰ + λ P y and y = (1 - λ) y⁰ + λ Q x, where x and y are the scores of figures
and events, x⁰ and y⁰ those they begin with, and P and Q the edge weights normalised so that each node shares out all it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from services.retrieval.fusion import DECIMALS, Scores, ranked
from services.retrieval.pons.anchor import Anchors
from services.retrieval.pons.bridge import Bridge
from services.retrieval.pons.options import Options

LAMBDA: Final = 0.5
"""The share that comes over the edges; the paper names none."""
ROUNDS: Final = 12
"""λ to that power is what is left of the first scores' error: less than 1 in 4,000."""


@dataclass(frozen=True, slots=True, eq=False)
class Awakened:
    """The nodes found beyond the anchors, the best first, and the activation p* of all figures and plot nodes."""

    figures: npt.NDArray[np.int64]
    plot: npt.NDArray[np.int64]
    figure_scores: Scores
    plot_scores: Scores


def awaken(edges: Bridge, anchors: Anchors, plot_scores: Scores, chosen: Options) -> Awakened:
    """The k3 figures and the k3 plot nodes with the highest activation that are no anchors.

    `plot_scores` are S(q, v). Without the step nothing is awakened and the activation is what the anchors have.
    """
    figures, plot = _first(anchors.walk, anchors.figures), _first(plot_scores, anchors.plot)
    if not chosen.awaken or not edges.weights.nnz or chosen.layers != "both":
        none = np.zeros(0, dtype=np.int64)
        return Awakened(none, none, figures, plot)
    x, y = co_hits(edges, figures, plot)
    return Awakened(_beyond(x, anchors.figures, chosen.k3), _beyond(y, anchors.plot, chosen.k3), x, y)


def co_hits(edges: Bridge, figures: Scores, plot: Scores) -> tuple[Scores, Scores]:
    """The steady state from the scores that figures and plot nodes begin with; rounded."""
    x, y = figures, plot
    for _ in range(ROUNDS):
        x, y = (
            (1.0 - LAMBDA) * figures + LAMBDA * (edges.to_figures @ y),
            (1.0 - LAMBDA) * plot + LAMBDA * (edges.to_plot @ x),
        )
    return np.round(x, DECIMALS + 3), np.round(y, DECIMALS + 3)


def _first(scores: Scores, anchors: npt.NDArray[np.int64]) -> Scores:
    """The anchors' scores, summing to 1; 0 for all else."""
    found = np.zeros(len(scores))
    found[anchors] = scores[anchors]
    total = float(found.sum())
    return found / total if total > 0 else found


def _beyond(scores: Scores, anchors: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    left = scores.copy()
    left[anchors] = 0.0
    return ranked(left * 1e3, above=0.0)[:count]
