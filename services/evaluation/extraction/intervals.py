"""Measures with the interval in which they would mostly fall had other texts of the kind been read (95 %)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

_Z: Final = 1.959964
_RESAMPLES: Final = 1000
_SEED: Final = 20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure of `n` observations, with the ends of its 95 % interval."""

    name: str
    value: float
    low: float
    high: float
    n: int

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "value": round(self.value, 4),
            "low": round(self.low, 4),
            "high": round(self.high, 4),
            "n": self.n,
        }


@dataclass(frozen=True, slots=True)
class Tally:
    """What was found and right, found and wrong, and missed, in one unit of resampling (a chapter, an excerpt)."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def gold(self) -> int:
        return self.right + self.missed


def share(name: str, successes: int, n: int) -> Estimate:
    """A share of `n` > 0 independent trials, with Wilson's interval."""
    p = successes / n
    scale = 1 + _Z * _Z / n
    middle = (p + _Z * _Z / (2 * n)) / scale
    half = _Z * math.sqrt(p * (1 - p) / n + _Z * _Z / (4 * n * n)) / scale
    # rounding must not part the share from its interval
    return Estimate(name, p, max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half)), n)


def count(name: str, found: int, n: int) -> Estimate:
    """How many of `n` > 0 have a property, with Wilson's interval of the share times `n`."""
    estimate = share(name, found, n)
    return Estimate(name, float(found), estimate.low * n, estimate.high * n, n)


def f1(tallies: Sequence[Tally]) -> float:
    """F1 of all units together; 0 where nothing is right."""
    right = sum(t.right for t in tallies)
    rest = sum(t.wrong + t.missed for t in tallies)
    return 2 * right / (2 * right + rest) if right else 0.0


def f1_of(name: str, tallies: Sequence[Tally]) -> Estimate:
    """F1 over all units, `n` being what was to be found; the interval by resampling units."""
    return resampled(name, tallies, f1, sum(t.gold for t in tallies))


def resampled(name: str, units: Sequence[T], statistic: Callable[[Sequence[T]], float], n: int) -> Estimate:
    """A statistic of the units with its percentile bootstrap interval; the same units give the same interval."""
    draw = random.Random(_SEED)
    values = sorted(statistic(draw.choices(units, k=len(units))) for _ in range(_RESAMPLES))
    low, high = values[int(0.025 * _RESAMPLES)], values[int(0.975 * _RESAMPLES) - 1]
    return Estimate(name, statistic(units), low, high, n)
