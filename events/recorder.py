"""The recorder of the log: the library's own, with what must happen in the same transaction as the events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresFactory
from psycopg import Cursor
from psycopg.rows import DictRow

Companion: TypeAlias = Callable[[Cursor[DictRow], Sequence[int]], None]
"""Runs in the transaction of the events, after they are inserted, with their positions."""


class LedgerRecorder(PostgresApplicationRecorder):
    """Inserts events as the library does, under its table lock (without which a tailing reader loses events)."""

    def _fetch_ids_after_insert_events(
        self, curs: Cursor[DictRow], stored_events: Sequence[StoredEvent], **kwargs: Any
    ) -> Sequence[int] | None:
        positions = super()._fetch_ids_after_insert_events(curs, stored_events, **kwargs)
        companion: Companion | None = kwargs.get("companion")
        if companion is not None:
            companion(curs, positions or ())
        return positions


class LedgerFactory(PostgresFactory):
    application_recorder_class = LedgerRecorder
