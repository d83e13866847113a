"""The fold: from live assertions in story order to intervals of validity. This is its single definition.

An assertion of chapter c holds on the half-open interval [c, c2) of chapters, where c2 is the next chapter whose last
word on the key is something else; without one the interval has no end. The same value asserted again extends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

StoryOrder: TypeAlias = tuple[int, int, int, int, str]
"""(chapter, scene, start of the first evidence span, place in the file, what tells ties apart)."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """That `key` is `value` from `order` on; `value` None: that it is nothing any more."""

    order: StoryOrder
    key: str
    value: str | None
    uid: str

    @property
    def chapter(self) -> int:
        return self.order[0]


@dataclass(frozen=True, slots=True)
class Interval:
    """`key` is `value` after chapters `valid_from` .. `valid_to` - 1; `support` names every record that says so, first first."""

    key: str
    value: str
    valid_from: int
    valid_to: int | None
    first: Assertion
    support: tuple[str, ...] = field(default=())

    def holds_after(self, chapter: int) -> bool:
        return self.valid_from <= chapter and (self.valid_to is None or chapter < self.valid_to)


def fold(assertions: Iterable[Assertion]) -> list[Interval]:
    """The intervals of every key, ordered by (key, valid_from). The order of the input does not matter."""
    keys: dict[str, list[Assertion]] = {}
    for assertion in assertions:
        keys.setdefault(assertion.key, []).append(assertion)
    return [interval for key in sorted(keys) for interval in fold_key(keys[key])]


def fold_key(assertions: Iterable[Assertion]) -> list[Interval]:
    """The intervals of one key."""
    intervals: list[Interval] = []
    open_run: list[Assertion] = []
    for words in _by_chapter(assertions):
        last = words[-1]
        if open_run and last.value == open_run[0].value:
            open_run += [w for w in words if w.value == last.value]
            continue
        if open_run:
            intervals.append(_interval(open_run, last.chapter))
        open_run = [] if last.value is None else [w for w in words if w.value == last.value]
    if open_run:
        intervals.append(_interval(open_run, None))
    return intervals


def as_of(intervals: Iterable[Interval], chapter: int) -> Mapping[str, Interval]:
    """The interval that holds for each key after `chapter` has been read."""
    return {i.key: i for i in intervals if i.holds_after(chapter)}


def _by_chapter(assertions: Iterable[Assertion]) -> list[list[Assertion]]:
    chapters: dict[int, list[Assertion]] = {}
    for assertion in sorted(assertions, key=lambda a: a.order):
        chapters.setdefault(assertion.chapter, []).append(assertion)
    return list(chapters.values())


def _interval(run: list[Assertion], end: int | None) -> Interval:
    first = run[0]
    assert first.value is not None
    return Interval(first.key, first.value, first.chapter, end, first, tuple(a.uid for a in run))
