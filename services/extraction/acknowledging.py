"""Acknowledgements in order: the committed offset never passes a message that is not settled.

Faust commits past a message that was never acknowledged, if it is the first of a partition or the only one missing. So it
is told of a message only once all before it are settled, and sees no gap to misjudge.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from typing import Final

from events.publications import SourceOffset

LIMIT: Final = 10_000


class Acknowledgements:
    """What of each partition is settled. Belongs to one event loop.

    `limit` bounds what is kept of one partition while its first message is not settled; then no more is taken from it.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._partitions: dict[tuple[str, int], _Window] = {}
        self._moved = asyncio.Event()

    async def taken(self, source: SourceOffset, acknowledge: Callable[[], object]) -> None:
        """A message was delivered; `acknowledge` is called once it and all before it are settled.

        A message delivered again replaces its former delivery.
        """
        while self._is_full(source):
            self._moved.clear()
            await self._moved.wait()
        self._partitions.setdefault((source.topic, source.partition), _Window()).take(source.offset, acknowledge)

    def settled(self, source: SourceOffset) -> None:
        """A message needs nobody any more; nothing happens where it was not delivered here."""
        window = self._partitions.get((source.topic, source.partition))
        if window is not None and window.settle(source.offset):
            self._moved.set()

    def revoked(self, topic: str, partition: int) -> None:
        """The partition is another worker's now: what was delivered of it is no longer ours to acknowledge."""
        self._partitions.pop((topic, partition), None)
        self._moved.set()

    def _is_full(self, source: SourceOffset) -> bool:
        window = self._partitions.get((source.topic, source.partition))
        return window is not None and len(window.acknowledge) >= self._limit and source.offset not in window.acknowledge


class _Window:
    """The deliveries of one partition from the first that is not settled on."""

    def __init__(self) -> None:
        self.acknowledge: dict[int, Callable[[], object]] = {}
        self._settled: set[int] = set()
        self._order: list[int] = []

    def take(self, offset: int, acknowledge: Callable[[], object]) -> None:
        if offset not in self.acknowledge:
            heapq.heappush(self._order, offset)
        self.acknowledge[offset] = acknowledge

    def settle(self, offset: int) -> bool:
        """True where the first message moved on."""
        if offset not in self.acknowledge:
            return False
        self._settled.add(offset)
        before = len(self._order)
        while self._order and self._order[0] in self._settled:
            first = heapq.heappop(self._order)
            self._settled.discard(first)
            self.acknowledge.pop(first)()
        return len(self._order) < before
