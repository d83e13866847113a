"""The chunks of a story: in which one a record is told, and in which ones a figure appears.

A chunk is a passage of the slice. PonsRAG cuts chunks of 512 tokens (appendix B.1); a passage has 360 words, which is about that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from projections.search.analysis import terms
from services.retrieval.fusion import Ranking
from services.retrieval.slices import Slice

_CHAPTER: int = 2**31
"""More than the characters of a chapter."""


def chunks_of(slice_: Slice, chapters: Sequence[int], starts: Sequence[int]) -> Ranking:
    """The chunk that tells what begins at each place: the last one that begins at or before it; shape (places,).

    -1 where the slice has no text of that chapter.
    """
    rows = slice_.passages
    begins = np.array([row.chapter * _CHAPTER + row.start for row in rows], dtype=np.int64)
    places = np.asarray(chapters, dtype=np.int64) * _CHAPTER + np.asarray(starts, dtype=np.int64)
    found = np.searchsorted(begins, places, side="right") - 1
    owner = np.append([row.chapter for row in rows], -1).astype(np.int64)
    return np.where(owner[found] == np.asarray(chapters, dtype=np.int64), found, -1)


def presence(slice_: Slice, mentions: csr_array, chunk_of_record: Ranking) -> csr_array:
    """Which chunks each figure appears in: shape (figures, chunks), 1 or absent.

    A figure is where a record of the chunk mentions it, and where its chunk has every term of one of its proper names.
    """
    size = (len(slice_.cast.ordered), len(slice_.passages))
    told = mentions.tocoo()
    figures, chunks = [told.row.astype(np.int64)], [chunk_of_record[told.col]]
    for number in range(size[0]):
        for name in _proper_names(slice_, number):
            holders = _holding_all(slice_, name)
            figures.append(np.full(len(holders), number))
            chunks.append(holders)
    rows, columns = np.concatenate(figures), np.concatenate(chunks)
    kept = columns >= 0
    found = csr_array((np.ones(int(kept.sum()), dtype=np.float32), (rows[kept], columns[kept])), shape=size)
    found.sum_duplicates()
    found.data[:] = 1.0
    return found


def _proper_names(slice_: Slice, number: int) -> list[str]:
    """The names that a figure alone goes by: those written with a capital, or in a script that has none."""
    cast, figure = slice_.cast, slice_.cast.ordered[number]
    names = [cast.name(figure.id), *cast.aliases(figure)]
    return [name for name in names if any(word[0].isupper() or not word[0].islower() for word in name.split()[-1:])]


def _holding_all(slice_: Slice, name: str) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64] | None = None
    for term in dict.fromkeys(terms(name)):
        holders = slice_.passage_lexicon.holders(term).astype(np.int64)
        found = holders if found is None else np.intersect1d(found, holders, assume_unique=True)
    return np.zeros(0, dtype=np.int64) if found is None else found
