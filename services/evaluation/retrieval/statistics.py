"""Comparing two methods on the same questions, and how far repeated judgments agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Paired:
    """Two methods on the same `n` units: how many only the first found, and how many only the second."""

    only_first: int
    only_second: int
    n: int

    @property
    def difference(self) -> float:
        """The first's share less the second's."""
        return (self.only_first - self.only_second) / self.n if self.n else 0.0

    @property
    def p(self) -> float:
        return mcnemar(self.only_first, self.only_second)


def paired(first: Sequence[bool], second: Sequence[bool]) -> Paired:
    """Both in the same order of units. Raises ValueError if they are not equally long."""
    both = list(zip(first, second, strict=True))
    return Paired(sum(a and not b for a, b in both), sum(b and not a for a, b in both), len(both))


def mcnemar(only_first: int, only_second: int) -> float:
    """McNemar's exact test, two-sided: twice the binomial tail of the rarer disagreement at one half, at most 1.

    1 where the two never disagree.
    """
    n, rarer = only_first + only_second, min(only_first, only_second)
    tail: int = sum(math.comb(n, k) for k in range(rarer + 1))
    return float(min(1.0, 2 * tail / 2**n))


def nominal(a: object, b: object) -> float:
    """The difference of categories: they are the same or not."""
    return float(a != b)


def interval(a: float, b: float) -> float:
    """The difference of numbers on a scale with equal steps."""
    return float((a - b) ** 2)


def krippendorff(units: Sequence[Sequence[T | None]], difference: Callable[[T, T], float]) -> float:
    """Krippendorff's alpha, 1 - observed / expected disagreement (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").

    A unit is what its judges said of it, None where one said nothing; a unit with fewer than two judgments does not count. Every
    ordered pair within a unit of m judgments weighs 1 / (m - 1). 1 where all judgments are one value. Raises ValueError
    where no unit has two judgments.
    """
    judged = [[value for value in unit if value is not None] for unit in units]
    judged = [unit for unit in judged if len(unit) > 1]
    if not judged:
        raise ValueError("agreement needs a unit with two judgments")
    totals = Counter(value for unit in judged for value in unit)
    n = sum(totals.values())
    observed = sum(difference(a, b) / (len(unit) - 1) for unit in judged for a, b in permutations(unit, 2)) / n
    expected = sum(x * y * difference(a, b) for a, x in totals.items() for b, y in totals.items()) / (n * (n - 1))
    return 1.0 if expected == 0 else 1.0 - observed / expected
