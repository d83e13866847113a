"""The batches of the log that were read last: read models that follow it side by side share one reading."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from events.ledger import Ledger
from events.stored import StoredEvent, StoredLog
from projections.log_batch import LogBatch
from projections.projection import Log
from projections.publications import whole, whole_publications

KEPT: Final = 3


def read_batch(log: Log, after: int, limit: int) -> list[StoredEvent]:
    """About `limit` events after a position, in whole publications, and as plain data where the log is a stored one."""
    if isinstance(log, Ledger):
        return whole(StoredLog(log.pool.connection).after, after, limit)
    return list[StoredEvent](whole_publications(log, after, limit))


class RecentBatches:
    """Batches of about `limit` events, in whole publications, by the position that they follow. Safe to share between threads."""

    def __init__(self, log: Log, limit: int) -> None:
        self._log = log
        self._limit = limit
        self._kept: OrderedDict[int, LogBatch] = OrderedDict()
        self._reading = threading.Lock()

    def after(self, position: int) -> LogBatch | None:
        """The batch after a position; None at the end of the log. A batch that was short may have grown since."""
        with self._reading:  # who comes second finds what the first has read
            batch = self._kept.get(position)
            if batch is None and (read := read_batch(self._log, position, self._limit)):
                batch = self._kept[position] = LogBatch(read)
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            return batch
