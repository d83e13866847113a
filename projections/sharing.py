"""A rebuild shared by two processes: each takes a story or a part of one, folds and writes it, and takes the next.

When all are there, each derives half of what follows from them. Folding is bound by Python, which uses one core a
process. The indexes are dropped beforehand and made afterwards, in transactions of their own: what a rebuild that ends
early leaves in its candidate is dropped with the candidate.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict
from queue import Empty, SimpleQueue
from typing import Any, Final, Self

from psycopg_pool import ConnectionPool

from events.ledger import Ledger
from projections import progress
from projections.errors import RebuildFailed, UnknownEventType
from projections.parts import Part, StoryPart, story_parts, without_keys
from projections.projection import Conn, Log
from projections.rebuild_process import UNKNOWN_EVENT
from projections.rebuilding import analyse, drop_indexes, make_indexes, writing
from projections.tables import StoryProjection
from projections.watched_log import CancellableLog

WORTH_IT: Final = 20_000
"""Events from which on a second process repays its start."""
_CONNECTIONS: Final = 2
MODULE: Final = "projections.rebuild_process"


def is_worth_it(log: Log) -> bool:
    """Whether a second process would help, and can read the log."""
    return isinstance(log, Ledger) and log.last_position() >= WORTH_IT and cores() > 1


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def rebuild(
    pool: ConnectionPool[Any], log: CancellableLog, projection: StoryProjection, schema: str, until: int
) -> None:
    """Fill the empty tables of a schema with everything up to and including a position.

    Raises what the log raises, and RebuildFailed.
    """
    assert log.stored is not None, "only a stored log is shared"
    with _SecondProcess(pool, projection, schema, until) as second:
        with _inside(pool, schema) as conn:
            indexes = drop_indexes(conn)
        parts = story_parts(log.stories(), log.stored.sizes(), processes=2)
        left, stories = deque(parts), without_keys(parts)
        second.begin(left)
        with _inside(pool, schema) as conn, writing(conn) as tables:
            for of in iter(lambda: left.popleft() if left else None, None):
                projection.fill(tables, log, of, until)
        second.wait(log, "filled")
        second.tell({"part": asdict(Part(1, 2)), "stories": stories})
        with _inside(pool, schema) as conn, writing(conn) as tables:
            projection.derive(conn, tables, Part(0, 2), stories, log.check)
        second.wait(log, "done")
    _index(pool, schema, indexes)
    with _inside(pool, schema) as conn:
        analyse(conn)
        progress.advance(conn, schema, until)


def _index(pool: ConnectionPool[Any], schema: str, definitions: Sequence[str]) -> None:
    """Make indexes, two at a time: to make one does not change its table, so none waits for another."""
    left = SimpleQueue[str | None]()
    for definition in (*definitions, *[None] * _CONNECTIONS):
        left.put(definition)

    def make() -> None:
        with _inside(pool, schema) as conn:
            conn.execute("SET LOCAL max_parallel_maintenance_workers = 0")
            make_indexes(conn, iter(left.get, None))

    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        for done in [threads.submit(make) for _ in range(_CONNECTIONS)]:
            done.result()


@contextmanager
def _inside(pool: ConnectionPool[Any], schema: str) -> Iterator[Conn]:
    """A transaction in the schema that is filled."""
    with pool.connection() as conn, conn.transaction():
        progress.use_schema(conn, schema)
        yield conn


class _SecondProcess:
    """The second process: it asks for each part of a story, commits when none is left, derives, and is ended on leaving."""

    def __init__(self, pool: ConnectionPool[Any], projection: StoryProjection, schema: str, until: int) -> None:
        kind = type(projection)
        self._name = projection.name
        self._left: deque[StoryPart] = deque()
        self._task = {
            # on its standard input: a password is nothing for a command line
            "conninfo": pool.conninfo if isinstance(pool.conninfo, str) else pool.conninfo(),
            "schema": schema,
            "projection": f"{kind.__module__}:{kind.__qualname__}",
            "until": until,
        }
        self._replies: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="rebuild-parts", daemon=True)

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
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        if self._thread.ident is not None:
            self._thread.join()
        self._asked.close()
        with suppress(BrokenPipeError):
            self._sending.close()

    def begin(self, left: deque[StoryPart]) -> None:
        """Hand out parts from now on, for as long as there are any. The process has been starting meanwhile."""
        self._left = left
        self._thread.start()

    def tell(self, message: dict[str, Any]) -> None:
        """Answer the process. One that has ended says so when it is waited for."""
        with suppress(BrokenPipeError):
            self._sending.write(json.dumps(message) + "\n")
            self._sending.flush()

    def wait(self, log: CancellableLog, word: str) -> None:
        """Return once the process has said a word. Raises what went wrong there, or RebuildCancelled."""
        reply: dict[str, Any] | None = {}
        while reply == {}:
            log.check()
            with suppress(Empty):
                reply = self._replies.get(timeout=0.1)
        if reply is None:
            raise RebuildFailed(self._name, f"exit status {self._process.wait()}")
        if UNKNOWN_EVENT in reply:
            raise UnknownEventType(*reply[UNKNOWN_EVENT])
        assert word in reply, f"a process that says {reply} is not the one of this program"

    def _serve(self) -> None:
        """Hand out parts, and keep what else the process says; None when it says nothing any more."""
        self.tell(self._task)
        with suppress(ValueError):  # half a line: it was ended while it spoke
            for line in self._asked:
                message = json.loads(line)
                if "next" in message:
                    self.tell(asdict(self._left.popleft()) if self._left else {})
                else:
                    self._replies.put(message)
        self._replies.put(None)
