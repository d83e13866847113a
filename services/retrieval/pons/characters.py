"""The character layer: what is told of each figure, chunk by chunk, and who is told of together (PonsRAG, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from projections.embedding import Vectors
from services.retrieval.fusion import Ranking
from services.retrieval.pons.chunks import presence
from services.retrieval.slices import Slice


@dataclass(frozen=True, slots=True, eq=False)
class CharacterLayer:
    """The figures of a slice, numbered as in `cast.ordered`.

    `vectors` has a unit row for each figure's description (0 for one without records that have a vector); `mentions` is 1 where a
    record mentions a figure, shape (figures, records); `presence` is 1 where a figure appears, shape (figures, chunks).
    """

    mentions: csr_array
    mentioned: csr_array
    """The same the other way round, shape (records, figures)."""
    presence: csr_array
    vectors: Vectors

    @property
    def size(self) -> int:
        return int(self.mentions.shape[0])

    @property
    def frequency(self) -> npt.NDArray[np.int64]:
        """The number of chunks in which each figure appears: freq(u)."""
        return np.asarray(np.diff(self.presence.indptr), dtype=np.int64)


def character_layer(slice_: Slice, chunk_of_record: Ranking) -> CharacterLayer:
    """The layer from the slice's live records.

    The paper has a model describe an entity in each chunk and merge the descriptions. The records of a chunk that mention it are
    such a description already, made when the chapter was read: its vector is their mean, and the merged one is the mean
    over the chunks, so that a chapter in which much happens does not drown the others.
    """
    mentions = _mentions(slice_)
    told = mentions.tocoo()
    chunks = chunk_of_record[told.col] + 1  # records without a text share one chunk
    size = len(slice_.passages) + 1
    pair, inverse, count = np.unique(told.row.astype(np.int64) * size + chunks, return_inverse=True, return_counts=True)
    spread = np.bincount(pair // size, minlength=mentions.shape[0])
    weights = (1.0 / (count[inverse] * spread[told.row])).astype(np.float32)
    merging = csr_array((weights, (told.row, told.col)), shape=mentions.shape)
    vectors = _unit(merging, slice_.record_vectors)
    return CharacterLayer(mentions, mentions.T.tocsr(), presence(slice_, mentions, chunk_of_record), vectors)


def _mentions(slice_: Slice) -> csr_array:
    figures = slice_.cast.ordered
    rows = np.repeat(np.arange(len(figures)), [len(figure.mentioned_in) for figure in figures])
    columns = np.array([index for figure in figures for index in figure.mentioned_in], dtype=np.int64)
    size = (len(figures), len(slice_.records))
    return csr_array((np.ones(len(columns)), (rows, columns)), shape=size)


def _unit(merging: csr_array, record_vectors: Vectors) -> Vectors:
    if not merging.shape[0] or not len(record_vectors):
        return np.zeros((merging.shape[0], record_vectors.shape[1] if record_vectors.ndim == 2 else 0), np.float32)
    sums = np.asarray(merging @ record_vectors, dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
    units: Vectors = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    return units
