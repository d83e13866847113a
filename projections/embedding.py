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
        self._of_word: dict[str, list[int]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _AT_ONCE):
            sums = self._sums(texts[start : start + _AT_ONCE])
            for row, summed in zip(rows[start : start + _AT_ONCE], sums, strict=True):
                length = math.sqrt(float(summed @ summed))
                if length == 0.0:  # nothing to hash, or features that cancel out: still a unit vector
                    summed[0] = length = 1.0
                row[:] = summed / length
        return rows

    def _sums(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """What the features of each text add up to: an array of shape (texts, dimensions)."""
        features: list[int] = []
        counts: list[int] = []
        sizes = []
        for text in texts:
            counted = self._counted(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
            features += counted
            counts += counted.values()
            sizes.append(len(counted))
        indexes, weights = self._places(features)
        places = indexes + np.repeat(np.arange(len(texts)) * self.dimensions, sizes)
        # adds one after the other, in order of first occurrence: rounding depends on that
        sums = np.bincount(places, weights=weights * _damped(counts), minlength=len(texts) * self.dimensions)
        return np.asarray(sums, dtype=np.float64).reshape(len(texts), self.dimensions)

    def _counted(self, words: Sequence[str]) -> Counter[int]:
        """How often each feature occurs, by number, in order of first occurrence."""
        numbers: list[int] = []
        for word in words:
            numbers += self._of_word.get(word) or self._word(word)
        known = self._numbers.get
        for first, second in pairwise(words):
            pair = f"p{first} {second}"
            number = known(pair)
            numbers.append(self._number(pair) if number is None else number)
        return Counter(numbers)

    def _word(self, word: str) -> list[int]:
        numbers = [self._number(feature) for feature in _features(word)]
        if len(self._of_word) < _KEPT:
            self._of_word[word] = numbers
        return numbers

    def _number(self, feature: str) -> int:
        """The feature's number, a new one if it was never seen; where no more are kept, a negative one made of its hash."""
        with self._adding:
            number = self._numbers.get(feature, len(self._numbers))
            if number == _KEPT:
                return -1 - (_hash(feature) * len(_WEIGHTS) + list(_WEIGHTS).index(feature[0]))
            if feature not in self._numbers:
                self._index[number], self._weight[number] = self._place(_hash(feature), _WEIGHTS[feature[0]])
                self._numbers[feature] = number
        return number

    def _places(self, features: list[int]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """Where the features count, and what each does once."""
        if min(features, default=0) >= 0:
            kept = np.array(features, dtype=np.intp)
            return self._index[kept], self._weight[kept]
        places = [(self._index[n], self._weight[n]) if n >= 0 else self._place_of(-1 - n) for n in features]
        return np.array([index for index, _ in places], dtype=np.intp), np.array([weight for _, weight in places])

    def _place_of(self, hashed: int) -> tuple[int, float]:
        number, sort = divmod(hashed, len(_WEIGHTS))
        return self._place(number, list(_WEIGHTS.values())[sort])

    def _place(self, number: int, weight: float) -> tuple[int, float]:
        return (number >> 1) % self.dimensions, weight if number & 1 else -weight


_KEPT = 200_000
_AT_ONCE = 256
_WEIGHTS = {"w": 1.0, "p": 0.5, "c": 0.25}
_DAMPED = np.array([0.0, *(1.0 + math.log(count) for count in range(1, 1_000))])


def _hash(feature: str) -> int:
    return int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _features(word: str) -> list[str]:
    """The word (w) and the character trigrams of the bounded word (c); pairs of words (p) are features as well."""
    bounded = f"<{word}>"
    return ["w" + word, *["c" + bounded[start : start + 3] for start in range(len(bounded) - 2)]]


def _damped(counts: list[int]) -> npt.NDArray[np.float64]:
    """What occurring so often counts."""
    if not counts or max(counts) < len(_DAMPED):
        return _DAMPED[np.array(counts, dtype=np.intp)]
    return np.array([1.0 + math.log(count) for count in counts])


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
