"""The event library's own runner, one transaction an event: what following the log is measured beside."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar

import psycopg
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from eventsourcing.projection import Projection as LibraryProjection
from eventsourcing.projection import ProjectionRunner
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL
from psycopg_pool import ConnectionPool

from events.domain_events import Recorded, RecordInvalidated, RecordReinstated, RecordStated, StoryEvent
from events.log import Log
from projections import progress, versions
from projections.projection import Projection

_TABLE = SQL(
    "CREATE TABLE IF NOT EXISTS {0}.library_state (story text, uid text, place int, node_key text, value_key text,"
    " chapter int, live boolean, notification_id bigint, PRIMARY KEY (story, uid, place))"
)


class LibraryView(PostgresTrackingRecorder):
    """A story state of the plainest kind: what live records set, one row a setting."""

    def __init__(self, datastore: PostgresDatastore, **kwargs: Any) -> None:
        super().__init__(datastore, **kwargs)
        self.sql_create_statements.append(_TABLE.format(SQL(datastore.schema)))
        self._upsert = SQL(
            "INSERT INTO {0}.library_state VALUES (%s, %s, %s, %s, %s, %s, true, %s) ON CONFLICT (story, uid, place)"
            " DO UPDATE SET node_key = excluded.node_key, value_key = excluded.value_key"
        ).format(SQL(datastore.schema))
        self._turn = SQL("UPDATE {0}.library_state SET live = %s WHERE story = %s AND uid = %s").format(
            SQL(datastore.schema)
        )

    def record(self, event: StoryEvent, tracking: Tracking) -> None:
        """Writes what the event says, and that it was read, in one transaction."""
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            if isinstance(event, RecordStated):
                for place, setting in enumerate(event.settings):
                    value = setting.value and setting.value.key
                    row = (event.story, event.uid, place, setting.node_key, value, event.chapter)
                    cursor.execute(self._upsert, (*row, tracking.notification_id), prepare=True)
            elif isinstance(event, RecordInvalidated | RecordReinstated):
                live = isinstance(event, RecordReinstated)
                cursor.execute(self._turn, (live, event.story, event.uid), prepare=True)


class LibraryState(LibraryProjection[LibraryView]):
    """The story state as the library's documentation builds read models: one transaction an event."""

    name = "library"

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        self.view.record(domain_event, tracking)


class OneByOneView(PostgresTrackingRecorder):
    """Read models of ours, given one event at a time: the library's runner at the same work as ours."""

    connections: ClassVar[ConnectionPool[Any]]
    projections: ClassVar[Sequence[Projection]]
    schemas: ClassVar[Sequence[str]]

    def record(self, event: StoryEvent, tracking: Tracking) -> None:
        """Writes what each read model makes of the event, and that it was read, in one transaction."""
        with self.connections.connection() as conn, conn.transaction():
            with conn.cursor() as cursor:
                self._insert_tracking(cursor, tracking)
            batch = [Recorded(tracking.notification_id, event)]
            for projection, schema in zip(self.projections, self.schemas, strict=True):
                progress.use_schema(conn, schema)
                projection.apply(conn, batch)


class OneByOne(LibraryProjection[OneByOneView]):
    """Read models of ours under the library's runner."""

    name = "library"

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        self.view.record(domain_event, tracking)


def plain_rate(dsn: str, events: int) -> float:
    """Events a second of the library's runner with the plainest of tables, over the first events of the log."""
    return _rate(dsn, events, LibraryState, LibraryView)


def same_rate(dsn: str, events: int, connections: ConnectionPool[Any], projections: Sequence[Projection]) -> float:
    """Events a second of the library's runner with read models of ours, which exist and are empty."""
    with connections.connection() as conn:
        schemas = [versions.live_schema(conn, projection.name) for projection in projections]
    view = type("View", (OneByOneView,), {"connections": connections, "projections": projections, "schemas": schemas})
    return _rate(dsn, events, OneByOne, view)


def _rate(dsn: str, events: int, projection: type[LibraryProjection[Any]], view: type[Any]) -> float:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("DROP SCHEMA IF EXISTS library CASCADE")
        conn.execute("CREATE SCHEMA library")
        row = conn.execute(
            "SELECT notification_id FROM ledger.stored_events ORDER BY 1 OFFSET %s LIMIT 1", (events - 1,)
        ).fetchone()
    assert row is not None, "the log is longer than what the library is given"
    started = time.perf_counter()
    with ProjectionRunner(
        application_class=Log, projection_class=projection, view_class=view, env=_environment(dsn)
    ) as runner:
        runner.wait(row[0], timeout=600)
        seconds = time.perf_counter() - started
    return events / seconds


def _environment(dsn: str) -> dict[str, str]:
    parts = conninfo_to_dict(dsn)
    shared = {
        "PERSISTENCE_MODULE": "events.recorder:LedgerFactory",
        "POSTGRES_DBNAME": str(parts["dbname"]),
        "POSTGRES_HOST": str(parts["host"]),
        "POSTGRES_PORT": str(parts["port"]),
        "POSTGRES_USER": str(parts["user"]),
        "POSTGRES_PASSWORD": str(parts.get("password") or ""),
        "POSTGRES_SCHEMA": "ledger",
        "ORIGINATOR_ID_TYPE": "text",
        "CREATE_TABLE": "no",
    }
    return {**shared, "LIBRARY_POSTGRES_SCHEMA": "library", "LIBRARY_CREATE_TABLE": "yes"}
