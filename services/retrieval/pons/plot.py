"""The plot layer: atomic events with their time, their cluster and the chunk that tells them (PonsRAG, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from services.retrieval.fusion import Ranking
from services.retrieval.pons.clusters import Assigned, Clusters, clusters
from services.retrieval.slices import Slice

EVENTS: Final = frozenset(
    {"event", "interaction", "situation", "presence", "object_delta", "revelation", "thread", "episode", "storyline"}
)
"""Kinds of records that say what happens. The others say what a figure is, knows or means to another: traits."""


@dataclass(frozen=True, slots=True, eq=False)
class PlotLayer:
    """Plot nodes: the records of events in story order, then every chunk as an event that no record has put into words.

    Arrays have shape (nodes,) unless said otherwise.
    """

    records: npt.NDArray[np.int64]
    """The records of events; shape (events,)."""
    chunk: Ranking
    """The chunk of each node, -1 for a record whose chapter has no text."""
    chapter: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    """The time of a node: its chapter, and the code point at which its telling begins."""
    clusters: Clusters
    """The clusters of the events; shape of the labels (events,)."""

    @property
    def events(self) -> int:
        return len(self.records)

    def time(self, node: int) -> tuple[int, int]:
        return int(self.chapter[node]), int(self.start[node])

    @property
    def size(self) -> int:
        return len(self.chunk)


def plot_layer(slice_: Slice, chunk_of_record: Ranking) -> PlotLayer:
    """The layer from the slice's records and passages.

    A story of which nothing is recorded has its chunks alone. Where there are records the chunks stay nodes too, since no record says all.
    """
    records = np.array([i for i, record in enumerate(slice_.records) if record.kind in EVENTS], dtype=np.int64)
    told = [slice_.records[i] for i in records]
    chunks = np.arange(len(slice_.passages), dtype=np.int64)
    chapters = [r.chapter for r in told] + [p.chapter for p in slice_.passages]
    starts = [r.order[1] for r in told] + [p.start for p in slice_.passages]
    assigned = slice_.vocabulary.kept("pons: clusters", Assigned)
    grouped = clusters(slice_.record_vectors[records], [r.chapter for r in told], [r.text_hash for r in told], assigned)
    return PlotLayer(
        records,
        np.concatenate([chunk_of_record[records], chunks]).astype(np.int64),
        np.array(chapters, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        grouped,
    )
