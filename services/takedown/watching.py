"""Hearing of takedowns: a process that keeps texts in memory looks now and then whether another one erased some."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import structlog

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

EVERY: Final = 1.0
"""Seconds between two looks: for so long an erased text may still be quoted."""
AGAIN: Final = 10.0
"""Seconds after which it is forgotten once more: a read that was under way may have kept it after the first time."""
_log = structlog.get_logger(__name__)
_DONE: Final = "SELECT id FROM ledger.takedowns WHERE done_at IS NOT NULL"
_HASHES: Final = """
SELECT DISTINCT p.text_hash FROM ledger.takedowns AS t CROSS JOIN LATERAL jsonb_array_elements(t.revisions) AS each
JOIN ledger.publications AS p ON p.story = t.story AND p.chapter = (each->>0)::integer AND p.revision = (each->>1)::integer
WHERE t.id = ANY(%s) AND p.text_hash IS NOT NULL
"""


class TakedownWatch:
    """Calls `forget` with the hashes of texts that were erased since it was made, by whatever process."""

    def __init__(
        self,
        pool: ConnectionPool[Any],
        forget: Callable[[Iterable[str]], None],
        *,
        every: float = EVERY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pool = pool
        self._forget = forget
        self._every = every
        self._clock = clock
        self._seen: set[int] | None = None
        self._again: list[tuple[float, list[str]]] = []

    def look(self) -> None:
        """Forget what was erased since the last look. Raises what PostgreSQL's driver raises."""
        with self._pool.connection() as conn:
            done = {row[0] for row in conn.execute(_DONE)}
            # what was erased before this process began was never in its memory
            fresh = done - (done if self._seen is None else self._seen)
            hashes = [row[0] for row in conn.execute(_HASHES, (list(fresh),))] if fresh else []
        self._seen = done
        if hashes:
            self._forget(hashes)
            self._again.append((self._clock() + AGAIN, hashes))
        while self._again and self._again[0][0] <= self._clock():
            self._forget(self._again.pop(0)[1])

    def run_forever(self, stop: threading.Event) -> None:
        """Look once, then every so often until `stop` is set."""
        while not stop.is_set():
            try:
                self.look()
            except Exception as error:  # noqa: BLE001 - supervision: the next look may succeed
                _log.warning("takedowns could not be looked for, will be repeated", error=repr(error))
            stop.wait(self._every)
