"""The pons layer: weighted edges between figures and events (PonsRAG, section 4.1, eq. 2 to 4, and appendix C).

w(u, v) = sim(d_u, r_v) · log(N / (1 + freq(u))) where the similarity reaches τ, else there is no edge. N counts chunks,
freq(u) those in which u appears. A figure that is everywhere has no positive weight to give, and no edge.

Embedders differ in what a cosine means: the paper's puts two arbitrary descriptions and events at about .7 (eq. 10 and figure 4: mean
distances from .231 to .377), ours at about .2. Distances are therefore stretched so that their mean over all pairs is the paper's,
.304, and τ means the same for every embedder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from services.retrieval.fusion import DECIMALS
from services.retrieval.pons.characters import CharacterLayer
from services.retrieval.pons.options import Options
from services.retrieval.pons.plot import PlotLayer
from services.retrieval.slices import Slice

MEAN_DISTANCE: Final = 0.304
_BLOCK: Final = 2_048
"""Plot nodes that are compared with all figures at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Bridge:
    """The edges between the layers.

    `weights` are positive, shape (figures, plot nodes). `to_plot` and `to_figures` say what a node gets of each node on the other side,
    which shares out all it has: shapes (plot nodes, figures) and (figures, plot nodes).
    """

    weights: csr_array
    to_plot: csr_array
    to_figures: csr_array


def bridge(slice_: Slice, characters: CharacterLayer, plot: PlotLayer, chosen: Options) -> Bridge:
    """The pons layer under the chosen bridging scheme and τ."""
    weights = _weights(slice_, characters, plot, chosen)
    return Bridge(weights, shared_out(weights).T.tocsr(), shared_out(weights.T.tocsr()).T.tocsr())


def _weights(slice_: Slice, characters: CharacterLayer, plot: PlotLayer, chosen: Options) -> csr_array:
    if chosen.bridging == "none" or not characters.size or not plot.size:
        return csr_array((characters.size, plot.size), dtype=np.float32)
    if chosen.bridging == "mention":
        return _mentioned(characters, plot)
    rarity = np.ones(characters.size) if chosen.bridging == "semantic" else rarities(characters, len(slice_.passages))
    return _similar(slice_, characters, plot, np.maximum(rarity, 0.0).astype(np.float32), chosen.tau)


def shared_out(weights: csr_array) -> csr_array:
    """The rows divided by their sums, those without weights left at 0."""
    sums = np.asarray(weights.sum(axis=1, dtype=np.float64)).ravel()
    shared = weights.astype(np.float64)
    shared.data = shared.data / np.repeat(sums, np.diff(shared.indptr))
    return shared


def rarities(characters: CharacterLayer, chunks: int) -> npt.NDArray[np.float64]:
    """I_u = log(N / (1 + freq(u))) of every figure (eq. 3)."""
    return np.asarray(np.log(max(chunks, 1) / (1.0 + characters.frequency)), dtype=np.float64)


def _mentioned(characters: CharacterLayer, plot: PlotLayer) -> csr_array:
    """An edge of weight 1 where the figure appears in the event's chunk."""
    told = np.flatnonzero(plot.chunk >= 0)
    size = (characters.presence.shape[1], plot.size)
    holding = csr_array((np.ones(len(told), dtype=np.float32), (plot.chunk[told], told)), shape=size)
    return csr_array(characters.presence @ holding)


def _similar(
    slice_: Slice, characters: CharacterLayer, plot: PlotLayer, rarity: npt.NDArray[np.float32], tau: float
) -> csr_array:
    blocks = [(a, min(a + _BLOCK, plot.size)) for a in range(0, plot.size, _BLOCK)]
    least = _least_cosine(slice_, characters, plot, tau)
    rows, columns, weights = [], [], []
    for first, last in blocks:
        cosine = characters.vectors @ _vectors(slice_, plot, first, last).T
        np.round(cosine, DECIMALS, out=cosine)
        row, column = np.nonzero((cosine >= least[0]) & (rarity > 0)[:, None])
        rows.append(row.astype(np.int32))
        columns.append((column + first).astype(np.int32))
        weights.append((least[1] + least[2] * cosine[row, column]) * rarity[row])
    shape = (characters.size, plot.size)
    found = (np.concatenate(weights).astype(np.float32), (np.concatenate(rows), np.concatenate(columns)))
    edges = csr_array(found, shape=shape)
    edges.data = np.maximum(edges.data, 0.0)
    edges.eliminate_zeros()
    return edges


def _least_cosine(
    slice_: Slice, characters: CharacterLayer, plot: PlotLayer, tau: float
) -> tuple[float, np.float32, np.float32]:
    """The cosine at τ, and (a, b) so that the similarity is a + b · cosine: 1 - MEAN_DISTANCE · (1 - cosine) / (1 - mean cosine)."""
    middle = characters.vectors.mean(axis=0, dtype=np.float64)
    total = np.zeros_like(middle)
    for first in range(0, plot.size, _BLOCK):
        total += _vectors(slice_, plot, first, min(first + _BLOCK, plot.size)).sum(axis=0, dtype=np.float64)
    mean = round(float(middle @ total) / plot.size, DECIMALS)
    slope = MEAN_DISTANCE / max(1.0 - mean, 1e-6)
    return round(1.0 - (1.0 - tau) / slope, DECIMALS), np.float32(1.0 - slope), np.float32(slope)


def _vectors(slice_: Slice, plot: PlotLayer, first: int, last: int) -> npt.NDArray[np.float32]:
    """The vectors of the plot nodes [first, last)."""
    records = slice_.record_vectors[plot.records[first:last]]
    passages = slice_.passage_vectors[max(0, first - plot.events) : max(0, last - plot.events)]
    if not len(records):
        return passages
    return np.concatenate([records, passages]) if len(passages) else records
