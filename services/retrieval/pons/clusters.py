"""Clusters of events, each with a summary made of its own members (PonsRAG, section 4.1, Plot Layer).

The paper has a model label every event and summarise those of one label. Here events that mean much the same are one cluster, and its
summary are the members nearest its middle. Events are read in story order, chapter by chapter, and never change their
cluster afterwards: so the clusters as of chapter n are what the first n chapters made them, and a new chapter only adds to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from projections.embedding import Vectors
from services.retrieval.fusion import DECIMALS

NEARNESS: Final = 0.55
"""The cosine with a cluster's middle from which an event belongs to it."""
SUMMARY: Final = 3
"""Members that make up a summary."""


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """`labels` numbers the cluster of each event, in order of first event; `summaries` are members of each, the nearest first."""

    labels: npt.NDArray[np.int64]
    summaries: Sequence[npt.NDArray[np.int64]]
    vectors: Vectors
    """A unit row for each summary."""


@dataclass(slots=True)
class Assigned:
    """What chapters of a story were last assigned, so that those that come after them are only added.

    A chapter is known by a digest of itself and all before it; labels are therefore the same whether they are found here or made.
    """

    digests: list[bytes] = field(default_factory=list)
    labels: list[npt.NDArray[np.int64]] = field(default_factory=list)
    sums: npt.NDArray[np.float64] | None = None
    """The sums of the clusters' vectors after all these chapters; None: not known."""
    lock: Lock = field(default_factory=Lock)


def clusters(vectors: Vectors, chapters: Sequence[int], hashes: Sequence[bytes], assigned: Assigned) -> Clusters:
    """Clusters of events in story order: unit `vectors` row by row, the chapter of each and the hash of its text."""
    bounds = np.flatnonzero(np.diff(chapters, prepend=-1, append=-1)) if len(chapters) else np.zeros(1, dtype=np.int64)
    parts = [(int(a), int(b)) for a, b in pairwise(bounds)]
    digests = _digests(hashes, parts)
    with assigned.lock:
        known = _common(assigned.digests, digests)
        labels = assigned.labels[:known]
        sums = assigned.sums if known == len(assigned.digests) else None
    middles = _Middles(vectors.shape[1] if vectors.ndim == 2 else 0, sums)
    for (first, last), found in zip(parts[:known], labels, strict=True) if sums is None else ():
        middles.add(vectors[first:last], found)
    for first, last in parts[known:]:
        found = middles.assign(vectors[first:last])
        middles.add(vectors[first:last], found)
        labels.append(found)
    with assigned.lock:
        if known < len(digests) and known + len(digests) >= _common(assigned.digests, digests):
            assigned.digests, assigned.labels, assigned.sums = digests, list(labels), middles.sums
    every = np.concatenate([*labels, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    return _summarised(vectors, every, middles)


class _Middles:
    """The sums of the members' vectors, added up in story order; `sums` are those of the chapters before."""

    def __init__(self, dimensions: int, sums: npt.NDArray[np.float64] | None = None) -> None:
        self._sums = np.concatenate([*([] if sums is None else [sums]), np.zeros((16, dimensions))])
        self.size = 0 if sums is None else len(sums)

    def assign(self, vectors: Vectors) -> npt.NDArray[np.int64]:
        """A cluster for each event of a chapter: the nearest there was before it, else the nearest that it opens, else one of its own."""
        found = np.full(len(vectors), -1, dtype=np.int64)
        if self.size:
            near = np.round(vectors @ self.units().T, DECIMALS)
            best = near.argmax(axis=1)
            found = np.where(near[np.arange(len(vectors)), best] >= NEARNESS, best, -1)
        opened: list[int] = []
        for event in np.flatnonzero(found < 0).tolist():
            near_opened = np.round(vectors[opened] @ vectors[event], DECIMALS) if opened else np.zeros(0)
            if len(near_opened) and near_opened.max() >= NEARNESS:
                found[event] = found[opened[int(near_opened.argmax())]]
            else:
                found[event] = self.size + len(opened)
                opened.append(event)
        return found

    def add(self, vectors: Vectors, labels: npt.NDArray[np.int64]) -> None:
        self.size = max(self.size, int(labels.max()) + 1)
        while self.size > len(self._sums):
            self._sums = np.concatenate([self._sums, np.zeros_like(self._sums)])
        np.add.at(
            self._sums, labels, vectors
        )  # one after the other, so that sums do not depend on what is added at once

    @property
    def sums(self) -> npt.NDArray[np.float64]:
        return self._sums[: self.size].copy()

    def units(self) -> Vectors:
        return _unit(self._sums[: self.size])


def _summarised(vectors: Vectors, labels: npt.NDArray[np.int64], middles: _Middles) -> Clusters:
    if not len(labels):
        return Clusters(labels, [], np.zeros((0, vectors.shape[1] if vectors.ndim == 2 else 0), np.float32))
    nearness = np.round(np.einsum("ij,ij->i", vectors, middles.units()[labels]), DECIMALS)
    order = np.lexsort((np.arange(len(labels)), -nearness, labels))
    begins = np.searchsorted(labels[order], np.arange(middles.size))
    summaries = [members[:SUMMARY] for members in np.split(order, begins[1:])]
    sums = np.zeros((middles.size, vectors.shape[1]))
    for number, members in enumerate(summaries):
        sums[number] = vectors[members].sum(axis=0, dtype=np.float64)
    return Clusters(labels, summaries, _unit(sums))


def _unit(sums: npt.NDArray[np.float64]) -> Vectors:
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
    units: Vectors = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0).astype(np.float32)
    return units


def _digests(hashes: Sequence[bytes], parts: Sequence[tuple[int, int]]) -> list[bytes]:
    found, before = [], b""
    for first, last in parts:
        before = blake2b(before + b"".join(hashes[first:last]), digest_size=16).digest()
        found.append(before)
    return found


def _common(a: Sequence[bytes], b: Sequence[bytes]) -> int:
    """How many chapters both begin with."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
