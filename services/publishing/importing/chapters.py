"""What an import reads: chapters in story order, and what it left aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from events.chapters import MAX_TEXT
from events.evidence import clean_text
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
    """Chapters with distinct numbers from 1, ascending; what was left aside; why other numbers than theirs were given."""

    chapters: list[SourceChapter]
    ignored: list[Ignored]
    renumbered: str | None = None


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


def why_renumbered(found: Sequence[int | None], given: Sequence[int]) -> str | None:
    """A sentence for whoever wonders, where chapters that have numbers were given others."""
    if all(number in (None, other) for number, other in zip(found, given, strict=True)):
        return None
    return (
        f"The chapters are numbered 1 to {len(given)} in their order: the numbers that stand there do not ascend from 1, "
        "or some chapters have none."
    )


def sized(text: str, name: str) -> str:
    """`text`, if what is kept of it (see `events.evidence.clean_text`) has the length of a chapter. Raises `InvalidSize`."""
    length = len(clean_text(text))
    if not 1 <= length <= MAX_TEXT:
        raise InvalidSize(name, length, MAX_TEXT)
    return text
