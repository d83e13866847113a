"""A rebuild shared by two processes: each takes a story, folds and writes it, and takes the next.

Folding is bound by Python, which uses one core a process. The indexes are dropped beforehand and made afterwards, in
transactions of their own: what a rebuild that ends early leaves in its candidate is dropped with the candidate.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import Any, Final, Self

from psycopg_pool import ConnectionPool

from events.ledger import Ledger
from projections import progress
from projections.errors import RebuildFailed, UnknownEventType
from projections.projection import Log
from projections.rebuilding import drop_indexes, make_indexes, writing
from projections.tables import StoryProjection
from projections.watched_log import CancellableLog

WORTH_IT: Final = 20_000
"""Events from which on a second process repays its start."""
MODULE: Final = "projections.rebuild_process"
UNKNOWN_EVENT: Final = "unknown event"


def is_worth_it(log: Log) -> bool:
    """Whether a second process would help, and can read the log: one story or one core leave it nothing to do."""
    return isinstance(log, Ledger) and log.last_position() >= WORTH_IT and cores() > 1 and len(log.stories()) > 1


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def rebuild(
    pool: ConnectionPool[Any], log: CancellableLog, projection: StoryProjection, schema: str, until: int
) -> None:
    """Fill the empty tables of a schema with everything up to and including a position.

    Raises what the log raises, and RebuildFailed.
    """
    with pool.connection() as conn, conn.transaction():
        progress.use_schema(conn, schema)
        indexes = drop_indexes(conn)
    left = deque(log.stories())
    with _SecondProcess(pool, projection, schema, until, left) as second:
        with pool.connection() as conn, conn.transaction():
            progress.use_schema(conn, schema)
            with writing(conn) as tables:
                for story in iter(lambda: left.popleft() if left else None, None):
                    projection.fill(tables, log, story, until)
        second.wait(log)
    with pool.connection() as conn, conn.transaction():
        progress.use_schema(conn, schema)
        make_indexes(conn, indexes)
        progress.advance(conn, schema, until)


class _SecondProcess:
    """The second process. It asks for each story, commits when none is left, and is ended on leaving."""

    def __init__(
        self, pool: ConnectionPool[Any], projection: StoryProjection, schema: str, until: int, left: deque[str]
    ) -> None:
        kind = type(projection)
        self._name = projection.name
        self._left = left
        self._task = {
            # on its standard input: a password is nothing for a command line
            "conninfo": pool.conninfo if isinstance(pool.conninfo, str) else pool.conninfo(),
            "schema": schema,
            "projection": f"{kind.__module__}:{kind.__qualname__}",
            "until": until,
        }
        self._reply: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        assert self._process.stdin is not None, "a pipe"
        assert self._process.stdout is not None, "a pipe"
        self._sending, self._asked = self._process.stdin, self._process.stdout
        self._thread = threading.Thread(target=self._serve, name="rebuild-stories", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._thread.join()
        with suppress(BrokenPipeError):
            self._sending.close()

    def wait(self, log: CancellableLog) -> None:
        """Return once the process has committed what it took. Raises what went wrong there, or RebuildCancelled."""
        while self._thread.is_alive():
            self._thread.join(timeout=0.1)
            log.check()
        status = self._process.wait()
        if UNKNOWN_EVENT in self._reply:
            raise UnknownEventType(*self._reply[UNKNOWN_EVENT])
        if status != 0 or "done" not in self._reply:
            raise RebuildFailed(self._name, f"exit status {status}")

    def _serve(self) -> None:
        """Hand out stories for as long as the process asks for them."""
        try:
            self._send(self._task)
            for line in self._asked:
                self._reply = json.loads(line)
                if "next" in self._reply:
                    self._send({"story": self._left.popleft() if self._left else None})
        except (BrokenPipeError, ValueError):
            pass  # it ended early, which its exit status says
        finally:
            self._asked.close()

    def _send(self, message: dict[str, Any]) -> None:
        self._sending.write(json.dumps(message) + "\n")
        self._sending.flush()
