"""The outbox of a process that takes chapters in itself: what a process registered before it was ended, and nobody took in.

Where there is a broker, the worker's reconciler does this.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog

GRACE: Final = timedelta(seconds=60)
"""How long a publication may be on its way before it counts as left behind."""
EVERY: Final = 30.0
_log = structlog.get_logger(__name__)


class Outbox:
    """Takes in what was left behind, with `resend` (see `Publisher.resend_pending`), every so many seconds."""

    def __init__(self, resend: Callable[[timedelta], int], *, grace: timedelta = GRACE, every: float = EVERY) -> None:
        self._resend = resend
        self._grace = grace
        self._every = every

    def run_forever(self, stop: threading.Event) -> None:
        """Look once, then every so often until `stop` is set."""
        while not stop.is_set():
            try:
                if count := self._resend(self._grace):
                    _log.info("taken in what was left behind", count=count)
            except Exception as error:  # noqa: BLE001 - supervision: the next look may succeed
                _log.warning("what was left behind could not be taken in, will be repeated", error=repr(error))
            stop.wait(self._every)
