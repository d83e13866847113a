"""Text embedders: one small interface, a model that runs offline and a hashing one that needs no model.

The vector of a text depends on that text alone, bit for bit: not on the other texts of the call, their order or number, nor on
earlier calls. Packets are promised byte-identical whatever was published later, and a vector that moves with its batch would
break that promise through the ranking.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt

from events.errors import InvalidInput

Vectors = npt.NDArray[np.float32]

_WORD = re.compile(r"\w+(?:['’]\w+)*")


class Embedder(Protocol):
    """Maps texts to unit vectors.

    `embed` returns a float32 array of shape (len(texts), dimensions) whose rows have Euclidean length 1; no texts give shape
    (0, dimensions).
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors: ...


class UnknownEmbedder(InvalidInput):
    """No embedder has this name; the message lists those that exist."""

    title = "There is no such embedder"
    slug = "unknown-embedder"

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown embedder {name!r}: set FABULA_EMBEDDER to one of {', '.join(EMBEDDERS)}")
        self.name = name


class HashEmbedder:
    """Signed feature hashing of words, word pairs and character trigrams: deterministic on any machine, and needs no model.

    A feature counts 1 + ln(occurrences), times a weight for its sort; texts that share words or word parts come out near each
    other, but nothing of their meaning is known.
    """

    name = "hash"

    def __init__(self, dimensions: int = 384) -> None:
        if dimensions < 1:
            raise ValueError(f"an embedding needs at least one dimension, not {dimensions}")
        self.dimensions = dimensions
        self._numbers: dict[str, int] = {}
        """The features seen so far, each with its place in the arrays that say where it counts, and what."""
        self._index = np.zeros(_KEPT, dtype=np.intp)
        self._weight = np.zeros(_KEPT, dtype=np.float64)
        self._adding = Lock()
        self._of_word: dict[str, list[str]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._vector(text)
        return rows

    def _vector(self, text: str) -> npt.NDArray[np.float64]:
        counted = Counter(self._features(text))
        indexes, weights = self._places(list(counted))
        damped = [1.0 if count == 1 else 1.0 + math.log(count) for count in counted.values()]
        # adds one after the other, in order of first occurrence: rounding depends on that
        sums = np.bincount(indexes, weights * np.array(damped), minlength=self.dimensions)
        length = math.sqrt(float(sums @ sums))
        if length == 0.0:  # nothing to hash, or features that cancel out: still a unit vector
            sums[0] = length = 1.0
        return sums / length

    def _features(self, text: str) -> list[str]:
        """Words (w), adjacent pairs (p) and character trigrams of the bounded word (c), case and compatibility forms folded."""
        words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
        found: list[str] = []
        for word in words:
            found += self._of_word.get(word) or self._word(word)
        found += [f"p{first} {second}" for first, second in pairwise(words)]
        return found

    def _word(self, word: str) -> list[str]:
        bounded = f"<{word}>"
        features = ["w" + word, *["c" + bounded[start : start + 3] for start in range(len(bounded) - 2)]]
        if len(self._of_word) < _KEPT:
            self._of_word[word] = features
        return features

    def _places(self, features: list[str]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """Where the features count, and what each does once."""
        numbers = [self._numbers.get(feature, -1) for feature in features]
        if -1 in numbers:
            numbers = [self._number(f) if n < 0 else n for n, f in zip(numbers, features, strict=True)]
        indexes, weights = self._index[numbers], self._weight[numbers]
        if -1 in numbers:  # as many are kept as may be
            for place, number in enumerate(numbers):
                if number < 0:
                    indexes[place], weights[place] = self._place(features[place])
        return indexes, weights

    def _number(self, feature: str) -> int:
        """The feature's number, a new one if it was never seen; -1 where no more are kept."""
        with self._adding:
            number = self._numbers.get(feature, len(self._numbers))
            if number == _KEPT:
                return -1
            if feature not in self._numbers:
                self._index[number], self._weight[number] = self._place(feature)
                self._numbers[feature] = number
        return number

    def _place(self, feature: str) -> tuple[int, float]:
        number = int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        weight = _WEIGHTS[feature[0]]
        return (number >> 1) % self.dimensions, weight if number & 1 else -weight


_KEPT = 200_000
_WEIGHTS = {"w": 1.0, "p": 0.5, "c": 0.25}


EMBEDDERS = ("minilm", "hash")


def embedder_for(name: str, cache_dir: Path) -> Embedder:
    """The embedder called `name`; a model is loaded (and built under `cache_dir`) when the first text is embedded.

    Raises `UnknownEmbedder`.
    """
    if name == "hash":
        return HashEmbedder()
    if name == "minilm":
        from projections.minilm import MiniLmEmbedder

        return MiniLmEmbedder(cache_dir)
    raise UnknownEmbedder(name)
