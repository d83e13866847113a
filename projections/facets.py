"""Facets: the rows that a record contributes to a table, and how they follow the record.

Each row carries the range of log positions in which it was believed. When a record changes, its rows that no longer
hold are closed and the new ones opened; nothing is overwritten. Belief changes with whole publications, so every range
begins and ends at the last position of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from psycopg import sql

from projections.once_asserted import OnceAsserted
from projections.projection import Conn
from projections.record_view import Change, RecordView

Value: TypeAlias = str | int | bool | float | None
Row: TypeAlias = tuple[Value, ...]

_LINES_AT_ONCE = 1_000
OWN_COLUMNS = ("story", "uid", "recorded")


@dataclass(frozen=True, slots=True)
class Facet:
    """A table of rows derived from records. `rows` is pure: for the same view the same rows, in the order of `columns`.

    `lines`, where a facet has them, are the same rows of a record that nothing but its assertion tells of, as COPY reads
    them: this is most of what a rebuild does.
    """

    table: str
    columns: tuple[str, ...]
    rows: Callable[[RecordView], Sequence[Row]]
    lines: Callable[[OnceAsserted], Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class FacetChange:
    """The rows of one record before and after a publication, where they differ."""

    uid: str
    before: Sequence[Row]
    after: Sequence[Row]


def facet_changes(facet: Facet, changes: Iterable[Change]) -> list[FacetChange]:
    found = (FacetChange(c.after.uid, facet.rows(c.before) if c.before else (), facet.rows(c.after)) for c in changes)
    return [change for change in found if list(change.before) != list(change.after)]


def since(position: int) -> str:
    """The range of positions from one on, as PostgreSQL reads it."""
    return f"[{position},)"


def insert(conn: Conn, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    if not rows:
        return
    with conn.cursor() as cursor, cursor.copy(copy_statement(table, columns)) as copy:
        for row in rows:
            copy.write_row(row)


def copy_lines(conn: Conn, table: str, columns: Sequence[str], lines: Sequence[str]) -> None:
    """Insert rows that are written already, as `copying.line` does."""
    with conn.cursor() as cursor, cursor.copy(copy_statement(table, columns)) as copy:
        for start in range(0, len(lines), _LINES_AT_ONCE):
            copy.write("\n".join(lines[start : start + _LINES_AT_ONCE]) + "\n")


def copy_statement(table: str, columns: Sequence[str]) -> sql.Composed:
    return sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
