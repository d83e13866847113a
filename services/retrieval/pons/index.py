"""The three layers of a slice, made on first use and kept as long as the slice is."""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from services.retrieval.fusion import Scores
from services.retrieval.pons.bridge import Bridge, bridge
from services.retrieval.pons.characters import character_layer
from services.retrieval.pons.chunks import chunks_of
from services.retrieval.pons.options import Options
from services.retrieval.pons.plot import plot_layer
from services.retrieval.slices import Slice


class Index:
    """Triple-layer indexing of one slice (PonsRAG, section 4.1): nothing but the slice is read.

    It does not hold the slice itself, so that it can go when the slice goes.
    """

    def __init__(self, slice_: Slice) -> None:
        records = slice_.records
        told_in = chunks_of(slice_, [r.chapter for r in records], [r.order[1] for r in records])
        self.characters = character_layer(slice_, told_in)
        self.plot = plot_layer(slice_, told_in)
        self._grounds(slice_)
        self._edges: dict[tuple[str, float], Bridge] = {}
        self._lock = Lock()

    def best_sentence(self, scores: Scores) -> Scores:
        """The best score among the sentences that tell each event; shape (events,)."""
        best = np.zeros(self.plot.events)
        np.maximum.at(best, self._told, scores[self._telling])
        return best

    def best_in_chunk(self, scores: Scores) -> Scores:
        """The best score among the sentences of each chunk; shape (chunks,)."""
        best = np.zeros(len(self._chapter))
        if len(scores):
            np.maximum.at(best, self._chunks[:, 0], scores)
            np.maximum.at(best, self._chunks[:, 1], scores)
        return best

    def mean_of_chapter(self, chunks: Scores) -> Scores:
        """For each sentence the mean score of its chapter's chunks; shape (sentences,)."""
        if not len(chunks):
            return np.zeros(0)
        means = np.bincount(self._chapter, chunks) / np.bincount(self._chapter)
        return np.asarray(means[self._chapter[self._chunks[:, 0]]], dtype=np.float64)

    def _grounds(self, slice_: Slice) -> None:
        """Which sentences tell each event, which chunks have each sentence, and the ordinal of each chunk's chapter."""
        pairs = [
            (e, s) for e, r in enumerate(self.plot.records.tolist()) for s in slice_.provenance.sentences_of(r).tolist()
        ]
        self._told, self._telling = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        self._chunks = slice_.sentences.passage_of
        _, self._chapter = np.unique([p.chapter for p in slice_.passages], return_inverse=True)

    def edges(self, slice_: Slice, chosen: Options) -> Bridge:
        """The pons layer of the slice under one bridging scheme and τ; the last asked for is kept."""
        key = (chosen.bridging, chosen.tau)
        with self._lock:
            if key not in self._edges:
                self._edges = {key: bridge(slice_, self.characters, self.plot, chosen)}
            return self._edges[key]


_INDICES: WeakKeyDictionary[Slice, Index] = WeakKeyDictionary()
_LOCK = Lock()


def index_of(slice_: Slice) -> Index:
    """The index of a slice, dropped with it (as when a text is erased)."""
    with _LOCK:
        found = _INDICES.get(slice_)
    if found is None:
        made = Index(slice_)
        with _LOCK:
            found = _INDICES.setdefault(slice_, made)
    return found
