"""Versions of a read model: each has its own PostgreSQL schema, a pointer says which one is read.

A new version is built beside the live one, which goes on being read and fed, and takes its place under a lock once
it has read as far. A rebuild that is cancelled or killed leaves nothing behind.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from psycopg import sql
from psycopg_pool import ConnectionPool

from events.ledger import Ledger
from events.stored import StoredLog
from projections import progress, sharing
from projections.errors import NoReadModel, RebuildCancelled, RebuildRunning
from projections.following import take_in
from projections.log_batch import LogBatch
from projections.projection import BulkProjection, Conn, Log, Projection
from projections.recent_batches import read_batch
from projections.tables import StoryProjection
from projections.watched_log import CancellableLog, refuse_unknown

logger = structlog.get_logger(__name__)

BATCH = 2_000
_REBUILD_LOCKS = 4_702_112
_ENSURE_LOCK = 4_702_111_002


def live_schema(conn: Conn, name: str) -> str:
    """The PostgreSQL schema in which the read model is read now. Raises NoReadModel before the first is built."""
    found = progress.live(conn, [name]).get(name)
    if found is None:
        raise NoReadModel(name)
    return found.schema


def ensure(conn: Conn, projection: Projection) -> progress.Progress:
    """The live version, created empty if there is none. Its `version` may be older than the program's: then rebuild."""
    with conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (_ENSURE_LOCK,))
        found = progress.live(conn, [projection.name]).get(projection.name)
        if found is None:
            _create(conn, projection, _free_schema(conn, projection), live=True)
            found = progress.live(conn, [projection.name])[projection.name]
    return found


def rebuild(
    pool: ConnectionPool, log: Log, projection: Projection, *, cancelled: Callable[[], bool] = lambda: False
) -> str:
    """Build the read model anew from the log beside the live one, then swap; returns the new schema.

    Raises RebuildCancelled, RebuildRunning, or UnknownEventType; nothing is left behind then.
    """
    with candidate(pool, log, projection, cancelled=cancelled) as schema:
        while not _swap(pool, log, projection, schema):
            _follow(pool, log, projection, schema, cancelled)
    logger.info("read model rebuilt", read_model=projection.name, schema=schema)
    return schema


@contextmanager
def candidate(
    pool: ConnectionPool,
    log: Log,
    projection: Projection,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[str]:
    """A version built beside the live one, up to the log's end; dropped on leaving unless it was made the live one."""
    with pool.connection() as guard, rebuild_lock(guard, projection.name):
        before, guard.autocommit = guard.autocommit, True
        try:
            _drop_abandoned(guard, projection.name)
            with guard.transaction():
                schema = _free_schema(guard, projection)
                _create(guard, projection, schema, live=False)
            try:
                _fill(pool, log, projection, schema, cancelled)
                yield schema
            finally:
                _drop_abandoned(guard, projection.name)
        finally:
            guard.autocommit = before


def _fill(pool: ConnectionPool, log: Log, projection: Projection, schema: str, cancelled: Callable[[], bool]) -> None:
    stored = StoredLog(log.pool.connection) if isinstance(log, Ledger) else None
    watched = CancellableLog(log, projection.name, cancelled, stored)
    if isinstance(projection, StoryProjection) and sharing.is_worth_it(log):
        sharing.rebuild(pool, watched, projection, schema, log.last_position())
    elif isinstance(projection, BulkProjection):
        until = log.last_position()
        with pool.connection() as conn, conn.transaction():
            progress.use_schema(conn, schema)
            projection.rebuild(conn, watched, until)
            progress.advance(conn, schema, until)
    _follow(pool, log, projection, schema, cancelled)


def _follow(pool: ConnectionPool, log: Log, projection: Projection, schema: str, cancelled: Callable[[], bool]) -> None:
    """Take in what the log holds, batch by batch, until less than a batch is left: that is taken with the swap.

    Where chapters are published all the while, there may never be nothing left.
    """
    while True:
        if cancelled():
            raise RebuildCancelled(projection.name)
        with pool.connection() as conn, conn.transaction():
            if _take_batch(conn, log, projection, schema) < BATCH:
                return


def _take_batch(conn: Conn, log: Log, projection: Projection, schema: str) -> int:
    """How many events were taken in."""
    row = progress.lock(conn, schema)
    assert row is not None, "only the rebuild that created a candidate drops it"
    read = read_batch(log, row.position, BATCH)
    if not read:
        return 0
    refuse_unknown(read)
    progress.use_schema(conn, schema)
    take_in(conn, projection, LogBatch(read))
    progress.advance(conn, schema, read[-1].position)
    return len(read)


def _swap(pool: ConnectionPool, log: Log, projection: Projection, schema: str) -> bool:
    """Make the candidate the live version; False if the live one got ahead meanwhile by more than one batch.

    The live version's row is locked: it cannot move while the candidate drains the rest. One that is ahead of the log itself,
    which was set back, is replaced all the same.
    """
    with pool.connection() as conn, conn.transaction():
        old = progress.live(conn, [projection.name]).get(projection.name)
        held = progress.lock(conn, old.schema) if old else None
        taken = _take_batch(conn, log, projection, schema)
        row = progress.lock(conn, schema)
        assert row is not None, "only the rebuild that created a candidate drops it"
        if held is not None and row.position < held.position and taken >= BATCH:
            return False
        conn.execute("UPDATE projections.read_models SET live = false WHERE name = %s AND live", (projection.name,))
        conn.execute("UPDATE projections.read_models SET live = true WHERE schema = %s", (schema,))
        return True


def _create(conn: Conn, projection: Projection, schema: str, *, live: bool) -> None:
    conn.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    conn.execute(
        "INSERT INTO projections.read_models (schema, name, version, live) VALUES (%s, %s, %s, %s)",
        (schema, projection.name, projection.version, live),
    )
    progress.use_schema(conn, schema)
    projection.create(conn)


def _free_schema(conn: Conn, projection: Projection) -> str:
    taken = {row.schema for row in progress.all_versions(conn)}
    stem = f"{projection.name}_v{projection.version}_"
    return next(
        stem + letter for letter in itertools.chain("ab", map(str, itertools.count())) if stem + letter not in taken
    )


def _drop_abandoned(conn: Conn, name: str) -> None:
    """Drop every version that is not live. Only under the rebuild lock: no other rebuild is then at work on them."""
    rows = [row for row in progress.all_versions(conn) if row.name == name and not row.live]
    for row in rows:
        with conn.transaction():
            conn.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(row.schema)))
            conn.execute("DELETE FROM projections.read_models WHERE schema = %s AND NOT live", (row.schema,))


@contextmanager
def rebuild_lock(conn: Conn, name: str) -> Iterator[None]:
    """One rebuild of a read model at a time; the lock goes with the session that is killed. Raises RebuildRunning."""
    key = (_REBUILD_LOCKS, zlib.crc32(name.encode()) - 2**31)
    got = conn.execute("SELECT pg_try_advisory_lock(%s, %s)", key).fetchone()
    conn.commit()
    if got is None or not got[0]:
        raise RebuildRunning(name)
    try:
        yield
    finally:
        if not conn.closed:
            conn.execute("SELECT pg_advisory_unlock(%s, %s)", key)
