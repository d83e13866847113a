"""A lock that is given in the order in which it is asked for."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import Final


class FairLock:
    """A context manager for one thread at a time, first come, first served; not reentrant.

    A thread that leaves it and asks again at once waits behind all who had asked before. `threading.Lock` mostly gives it
    back to that thread, since those that sleep take a while to wake.
    """

    def __init__(self) -> None:
        self._guard: Final = Lock()
        self._waiting: Final[deque[Lock]] = deque()
        self._held = False

    @property
    def waiting(self) -> int:
        """How many threads wait for it."""
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._guard:
            if not self._held:
                self._held = True
                return
            turn = Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            turn.acquire()
        except BaseException:  # a signal's: nobody must hand the lock to one who has gone
            with self._guard:
                if turn in self._waiting:
                    self._waiting.remove(turn)
                else:
                    self._pass_on()
            raise

    def __exit__(self, *_: object) -> None:
        with self._guard:
            self._pass_on()

    def _pass_on(self) -> None:
        if self._waiting:
            self._waiting.popleft().release()
        else:
            self._held = False
