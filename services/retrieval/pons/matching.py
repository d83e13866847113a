"""Pons Match: which awake figure goes with which awake event (PonsRAG, section 4.2, eq. 9; section 5.3 and table 5 for the others)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from services.retrieval.fusion import DECIMALS
from services.retrieval.pons.options import Options


@dataclass(frozen=True, slots=True)
class Pair:
    """A figure and a plot node, and the weight of the edge between them."""

    figure: int
    plot: int
    weight: float


def match(edges: csr_array, figures: npt.NDArray[np.int64], plot: npt.NDArray[np.int64], chosen: Options) -> list[Pair]:
    """Pairs among the candidates, the heaviest first, ties by number.

    `pairs`: at most k4 of a maximum-weight matching in which an event has one figure, a figure `degree` events. `edges`: the k4
    heaviest edges. `dense`: every edge.
    """
    figures, plot = np.sort(figures), np.sort(plot)
    if not len(figures) or not len(plot):
        return []
    weights = np.round(edges[figures][:, plot].toarray().astype(np.float64), DECIMALS)
    if chosen.matching == "pairs":
        rows, columns = _assigned(np.repeat(weights, chosen.degree, axis=0))
        rows = rows // chosen.degree
    else:
        rows, columns = np.nonzero(weights)
    heavy = weights[rows, columns]
    order = np.lexsort((columns, rows, -heavy))
    order = order[heavy[order] > 0]
    if chosen.matching != "dense":
        order = order[: chosen.k4]
    return [Pair(int(figures[rows[i]]), int(plot[columns[i]]), float(heavy[i])) for i in order]


def _assigned(weights: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return rows.astype(np.int64), columns.astype(np.int64)
