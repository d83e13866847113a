"""One check of a drafted answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Constraint:
    """One check, why it passed or failed, and the records (or passages) that decide."""

    constraint: str
    passed: bool
    why: str
    records: tuple[str, ...] = ()
