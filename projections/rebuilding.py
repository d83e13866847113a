"""Read models made of records, built in bulk: a story at a time in memory, thousands of rows at a time into PostgreSQL.

What is left is what following the log would have left: each version of each row, with the range of positions in which it
was believed.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from projections.parts import WHOLE, story_parts, without_keys
from projections.projection import Conn, Log
from projections.tables import StoryProjection, Tables
from projections.watched_log import CancellableLog

FLUSH_AT: Final = 10_000
"""Rows of a table that are written at once."""
_MAINTENANCE_MEMORY: Final = "128MB"
_STATISTICS_TARGET: Final = "30"


def rebuild(conn: Conn, log: Log, projection: StoryProjection, until: int) -> None:
    """Fill the empty tables of the connection's schema with everything up to and including a position."""
    indexes = drop_indexes(conn)
    sizes = log.stored.sizes() if isinstance(log, CancellableLog) and log.stored else {}
    parts = story_parts(log.stories(), sizes, processes=1)
    with writing(conn) as tables:
        for of in parts:
            projection.fill(tables, log, of, until)
    check = log.check if isinstance(log, CancellableLog) else lambda: None
    with writing(conn) as tables:
        projection.derive(conn, tables, WHOLE, without_keys(parts), check)
    make_indexes(conn, indexes)
    analyse(conn)


@contextmanager
def writing(conn: Conn) -> Iterator[Tables]:
    """The tables of the connection's schema, empty and without indexes; what was appended to them is written on leaving."""
    tables = Tables(conn, stored=False)
    with _without_collector():
        yield tables
        tables.flush()


def drop_indexes(conn: Conn) -> list[str]:
    """Drop the indexes of the connection's schema; returns the statements that make them again."""
    found = conn.execute("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()").fetchall()
    for name, _ in found:
        conn.execute(f'DROP INDEX "{name}"'.encode())
    return [definition for _, definition in found]


def make_indexes(conn: Conn, definitions: Iterable[str]) -> None:
    """Make the indexes of tables that are full now."""
    conn.execute("SELECT set_config('maintenance_work_mem', %s, true)", (_MAINTENANCE_MEMORY,))
    for definition in definitions:
        conn.execute(definition.encode())


def analyse(conn: Conn) -> None:
    """Tell the planner of tables that are full now, from a sample; the server itself looks closer when it has time."""
    conn.execute("SELECT set_config('default_statistics_target', %s, true)", (_STATISTICS_TARGET,))
    names = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
    for (name,) in names:
        conn.execute(f'ANALYZE "{name}"'.encode())


@contextmanager
def _without_collector() -> Iterator[None]:
    """Millions of tuples live until their story is done and none is in a cycle: looking for cycles costs a fifth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
