"""Scores of a clustering against the right one: MUC, B³, CEAF with entity similarity, and their mean (CoNLL F1).

Clusters are sets of hashable mentions; no mention is in two clusters of one side. The two sides may have different mentions:
what only one side has counts against precision or recall. Single mentions are clusters like any other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

Cluster = frozenset[Hashable]


@dataclass(frozen=True, slots=True)
class Fractions:
    """Precision and recall as numerators and denominators, so that documents can be added up."""

    hit_precision: float = 0.0
    of_precision: float = 0.0
    hit_recall: float = 0.0
    of_recall: float = 0.0

    def __add__(self, other: Fractions) -> Fractions:
        return Fractions(
            self.hit_precision + other.hit_precision,
            self.of_precision + other.of_precision,
            self.hit_recall + other.hit_recall,
            self.of_recall + other.of_recall,
        )

    @property
    def f1(self) -> float:
        precision = self.hit_precision / self.of_precision if self.of_precision else 0.0
        recall = self.hit_recall / self.of_recall if self.of_recall else 0.0
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class Coreference:
    """The three scores of a document."""

    muc: Fractions
    b_cubed: Fractions
    ceaf: Fractions


def compare(gold: Sequence[Cluster], found: Sequence[Cluster]) -> Coreference:
    """Scores one document."""
    return Coreference(muc(gold, found), b_cubed(gold, found), ceaf(gold, found))


def conll(documents: Iterable[Coreference]) -> float:
    """The mean of the three F1 over all documents together."""
    documents = list(documents)
    totals = [sum((getattr(d, score) for d in documents), start=Fractions()).f1 for score in ("muc", "b_cubed", "ceaf")]
    return sum(totals) / len(totals)


def muc(gold: Sequence[Cluster], found: Sequence[Cluster]) -> Fractions:
    """Links kept: of the |k| - 1 links that hold a cluster together, those that the other side has too."""
    return Fractions(*_links(found, gold), *_links(gold, found))


def _links(of: Sequence[Cluster], against: Sequence[Cluster]) -> tuple[float, float]:
    home = _homes(against)
    kept = possible = 0
    for cluster in of:
        parts = {home[m] for m in cluster if m in home}
        alone = sum(m not in home for m in cluster)
        kept += len(cluster) - len(parts) - alone
        possible += len(cluster) - 1
    return kept, possible


def b_cubed(gold: Sequence[Cluster], found: Sequence[Cluster]) -> Fractions:
    """For each mention, the share of its cluster that belongs with it."""
    return Fractions(*_shares(found, gold), *_shares(gold, found))


def _shares(of: Sequence[Cluster], against: Sequence[Cluster]) -> tuple[float, float]:
    home = _homes(against)
    total = 0.0
    for cluster in of:
        for mention in cluster:
            if mention in home:
                total += len(cluster & against[home[mention]]) / len(cluster)
    return total, sum(len(cluster) for cluster in of)


def ceaf(gold: Sequence[Cluster], found: Sequence[Cluster]) -> Fractions:
    """The best one-to-one pairing of clusters, each pair worth twice its overlap over its sizes."""
    home = _homes(found)
    worth = np.zeros((len(gold), len(found)))
    for row, cluster in enumerate(gold):
        for column in {home[m] for m in cluster if m in home}:
            other = found[column]
            worth[row, column] = 2 * len(cluster & other) / (len(cluster) + len(other))
    rows, columns = linear_sum_assignment(worth, maximize=True)
    best = float(worth[rows, columns].sum())
    return Fractions(best, len(found), best, len(gold))


def _homes(clusters: Sequence[Cluster]) -> Mapping[Hashable, int]:
    return {mention: number for number, cluster in enumerate(clusters) for mention in cluster}
