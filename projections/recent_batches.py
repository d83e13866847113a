"""The batches of the log that were read last: read models that follow it side by side share one reading."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from events.domain_events import Recorded
from projections.projection import Log
from projections.publications import whole_publications

KEPT: Final = 3


class RecentBatches:
    """Batches of about `limit` events, in whole publications, by the position that they follow. Safe to share between threads."""

    def __init__(self, log: Log, limit: int) -> None:
        self._log = log
        self._limit = limit
        self._kept: OrderedDict[int, list[Recorded]] = OrderedDict()
        self._reading = threading.Lock()

    def after(self, position: int) -> list[Recorded]:
        """The batch after a position; empty at the end of the log. A batch that was short may have grown since."""
        with self._reading:  # who comes second finds what the first has read
            batch = self._kept.get(position)
            if batch is None:
                batch = whole_publications(self._log, position, self._limit)
                if batch:
                    self._kept[position] = batch
                    while len(self._kept) > KEPT:
                        self._kept.popitem(last=False)
            return batch
