"""What a benchmark reports: a figure, what it is held against, and how it came about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Json = Any


@dataclass(frozen=True, slots=True)
class Target:
    """A bound: the value has to be at least (`above`) or at most the `bound`."""

    bound: float
    above: bool

    def __str__(self) -> str:
        return f"{'>=' if self.above else '<='} {self.bound:g}"

    def met_by(self, value: float) -> bool:
        return value >= self.bound if self.above else value <= self.bound


def at_least(bound: float) -> Target:
    return Target(bound, above=True)


def at_most(bound: float) -> Target:
    return Target(bound, above=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure. `value` None: it was not measured, for the reason in `detail["skipped"]`. `n` observations are behind it."""

    name: str
    value: float | None
    unit: str
    target: Target | None = None
    n: int = 0
    detail: Mapping[str, Json] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none, or nothing was measured."""
        if self.target is None or self.value is None:
            return None
        return self.target.met_by(self.value)

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "target": None if self.target is None else str(self.target),
            "met": self.met,
            "n": self.n,
            "detail": dict(self.detail),
        }


def skipped(name: str, unit: str, reason: str, target: Target | None = None) -> Measure:
    return Measure(name=name, value=None, unit=unit, target=target, detail={"skipped": reason})


MS: Final = 1000.0
"""Milliseconds in a second."""


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0..1] of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def median(values: Sequence[float]) -> float:
    return percentile(values, 0.5)
