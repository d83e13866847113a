"""Lanes: the work of one story strictly in order, many stories at once, a bounded amount held."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Work = TypeVar("Work")


class Lanes(Generic[Work]):
    """Runs `work` one piece at a time in each lane, lanes beside one another.

    At most `per_lane` pieces wait in a lane and `total` in all, those being run included: one story's backlog can
    neither fill the memory nor keep the others out. `run` must not raise; it is a supervision loop of its own.
    All methods belong to the event loop.
    """

    def __init__(self, run: Callable[[Work], Awaitable[None]], *, per_lane: int, total: int) -> None:
        if not 1 <= per_lane <= total:
            raise ValueError(f"per_lane {per_lane} and total {total} need 1 <= per_lane <= total")
        self._run = run
        self._per_lane = per_lane
        self._room = asyncio.Semaphore(total)
        self._lanes: dict[str, deque[Work]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def held(self) -> int:
        """How many pieces of work are held, those being run included."""
        return sum(map(len, self._lanes.values()))

    async def put(self, lane: str, work: Work) -> bool:
        """Add work at the end of a lane, once there is room for it. False, and nothing added, where the lane is full."""
        if self._is_full(lane):
            return False
        await self._room.acquire()
        if self._is_full(lane):  # others may have come in while this one waited
            self._room.release()
            return False
        waiting = self._lanes.get(lane)
        if waiting is not None:
            waiting.append(work)
            return True
        self._lanes[lane] = deque([work])
        task = asyncio.get_running_loop().create_task(self._drive(lane), name=f"lane {lane}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    async def close(self, seconds: float) -> int:
        """Wait for the lanes to end, at most `seconds`; then give up what is still held, and return how much that was."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=seconds)
        left = self.held
        for task in set(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=1.0)
        return left

    def _is_full(self, lane: str) -> bool:
        return len(self._lanes.get(lane, ())) >= self._per_lane

    async def _drive(self, lane: str) -> None:
        waiting = self._lanes[lane]
        while waiting:
            try:
                await self._run(waiting[0])
            finally:
                waiting.popleft()
                self._room.release()
                if not waiting:
                    del self._lanes[lane]
