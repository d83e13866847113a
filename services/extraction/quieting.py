"""Keeping the broker's clients from filling the log: while a broker is away they repeat the same few lines for ever."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

_CLIENTS: Final = ("aiokafka", "kafka", "faust", "mode")
_EVERY: Final = 30.0
_REMEMBERED: Final = 1_000


class OncePerWhile(logging.Filter):
    """Lets one line of a kind (logger and message template) pass in `every` seconds, with how many were left out."""

    def __init__(self, every: float = _EVERY, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._every = every
        self._clock = clock
        self._passed: dict[tuple[str, str], float] = {}
        self._left_out: dict[tuple[str, str], int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING or record.name.split(".")[0] not in _CLIENTS:
            return True
        kind, now = (record.name, str(record.msg)), self._clock()
        if now - self._passed.get(kind, now - self._every) < self._every:
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return False
        if len(self._passed) >= _REMEMBERED:
            self._passed.clear()
        self._passed[kind] = now
        left_out = self._left_out.pop(kind, 0)
        if left_out:
            record.msg = f"{record.msg} [and {left_out} more like it]"
        return True


def quiet_client_logs() -> None:
    """Put the filter on every handler of the root logger, which is where the clients' lines end up."""
    for handler in logging.getLogger().handlers:
        if not any(isinstance(each, OncePerWhile) for each in handler.filters):
            handler.addFilter(OncePerWhile())
