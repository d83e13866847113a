"""How far each read model has read the log. One row a version, written in the transaction that wrote its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from projections.projection import Conn

_MIGRATION_LOCK = 4_702_111_001
_DDL = """
CREATE SCHEMA IF NOT EXISTS projections;
CREATE TABLE IF NOT EXISTS projections.read_models (
    schema text PRIMARY KEY,
    name text NOT NULL,
    version integer NOT NULL,
    live boolean NOT NULL,
    position bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    stalled_at timestamptz,
    error text,
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX IF NOT EXISTS one_live_version ON projections.read_models (name) WHERE live;
"""
_COLUMNS = "schema, name, version, live, position, skipped, attempts, stalled_at, error"


@dataclass(frozen=True, slots=True)
class Progress:
    """A version of a read model: where its tables are and the last position they include.

    `skipped` counts events of unknown types that were passed over, `attempts` the failures since the last success;
    `stalled_at` is set once the retries are used up, with the error.
    """

    schema: str
    name: str
    version: int
    live: bool
    position: int
    skipped: int
    attempts: int
    stalled_at: datetime | None
    error: str | None


def migrate(conn: Conn) -> None:
    """Create the table of progress unless it is there. Safe when several processes start at once."""
    with conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
        conn.execute(_DDL)


def all_versions(conn: Conn) -> list[Progress]:
    """Every version that exists, live or being built, for health and metrics."""
    with conn.cursor(row_factory=class_row(Progress)) as cursor:
        query = f"SELECT {_COLUMNS} FROM projections.read_models ORDER BY name, schema"
        return cursor.execute(query.encode()).fetchall()


def live(conn: Conn, names: Sequence[str]) -> dict[str, Progress]:
    """The live versions of the read models named, by name; those never built are missing."""
    with conn.cursor(row_factory=class_row(Progress)) as cursor:
        query = f"SELECT {_COLUMNS} FROM projections.read_models WHERE live AND name = ANY(%s)"
        rows = cursor.execute(query.encode(), (list(names),)).fetchall()
    return {row.name: row for row in rows}


def lock(conn: Conn, schema: str, *, wait: bool = True) -> Progress | None:
    """The version's row, locked until the transaction ends, so that no two runners apply one batch.

    None where the version has been replaced, or (`wait` False) another runner holds it.
    """
    with conn.cursor(row_factory=class_row(Progress)) as cursor:
        suffix = "FOR UPDATE" if wait else "FOR UPDATE SKIP LOCKED"
        query = f"SELECT {_COLUMNS} FROM projections.read_models WHERE schema = %s {suffix}"
        return cursor.execute(query.encode(), (schema,)).fetchone()


def lock_live(conn: Conn, name: str) -> Progress | None:
    """The live version's row, locked until the transaction ends; None where there is none, or it is just being replaced."""
    with conn.cursor(row_factory=class_row(Progress)) as cursor:
        query = f"SELECT {_COLUMNS} FROM projections.read_models WHERE live AND name = %s FOR UPDATE"
        return cursor.execute(query.encode(), (name,)).fetchone()


def advance(conn: Conn, schema: str, position: int, skipped: int = 0) -> None:
    """Everything up to `position` is in the tables; what went wrong before is over."""
    conn.execute(
        "UPDATE projections.read_models SET position = %s, skipped = skipped + %s, attempts = 0, stalled_at = NULL,"
        " error = NULL, updated_at = now() WHERE schema = %s",
        (position, skipped, schema),
    )


def failed(conn: Conn, schema: str, error: str, *, stalled: bool) -> None:
    """Another attempt failed; `stalled` when the retries are used up."""
    conn.execute(
        "UPDATE projections.read_models SET attempts = attempts + 1, error = %s, updated_at = now(),"
        " stalled_at = CASE WHEN %s THEN coalesce(stalled_at, now()) ELSE stalled_at END WHERE schema = %s",
        (error, stalled, schema),
    )


def use_schema(conn: Conn, schema: str) -> None:
    """Unqualified names mean this schema until the transaction ends; extensions stay reachable in `public`.

    Read models are written by key. Their tables grow from nothing, and a plan made for an empty table would be kept for
    a full one: so indexes are used, entry by entry, whatever the statistics say.
    """
    conn.execute(
        "SELECT set_config('search_path', quote_ident(%s) || ', public', true), set_config('enable_seqscan', 'off', true),"
        " set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)",
        (schema,),
    )
