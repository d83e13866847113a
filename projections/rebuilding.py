"""Read models made of records, built in bulk: a story at a time in memory, thousands of rows at a time into PostgreSQL.

What is left is what following the log would have left: each version of each row, with the range of positions in which it
was believed.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeAlias

from projections.facets import OWN_COLUMNS, Facet, FacetChange, Row, facet_changes, insert, since
from projections.projection import Conn, Log
from projections.publications import PublicationEvents, publications
from projections.record_versions import RECORDS, view_of
from projections.record_view import Change, RecordView, changes, record_uids

Open: TypeAlias = tuple[Sequence[Row], int]
"""Rows that hold, and since which position."""

FLUSH_AT: Final = 10_000
"""Rows of a table that are written at once."""
_MAINTENANCE_MEMORY: Final = "128MB"


class Table:
    """Rows on their way into a table."""

    __slots__ = ("columns", "name", "rows")

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        self.name = name
        self.columns = columns
        self.rows: list[Row] = []


class Tables:
    """The tables of a connection's schema that are being filled. Rows are there after `flush`, or once they are many."""

    def __init__(self, conn: Conn) -> None:
        self._conn = conn
        self._tables: dict[str, Table] = {}

    def table(self, name: str, columns: Sequence[str]) -> Table:
        """The table to append rows to, in the order of `columns`."""
        return self._tables.setdefault(name, Table(name, columns))

    def flush(self, at_least: int = 1) -> None:
        """Write the rows of tables that wait for so many."""
        for table in self._tables.values():
            if len(table.rows) >= at_least:
                insert(self._conn, table.name, table.columns, table.rows)
                table.rows.clear()


class RecordFold:
    """The facets of one story's records, followed from publication to publication. `RECORDS` has to be among them."""

    def __init__(self, story: str, facets: Sequence[Facet], tables: Tables) -> None:
        self._story = story
        self._facets = facets
        self._tables = {f.table: tables.table(f.table, (*OWN_COLUMNS, *f.columns)) for f in facets}
        self._open: dict[str, dict[str, Open]] = {facet.table: {} for facet in facets}

    def take(self, publication: PublicationEvents) -> tuple[list[Change], dict[str, list[FacetChange]]]:
        """What the publication changed: in the records, and in the rows of each table."""
        heads = {uid: view for uid in record_uids(publication.events) if (view := self._head(uid))}
        changed = changes(heads, (recorded.event for recorded in publication.events))
        by_table = {facet.table: facet_changes(facet, changed) for facet in self._facets}
        for table, rows in by_table.items():
            self._store(table, rows, publication.last_position)
        return changed, by_table

    def finish(self) -> None:
        """Write the rows that still hold."""
        for table, held in self._open.items():
            for uid, (rows, start) in held.items():
                self._write(table, uid, since(start), rows)
            held.clear()

    def _head(self, uid: str) -> RecordView | None:
        found = self._open[RECORDS.table].get(uid)
        return None if found is None else view_of(uid, found[0][0])

    def _store(self, table: str, changed: Sequence[FacetChange], position: int) -> None:
        held = self._open[table]
        for change in changed:
            if change.before:
                rows, start = held.pop(change.uid)
                self._write(table, change.uid, until(start, position), rows)
            if change.after:
                held[change.uid] = (change.after, position)

    def _write(self, table: str, uid: str, recorded: str, rows: Sequence[Row]) -> None:
        waiting = self._tables[table].rows
        for row in rows:
            waiting.append((self._story, uid, recorded, *row))


def until(start: int, end: int) -> str:
    """The range of positions from `start` to before `end`, as PostgreSQL reads it."""
    return f"[{start},{end})"


def publications_of(log: Log, story: str, last: int) -> Iterator[PublicationEvents]:
    """The publications of a story up to and including a position."""
    for publication in publications(log.story_events(story)):
        if publication.last_position > last:
            return
        yield publication


@contextmanager
def filling(conn: Conn) -> Iterator[Tables]:
    """The tables of the connection's schema, to be filled: their indexes are made when they are full, and they are analysed."""
    found = conn.execute("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()").fetchall()
    for name, _ in found:
        conn.execute(f'DROP INDEX "{name}"'.encode())
    tables = Tables(conn)
    with _without_collector():
        yield tables
        tables.flush()
    conn.execute("SELECT set_config('maintenance_work_mem', %s, true)", (_MAINTENANCE_MEMORY,))
    for _, definition in found:
        conn.execute(definition.encode())
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
