"""In which order the records of a chapter are weighed: each after what it rests on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from events.revisions import Entry

IDENTIFYING: Final = ("entity", "identity")


def in_weighing_order(entries: list[Entry]) -> Iterator[Entry]:
    """The records of a chapter (given in story order) in the order in which they are weighed.

    It is story order, but each record comes after those that it depends on, and one that requires something after those
    before it that may set it. Where that goes round in a circle, what is required does not wait.
    """
    order = _Order(entries)
    for start in entries:
        stack, waiting = [start], {start.local}
        while stack:
            entry = stack[-1]
            awaited = None if entry.local in order.done else order.awaited(entry, waiting)
            if awaited is not None:
                stack.append(awaited)
                waiting.add(awaited.local)
                continue
            stack.pop()
            waiting.discard(entry.local)
            if entry.local not in order.done:
                order.done.add(entry.local)
                yield entry


class _Order:
    """Which records of a chapter wait for which others, until these are `done`."""

    def __init__(self, entries: list[Entry]) -> None:
        self.done: set[str] = set()
        self._by_local = {e.local: e for e in entries}
        self._setters: dict[str, deque[Entry]] = {}
        for entry in entries:
            for functor in {s.functor for s in entry.settings}:
                self._setters.setdefault(functor, deque()).append(entry)

    def awaited(self, entry: Entry, waiting: set[str]) -> Entry | None:
        """The first record to come before `entry`. `waiting` are the records that wait already."""
        for local in self._depends(entry):
            if local not in self.done and local not in waiting:
                return self._by_local[local]
        for key, _ in entry.requires:
            setters = self._setters.get(key.functor, deque())
            while setters and setters[0].local in self.done:
                setters.popleft()
            for setter in takewhile(lambda s: s.place < entry.place, setters):
                if setter.local not in self.done and waiting.isdisjoint(self._closure(setter)):
                    return setter
        return None

    def _depends(self, entry: Entry) -> Iterator[str]:
        return (local for chapter, local in entry.depends if chapter == entry.chapter and local in self._by_local)

    def _closure(self, entry: Entry) -> set[str]:
        """The record and all of its chapter that it depends on, directly or not."""
        found, todo = set(), [entry.local]
        while todo:
            local = todo.pop()
            if local not in found:
                found.add(local)
                todo += self._depends(self._by_local[local])
        return found


def identifying(entries: list[Entry]) -> set[str]:
    """The local ids of the records weighed first: entity and identity records, and what they rest on in their chapter."""
    by_local = {e.local: e for e in entries}
    todo = [e for e in entries if e.kind in IDENTIFYING]
    found: set[str] = set()
    while todo:
        entry = todo.pop()
        if entry.local in found:
            continue
        found.add(entry.local)
        todo += [by_local[local] for c, local in entry.depends if c == entry.chapter and local in by_local]
        if required := {key.functor for key, _ in entry.requires}:
            before = [e for e in entries if e.place < entry.place]
            todo += [e for e in before if required.intersection(s.functor for s in e.settings)]
    return found
