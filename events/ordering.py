"""In which order the records of a chapter are weighed: each after what it rests on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Final

from events.revisions import Entry

IDENTIFYING: Final = ("entity", "identity")


def in_weighing_order(entries: list[Entry]) -> Iterator[Entry]:
    """The records of a chapter (given in story order) in the order in which they are weighed.

    It is story order, but each record comes after those that it depends on, and one that requires something after those
    before it that may set it. Where that goes round in a circle, the first that waits only for what it requires is next.
    """
    queue = _Queue(entries)
    while (number := queue.next()) is not None:
        yield entries[number]


class _Queue:
    """Records by their number in story order. A record is ready once all that it depends on has been given out."""

    def __init__(self, entries: list[Entry]) -> None:
        numbers = {e.local: number for number, e in enumerate(entries)}
        grounds = [{numbers[of] for c, of in e.depends if c == e.chapter and of in numbers} for e in entries]
        self._entries = entries
        self._missing = [len(on) for on in grounds]
        self._dependents: dict[int, list[int]] = {}
        for number, on in enumerate(grounds):
            for ground in on:
                self._dependents.setdefault(ground, []).append(number)
        self._ready = [number for number, missing in enumerate(self._missing) if not missing]
        heapify(self._ready)
        self._setters = _setters(entries)
        self._passed = dict.fromkeys(self._setters, 0)
        self._given = [False] * len(entries)
        self._waiting: dict[int, list[int]] = {}
        self._parked: set[int] = set()
        self._in_line: list[int] = []

    def next(self) -> int | None:
        while self._ready:
            number = heappop(self._ready)
            awaited = self._awaited(number)
            if awaited is None:
                return self._give(number)
            self._waiting.setdefault(awaited, []).append(number)
            self._parked.add(number)
            heappush(self._in_line, number)
        while self._in_line:
            number = heappop(self._in_line)
            if number in self._parked:
                self._parked.discard(number)
                return self._give(number)
        return None

    def _awaited(self, number: int) -> int | None:
        """The first record before this one that may set what it requires and has not been given out."""
        for key, _ in self._entries[number].requires:
            setters, passed = self._setters.get(key.functor, []), self._passed.get(key.functor, 0)
            while passed < len(setters) and self._given[setters[passed]]:
                passed += 1
            if setters:
                self._passed[key.functor] = passed
            if passed < len(setters) and setters[passed] < number:
                return setters[passed]
        return None

    def _give(self, number: int) -> int:
        self._given[number] = True
        for dependent in self._dependents.get(number, ()):
            self._missing[dependent] -= 1
            if not self._missing[dependent]:
                heappush(self._ready, dependent)
        for waiting in self._waiting.pop(number, ()):
            if waiting in self._parked:
                self._parked.discard(waiting)
                heappush(self._ready, waiting)
        return number


def identifying(entries: list[Entry]) -> set[str]:
    """The local ids of the records weighed first: entity and identity records, and what they rest on in their chapter."""
    numbers = {e.local: number for number, e in enumerate(entries)}
    setters = _setters(entries)
    todo = [number for number, e in enumerate(entries) if e.kind in IDENTIFYING]
    found: set[int] = set()
    while todo:
        number = todo.pop()
        if number in found:
            continue
        found.add(number)
        entry = entries[number]
        todo += [numbers[local] for c, local in entry.depends if c == entry.chapter and local in numbers]
        for functor in {key.functor for key, _ in entry.requires} & setters.keys():
            until = bisect_left(setters[functor], number)
            todo += setters[functor][:until]
            del setters[functor][:until]
    return {entries[number].local for number in found}


def _setters(entries: list[Entry]) -> dict[str, list[int]]:
    """The numbers of the records that set keys of each functor."""
    found: dict[str, list[int]] = {}
    for number, entry in enumerate(entries):
        for functor in {s.functor for s in entry.settings}:
            found.setdefault(functor, []).append(number)
    return found
