"""The recorder of the log: the library's own, with what must happen in the same transaction as the events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import Any, Final, TypeAlias

from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresFactory
from eventsourcing.utils import Environment, EnvType
from psycopg import Cursor
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq.abc import PGconn
from psycopg.rows import DictRow, dict_row
from psycopg.sql import SQL

Companion: TypeAlias = Callable[[Cursor[DictRow], Sequence[int]], None]
"""Runs in the transaction of the events, after they are inserted, with their positions."""
_APPENDING: Final = 0x6661_6275_01
"""The advisory lock of whoever appends to the log of a database."""


class LedgerRecorder(PostgresApplicationRecorder):
    """Inserts events as the library does, one transaction after the other (or a tailing reader would lose events)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # the library locks the table, in a mode that a vacuum or an analysis of it keeps out: while the server looks after
        # the log by itself, every append would wait for a second, until it gives way. A transaction of a program that still
        # locks the table comes before or after as well, since an insert waits for that lock
        timeout, _ = self.lock_table_statements
        self.lock_table_statements = [timeout, SQL("SELECT pg_advisory_xact_lock({})").format(_APPENDING)]

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Inserts the events and lets the companion do its part: both or neither.

        The library's own method remembers an error and raises it once the transaction has ended, which would keep the
        events of a companion that failed. Raises the library's `IntegrityError` if a version is taken.
        Statements are sent without waiting for each other's answers: twice there and back instead of eight times.
        """
        companion: Companion | None = kwargs.get("companion")
        if not stored_events:
            return []
        with (
            self.datastore.get_connection() as conn,
            conn.pipeline() as pipeline,
            conn.transaction(),
            conn.cursor() as curs,
        ):
            self._insert_stored_events(curs, stored_events)
            send_all(conn.pgconn)
            pipeline.sync()  # a version that is taken shows here, and not as an aborted pipeline later
            positions = self._fetch_ids_after_insert_events(curs, stored_events) or []
            if companion is not None:
                companion(curs, positions)
                send_all(conn.pgconn)
        return positions


def send_all(connection: PGconn) -> None:
    """Send what has not gone out yet, however long the server takes to read it.

    The driver's pipeline hands a statement over once and then waits for answers: of one that is larger than the socket's
    buffer the rest would stay here, and the server would wait for it, holding the table's lock.
    """
    with DefaultSelector() as selector:
        selector.register(connection.socket, EVENT_READ | EVENT_WRITE)
        while connection.flush():
            if any(events & EVENT_READ for _, events in selector.select()):
                connection.consume_input()


class LedgerFactory(PostgresFactory):
    """The library's factory, with connections as the whole conninfo has it (TLS, several hosts, options)."""

    CONNINFO: Final = "LEDGER_CONNINFO"
    application_recorder_class = LedgerRecorder

    def __init__(self, env: Environment | EnvType | None):
        super().__init__(env)
        conninfo = self.env.get(self.CONNINFO)
        if conninfo:
            self.datastore.pool.kwargs = {**conninfo_to_dict(conninfo), "row_factory": dict_row}
