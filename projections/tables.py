"""Tables on their way to PostgreSQL: rows that open, and rows from before that end, written in few statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

from psycopg import sql

from projections.copying import array
from projections.facets import Row, copy_lines, insert
from projections.parts import Part, StoryPart
from projections.projection import BulkProjection, Conn
from projections.watched_log import Source

OF_RECORD: Final[Mapping[str, str]] = {"story": "text", "uid": "text"}
"""By what the rows of a record are found in the tables of its facets: columns and their types."""


class Table:
    """Rows on their way into a table, and the ends of rows that are in it already.

    `rows` are tuples of values, `lines` what `copying.line` gives. `key` names the columns (and their types) by which open
    rows are found when they end. In a table that is `unique` a row that is there already is left as it is.
    """

    __slots__ = ("columns", "ends", "key", "lines", "name", "rows", "unique")

    def __init__(self, name: str, columns: Sequence[str], key: Mapping[str, str], unique: bool) -> None:
        self.name = name
        self.columns = columns
        self.key = key
        self.unique = unique
        self.rows: list[Row] = []
        self.lines: list[str] = []
        self.ends: list[Row] = []


class Tables:
    """The tables of a connection's schema that are being written. Rows are there after `flush`, or once they are many.

    `stored` says whether the tables hold rows from before: if not, there is none to end.
    """

    def __init__(self, conn: Conn, *, stored: bool) -> None:
        self._conn = conn
        self._stored = stored
        self._tables: dict[str, Table] = {}

    def table(
        self, name: str, columns: Sequence[str], key: Mapping[str, str] = OF_RECORD, *, unique: bool = False
    ) -> Table:
        """The table to append rows to, in the order of `columns`."""
        return self._tables.setdefault(name, Table(name, columns, key, unique))

    def end(self, table: Table, position: int, *key: str | int) -> None:
        """The rows from before with this key are believed no longer, from a position on. None need be there."""
        if self._stored:
            table.ends.append((position, *key))

    def flush(self, at_least: int = 1) -> None:
        """Write the rows of tables that wait for so many. Rows end before others open: those are not meant."""
        for table in self._tables.values():
            if table.ends:
                self._conn.execute(_end(table), _columns(table.ends))
                table.ends.clear()
            if len(table.rows) >= at_least:
                self._open(table)
                table.rows.clear()
            if len(table.lines) >= at_least:
                copy_lines(self._conn, table.name, table.columns, table.lines)
                table.lines.clear()

    def _open(self, table: Table) -> None:
        if table.unique and self._stored:
            self._conn.execute(_add(table), _columns(table.rows))
        else:
            insert(self._conn, table.name, table.columns, table.rows)


def _columns(rows: Sequence[Row]) -> list[str]:
    """The columns of rows without NULLs, each as an array."""
    return [array(column) for column in zip(*rows, strict=True)]


def _end(table: Table) -> sql.Composed:
    types = sql.SQL(", ").join(sql.SQL(f"%s::{kind}[]") for kind in ("bigint", *table.key.values()))
    names = sql.SQL(", ").join(map(sql.Identifier, table.key))
    same = sql.SQL(" AND ").join(sql.SQL("t.{0} = e.{0}").format(sql.Identifier(column)) for column in table.key)
    return sql.SQL(
        "UPDATE {} AS t SET recorded = int8range(lower(t.recorded), e.since)"
        " FROM unnest({}) AS e (since, {}) WHERE {} AND upper_inf(t.recorded)"
    ).format(sql.Identifier(table.name), types, names, same)


def _add(table: Table) -> sql.Composed:
    """An insertion that passes over rows that are there. All columns are text."""
    return sql.SQL("INSERT INTO {} ({}) SELECT * FROM unnest({}) ON CONFLICT DO NOTHING").format(
        sql.Identifier(table.name),
        sql.SQL(", ").join(map(sql.Identifier, table.columns)),
        sql.SQL(", ").join([sql.SQL("%s::text[]")] * len(table.columns)),
    )


@runtime_checkable
class StoryProjection(BulkProjection, Protocol):
    """A read model in which no row depends on two stories, so that several processes can build it together.

    `fill` appends the rows of a part of a story, up to and including `until`, to tables without such rows. `derive`, once
    all parts are filled, appends a part of what follows from the rows of stories whose parts were not `with_keys`: of most
    read models nothing.
    It calls `check` now and then, which raises RebuildCancelled. The class can be built without arguments.
    """

    @property
    def name(self) -> str: ...

    def fill(self, tables: Tables, log: Source, of: StoryPart, until: int) -> None: ...

    def derive(
        self, conn: Conn, tables: Tables, part: Part, stories: Sequence[str], check: Callable[[], None]
    ) -> None: ...
