"""BM25 over a fixed set of documents (Robertson & Zaragoza 2009): every statistic comes from these documents alone."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import chain, pairwise
from threading import Lock
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from projections.search.analysis import terms_of, tokens
from services.retrieval.fusion import Scores

K1: Final = 1.2
B: Final = 0.75

Ids: TypeAlias = npt.NDArray[np.int32]
T = TypeVar("T")
Document: TypeAlias = tuple[Ids, Ids]
"""The ids of a text's different terms, and how often each occurs."""
Block: TypeAlias = tuple[Ids, Ids, Ids]
"""Documents one behind the other: the ids of their terms, how often each occurs, and how many different ones each document has."""


class Vocabulary:
    """Numbers for the terms of one story, and its analysed texts by key.

    Numbers grow with whatever was read before, so nothing may depend on them: scores do not.
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._tokens = _Numbers(self._ids)
        self._documents: dict[bytes, Document] = {}
        self._analyses: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def id_of(self, term: str) -> int | None:
        return self._ids.get(term)

    def documents(self, texts: Sequence[tuple[bytes, str]]) -> list[Document]:
        """The terms of texts, each kept under its key (its hash) and analysed once."""
        fresh = {key: text for key, text in texts if key not in self._documents}
        self._documents.update(zip(fresh, self.analysed(list(fresh.values())), strict=True))
        return [self._documents[key] for key, _ in texts]

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made once for all slices of the story. `key` determines it, whatever the slice."""
        found = self._analyses.get(key)
        if found is None:
            found = self._analyses[key] = make()
        return cast(T, found)

    def block(self, texts: Sequence[tuple[bytes, str]]) -> Block:
        """Texts that belong together, as those of a chapter, joined once for all slices that have them."""
        return self.kept(("block", *(key for key, _ in texts)), lambda: joined(self.documents(texts)))

    def analysed(self, texts: Sequence[str]) -> list[Document]:
        """The terms of each text."""
        rows, ids, counts = self.counted(texts)
        bounds = np.searchsorted(rows, np.arange(len(texts) + 1)).tolist()
        return [(ids[a:b], counts[a:b]) for a, b in pairwise(bounds)]

    def counted(self, texts: Sequence[str]) -> tuple[Ids, Ids, Ids]:
        """The number of a text, a term and how often it has that, in three columns, ordered by the first two."""
        numbers, sizes = array("i"), []
        for text in texts:
            before = len(numbers)
            numbers.extend(chain.from_iterable(map(self._tokens.__getitem__, tokens(text))))
            sizes.append(len(numbers) - before)
        rows = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
        keys, counts = np.unique(rows << 32 | np.array(numbers, dtype=np.int64), return_counts=True)
        return (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32), counts.astype(np.int32)


class _Numbers(dict[str, tuple[int, ...]]):
    """The numbers of a token's terms, found out on first use."""

    def __init__(self, ids: dict[str, int]) -> None:
        super().__init__()
        self._ids = ids
        self._lock = Lock()

    def __missing__(self, token: str) -> tuple[int, ...]:
        with self._lock:
            found = self[token] = tuple(self._ids.setdefault(term, len(self._ids)) for term in terms_of(token))
        return found


def joined(documents: Sequence[Document]) -> Block:
    none: list[Ids] = [np.zeros(0, dtype=np.int32)]
    sizes = np.array([len(ids) for ids, _ in documents], dtype=np.int32)
    ids = np.concatenate([ids for ids, _ in documents] or none)
    return ids, np.concatenate([counts for _, counts in documents] or none), sizes


class Lexicon:
    """Scores documents, which come in blocks, against a question."""

    def __init__(self, vocabulary: Vocabulary, blocks: Sequence[Block]) -> None:
        self._vocabulary = vocabulary
        none: list[Ids] = [np.zeros(0, dtype=np.int32)]
        columns, counts, sizes = (np.concatenate([block[n] for block in blocks] or none) for n in range(3))
        self.size = len(sizes)
        rows = np.repeat(np.arange(self.size, dtype=np.int32), sizes)
        lengths = np.bincount(rows, counts, minlength=self.size)
        mean = lengths.mean() if self.size and lengths.any() else 1.0
        self._norms = K1 * (1.0 - B + B * lengths / mean)
        self._arrange(rows, columns, counts)

    def scores(self, question: Sequence[str]) -> Scores:
        """BM25 of every document, shape (documents,). A document without any term of the question has exactly 0.

        A term's weight is ln(1 + (N - n + 0.5) / (n + 0.5)), which is positive for every n up to N.
        """
        total = np.zeros(self.size, dtype=np.float64)
        for term, times in sorted(Counter(question).items()):  # a fixed order: sums of floats depend on it
            holders, counts = self._column(term)
            if len(holders):
                weight = times * np.log1p((self.size - len(holders) + 0.5) / (len(holders) + 0.5))
                total[holders] += weight * counts * (K1 + 1.0) / (counts + self._norms[holders])
        return total

    def holders(self, term: str) -> Ids:
        """The documents that have a term, in order."""
        return self._column(term)[0]

    def _column(self, term: str) -> tuple[Ids, Ids]:
        """The documents that have a term, and how often each has it."""
        column = self._vocabulary.id_of(term)
        if column is None or column + 1 >= len(self._bounds):  # never seen, or only in what was analysed later
            return self._holders[:0], self._counts[:0]
        part = slice(self._bounds[column], self._bounds[column + 1])
        return self._holders[part], self._counts[part]

    def _arrange(self, rows: Ids, columns: Ids, counts: Ids) -> None:
        """Postings by term: those of term t are at `_bounds[t]` to `_bounds[t + 1]`, in the order of the documents."""
        order = np.argsort(columns, kind="stable")
        self._holders, self._counts = rows[order], counts[order]
        self._bounds = np.searchsorted(columns[order], np.arange(len(self._vocabulary) + 1))
