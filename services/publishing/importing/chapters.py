"""What an import reads: chapters in story order, and what it left aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from events.chapters import MAX_TEXT
from services.publishing.importing.errors import InvalidSize


@dataclass(frozen=True, slots=True)
class SourceChapter:
    """One chapter as it will be published. `records` is the sidecar as it was read (not yet validated), or None."""

    number: int
    title: str | None
    text: str
    records: list[Any] | dict[str, Any] | None
    source: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something in the source that becomes no chapter, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """Chapters with distinct numbers from 1, ascending; and what was left aside."""

    chapters: list[SourceChapter]
    ignored: list[Ignored]


def numbers_in_order(found: Sequence[int | None]) -> list[int]:
    """The numbers that the headings give, where every chapter has one and they ascend from 1 or more; else 1, 2, 3, …

    A prologue without a number, or parts that each begin again at chapter 1, make the order count.
    """
    given = [number for number in found if number is not None]
    ascending = all(a < b for a, b in pairwise(given))
    if len(given) == len(found) and given and given[0] >= 1 and ascending:
        return given
    if len(given) == len(found) - 1 and found[-1] is None and given and given[0] >= 1 and ascending:
        return [*given, given[-1] + 1]
    return list(range(1, len(found) + 1))


def sized(text: str, name: str) -> str:
    """`text`, if a chapter may have its length. Raises `InvalidSize`."""
    if not 1 <= len(text) <= MAX_TEXT:
        raise InvalidSize(name, len(text), MAX_TEXT)
    return text
