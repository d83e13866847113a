"""The recorder of the log: events and what goes with them, both or neither, whatever fails and when."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from eventsourcing.persistence import IntegrityError, ProgrammingError, StoredEvent

from events.ledger import Ledger
from events.recorder import LedgerRecorder


@pytest.fixture
def ledger(postgres_dsn: str) -> Iterator[Ledger]:
    Ledger.migrate(postgres_dsn)
    with Ledger(postgres_dsn) as ledger:
        yield ledger


@pytest.fixture
def recorder(ledger: Ledger) -> LedgerRecorder:
    return ledger._log.recorder


def events(*versions: int) -> list[StoredEvent]:
    return [StoredEvent("lantern", version, "fabula.omen-seen", b"{}") for version in versions]


def stored(ledger: Ledger) -> list[int]:
    with ledger.pool.connection() as conn:
        rows = conn.execute("SELECT originator_version FROM ledger.stored_events ORDER BY 1").fetchall()
    return [row[0] for row in rows]


def test_a_version_that_is_taken_is_a_conflict_and_the_next_insert_goes_through(
    ledger: Ledger, recorder: LedgerRecorder
) -> None:
    recorder.insert_events(events(1, 2))
    with pytest.raises(IntegrityError):
        recorder.insert_events(events(2, 3))
    assert recorder.insert_events(events(3))
    assert stored(ledger) == [1, 2, 3]


def test_the_companion_is_told_the_positions_of_the_events(recorder: LedgerRecorder) -> None:
    told: list[Sequence[int]] = []
    found = recorder.insert_events(events(1, 2), companion=lambda _, positions: told.append(positions))
    assert told == [found]
    assert found == [1, 2]


def test_events_are_not_kept_if_their_companion_raises(ledger: Ledger, recorder: LedgerRecorder) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        recorder.insert_events(events(1), companion=broken)
    assert stored(ledger) == []


def test_events_are_not_kept_if_a_statement_of_their_companion_fails(ledger: Ledger, recorder: LedgerRecorder) -> None:
    def broken(cursor: psycopg.Cursor[Any], _: Sequence[int]) -> None:
        cursor.execute("UPDATE nowhere SET nothing = 1")

    with pytest.raises(ProgrammingError):
        recorder.insert_events(events(1), companion=broken)
    assert stored(ledger) == []


def test_a_commit_that_fails_is_told_and_keeps_nothing(ledger: Ledger, recorder: LedgerRecorder) -> None:
    with ledger.pool.connection() as conn:
        conn.execute("CREATE TABLE promised (id int PRIMARY KEY)")
        conn.execute("CREATE TABLE promises (of int REFERENCES promised DEFERRABLE INITIALLY DEFERRED)")

    def refused_at_commit(cursor: psycopg.Cursor[Any], _: Sequence[int]) -> None:
        cursor.execute("INSERT INTO promises VALUES (1)")

    with pytest.raises(IntegrityError):
        recorder.insert_events(events(1), companion=refused_at_commit)
    assert stored(ledger) == []


@pytest.mark.timeout(60)
def test_a_chapter_larger_than_what_the_connection_takes_at_once_goes_through(
    ledger: Ledger, recorder: LedgerRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    get_connection = recorder.datastore.get_connection

    @contextmanager
    def narrow() -> Iterator[psycopg.Connection[Any]]:
        with get_connection() as conn:
            with socket.socket(fileno=os.dup(conn.fileno())) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
            yield conn

    monkeypatch.setattr(recorder.datastore, "get_connection", narrow)
    large = [StoredEvent("lantern", n, "fabula.omen-seen", b"x" * 1_000_000) for n in range(1, 6)]

    def companion(cursor: psycopg.Cursor[Any], _: Sequence[int]) -> None:
        cursor.execute("SELECT length(%s)", ("y" * 2_000_000,))

    assert recorder.insert_events(large, companion=companion)
    assert stored(ledger) == list(range(1, 6))


@pytest.mark.timeout(60)
def test_an_append_does_not_wait_for_what_the_server_does_for_the_table(
    ledger: Ledger, recorder: LedgerRecorder
) -> None:
    with ledger.pool.connection() as conn, conn.transaction():
        # the lock of a vacuum and of an analysis
        conn.execute("LOCK TABLE ledger.stored_events IN SHARE UPDATE EXCLUSIVE MODE")
        assert recorder.insert_events(events(1, 2)) == [1, 2]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("mode", ["ours", "EXCLUSIVE"])
def test_who_appends_later_gets_later_positions_and_commits_later(
    ledger: Ledger, recorder: LedgerRecorder, mode: str
) -> None:
    held, released = threading.Event(), threading.Event()

    def hold(*_: Any) -> None:
        held.set()
        assert released.wait(30)

    def first() -> object:
        if mode == "ours":
            return recorder.insert_events(events(1), companion=hold)
        with ledger.pool.connection() as conn, conn.transaction():  # as a program does that locks the table
            conn.execute(f"LOCK TABLE ledger.stored_events IN {mode} MODE")
            hold()
            return None

    with ThreadPoolExecutor(2) as threads:
        before = threads.submit(first)
        assert held.wait(30)
        after = threads.submit(lambda: recorder.insert_events(events(2)))
        with pytest.raises(TimeoutError):
            after.result(timeout=0.5)
        assert stored(ledger) == []
        released.set()
        before.result(timeout=30)
        assert after.result(timeout=30) == [2 if mode == "ours" else 1]
