"""Text embedders: one small interface, a model that runs offline and a hashing one that needs no model.

The vector of a text depends on that text alone, bit for bit: not on the other texts of the call, their order or number, nor on
earlier calls. Packets are promised byte-identical whatever was published later, and a vector that moves with its batch would
break that promise through the ranking.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
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
        self._places: dict[str, tuple[int, float]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            self._fill(row, text)
        return rows

    def _fill(self, row: npt.NDArray[np.float32], text: str) -> None:
        counts: dict[str, int] = {}
        for feature in _features(text):
            counts[feature] = counts.get(feature, 0) + 1
        sums = np.zeros(self.dimensions, dtype=np.float64)
        for feature, count in counts.items():
            index, sign = self._place(feature)
            sums[index] += sign * _WEIGHTS[feature[0]] * (1.0 + math.log(count))
        length = math.sqrt(float(sums @ sums))
        if length == 0.0:  # nothing to hash, or features that cancel out: still a unit vector
            sums[0] = length = 1.0
        row[:] = sums / length

    def _place(self, feature: str) -> tuple[int, float]:
        place = self._places.get(feature)
        if place is None:
            number = int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")
            place = (number >> 1) % self.dimensions, 1.0 if number & 1 else -1.0
            if len(self._places) < _PLACES_KEPT:
                self._places[feature] = place
        return place


_PLACES_KEPT = 200_000
_WEIGHTS = {"w": 1.0, "p": 0.5, "c": 0.25}


def _features(text: str) -> Iterator[str]:
    """Words (w), adjacent pairs (p) and character trigrams of the bounded word (c), case and compatibility forms folded."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    for word in words:
        yield "w" + word
        bounded = f"<{word}>"
        for start in range(len(bounded) - 2):
            yield "c" + bounded[start : start + 3]
    for first, second in pairwise(words):
        yield f"p{first} {second}"


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
