"""The projection runner on real PostgreSQL: order, progress, faults."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from events.domain_events import Recorded, UnrecognisedEvent
from events.errors import ReadModelBehind
from events.ids import Chapter
from projections import progress, versions
from projections.projection import Conn, Projection
from projections.runner import CHANNEL, Retries, Runner
from tests.handmade import HandmadeLog, owns, published

QUICK = Retries(backoff=(0.01, 0.01), stalled=0.05)


class Listing:
    """A read model that lists the positions it was fed, with the number of the batch."""

    version = 1

    def __init__(self, name: str = "listing", broken: bool = False) -> None:
        self.name = name
        self.broken = broken
        self.attempts = 0

    def create(self, conn: Conn) -> None:
        conn.execute("CREATE TABLE seen (position bigint, batch bigint)")

    def apply(self, conn: Conn, batch: Sequence[Recorded]) -> None:
        self.attempts += 1
        with conn.cursor() as cursor:
            rows = [(recorded.position, self.attempts) for recorded in batch]
            cursor.executemany("INSERT INTO seen VALUES (%s, %s)", rows)
        if self.broken:
            raise ValueError("a record this read model cannot stand")


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[ConnectionPool]:
    with ConnectionPool(postgres_dsn, min_size=1, max_size=10) as pool:
        yield pool


@pytest.fixture
def log() -> HandmadeLog:
    log = HandmadeLog(gap=2)
    for chapter in range(1, 5):
        log.publish("s", published(chapter), owns(f"u{chapter}", chapter, "mara").asserted)
    return log


def seen(pool: ConnectionPool, name: str = "listing") -> list[int]:
    with pool.connection() as conn, conn.transaction():
        progress.use_schema(conn, versions.live_schema(conn, name))
        return [row[0] for row in conn.execute("SELECT position FROM seen ORDER BY position")]


def state_of(pool: ConnectionPool, name: str = "listing") -> progress.Progress:
    with pool.connection() as conn:
        return progress.live(conn, [name])[name]


@contextmanager
def running(runner: Runner) -> Iterator[threading.Event]:
    stop = threading.Event()
    runner.prepare()
    thread = threading.Thread(target=runner.run_forever, args=(stop,))
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(timeout=10)
        assert not thread.is_alive()


def eventually(condition: object, seconds: float = 10.0) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.01)


def test_a_read_model_is_fed_every_event_once_and_in_order(pool: ConnectionPool, log: HandmadeLog) -> None:
    runner = Runner(log, pool, [Listing()], batch=3)
    runner.catch_up()
    runner.catch_up()
    assert seen(pool) == [recorded.position for recorded in log.events]


def test_a_batch_never_ends_inside_a_publication(pool: ConnectionPool, log: HandmadeLog) -> None:
    Runner(log, pool, [Listing()], batch=1).catch_up()
    with pool.connection() as conn, conn.transaction():
        progress.use_schema(conn, versions.live_schema(conn, "listing"))
        sizes = conn.execute("SELECT count(*) FROM seen GROUP BY batch").fetchall()
    assert sizes == [(2,)] * 4


def test_what_a_failed_batch_wrote_is_rolled_back_with_its_progress(pool: ConnectionPool, log: HandmadeLog) -> None:
    broken = Listing(broken=True)
    Runner(log, pool, [broken], retries=QUICK).catch_up()
    assert seen(pool) == []
    assert state_of(pool).position == 0


def test_a_read_model_that_keeps_failing_is_stalled_with_its_error_and_the_others_go_on(
    pool: ConnectionPool, log: HandmadeLog
) -> None:
    Runner(log, pool, [Listing("broken", broken=True), Listing()], retries=QUICK).catch_up()
    stalled = state_of(pool, "broken")
    assert stalled.stalled_at is not None
    assert stalled.error == "ValueError: a record this read model cannot stand"
    assert stalled.attempts == 3
    assert seen(pool) == [recorded.position for recorded in log.events]


def test_a_stalled_read_model_that_can_go_on_is_stalled_no_longer(pool: ConnectionPool, log: HandmadeLog) -> None:
    listing = Listing(broken=True)
    runner = Runner(log, pool, [listing], retries=QUICK)
    runner.catch_up()
    listing.broken = False
    runner.catch_up()
    assert state_of(pool).stalled_at is None
    assert state_of(pool).position == log.last_position()


def test_while_running_a_stalled_read_model_holds_up_no_other(pool: ConnectionPool, log: HandmadeLog) -> None:
    runner = Runner(log, pool, [Listing("broken", broken=True), Listing()], poll=0.05, retries=QUICK)
    with running(runner):
        eventually(lambda: state_of(pool, "broken").stalled_at is not None)
        last = log.publish("s", published(9))
        runner.wait_for(last, 10, names=["listing"])


def test_two_runners_side_by_side_apply_no_batch_twice(pool: ConnectionPool, log: HandmadeLog) -> None:
    runners = [Runner(log, pool, [Listing()], batch=1, poll=0.01) for _ in range(2)]
    with running(runners[0]), running(runners[1]):
        for chapter in range(10, 40):
            log.publish("s", published(chapter))
        runners[0].wait_for(log.last_position(), 20)
    assert seen(pool) == [recorded.position for recorded in log.events]


def test_waiting_for_a_position_nobody_reaches_times_out_and_says_how_far_the_read_model_is(
    pool: ConnectionPool, log: HandmadeLog
) -> None:
    runner = Runner(log, pool, [Listing()])
    runner.prepare()
    began = time.monotonic()
    with pytest.raises(ReadModelBehind, match="listing is at 0"):
        runner.wait_for(log.last_position(), 0.2)
    assert time.monotonic() - began < 5


def test_waiting_where_no_runner_has_ever_been_times_out_and_says_so(pool: ConnectionPool, log: HandmadeLog) -> None:
    with pytest.raises(ReadModelBehind, match="listing has never been built"):
        Runner(log, pool, [Listing()]).wait_for(log.last_position(), 0.05)


def test_waiting_for_a_burnt_position_waits_for_the_last_committed_one(pool: ConnectionPool, log: HandmadeLog) -> None:
    runner = Runner(log, pool, [Listing()])
    runner.catch_up()
    runner.wait_for(log.last_position() + 5, 0.2)
    assert state_of(pool).position == log.last_position()


def test_a_timeout_names_the_error_of_a_stalled_read_model(pool: ConnectionPool, log: HandmadeLog) -> None:
    runner = Runner(log, pool, [Listing(broken=True)], retries=QUICK)
    runner.catch_up()
    with pytest.raises(ReadModelBehind, match="stalled at 0: ValueError"):
        runner.wait_for(log.last_position(), 0.05)


def test_a_killed_listening_connection_is_replaced_and_a_publication_is_noticed_within_the_poll_interval(
    pool: ConnectionPool, log: HandmadeLog
) -> None:
    runner = Runner(log, pool, [Listing()], poll=0.3)
    with running(runner):
        runner.wait_for(log.last_position(), 10)
        eventually(lambda: kill_listener(pool) == 1)
        last = log.publish("s", published(7))
        began = time.monotonic()
        runner.wait_for(last, 10)
        assert time.monotonic() - began < 3
        eventually(lambda: runner.reconnects >= 1)


def kill_listener(pool: ConnectionPool) -> int:
    query = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE application_name = 'fabula-listen' AND datname = current_database()"
    )
    with pool.connection() as conn:
        row = conn.execute(query).fetchone()
    return row[0] if row else 0


def test_a_notification_wakes_the_runner_long_before_the_poll_interval_is_over(
    pool: ConnectionPool, log: HandmadeLog, postgres_dsn: str
) -> None:
    runner = Runner(log, pool, [Listing()], poll=60)
    with running(runner):
        runner.wait_for(log.last_position(), 10)
        last = log.publish("s", published(7))
        with psycopg.connect(postgres_dsn, autocommit=True) as conn:

            def notified_and_seen() -> bool:
                conn.execute(f"NOTIFY {CHANNEL}".encode())
                return state_of(pool).position == last

            eventually(notified_and_seen)


def unknown(shared: dict[str, object]) -> UnrecognisedEvent:
    return UnrecognisedEvent(**shared, chapter=Chapter(1), topic="fabula.from-the-future")  # type: ignore[arg-type]


def test_an_event_of_an_unknown_type_is_passed_over_and_counted(pool: ConnectionPool, log: HandmadeLog) -> None:
    strange = log.publish("s", unknown)
    known = log.publish("s", published(8))
    Runner(log, pool, [Listing()]).catch_up()
    assert strange not in seen(pool)
    assert known in seen(pool)
    assert state_of(pool).skipped == 1


def test_the_last_event_being_unknown_does_not_hold_anybody_up(pool: ConnectionPool, log: HandmadeLog) -> None:
    strange = log.publish("s", unknown)
    runner = Runner(log, pool, [Listing()])
    runner.catch_up()
    runner.wait_for(strange, 0.1)
    assert state_of(pool).position == strange


def test_a_listing_is_a_projection() -> None:
    projection: Projection = Listing()
    assert projection.name == "listing"


def test_what_a_read_model_prepares_is_prepared_before_its_row_is_locked(
    pool: ConnectionPool, log: HandmadeLog
) -> None:
    class Slow(Listing):
        prepared: ClassVar[list[bool]] = []

        def prepare(self, batch: Sequence[Recorded]) -> None:
            with pool.connection() as conn:
                locked = conn.execute("SELECT 1 FROM projections.read_models WHERE live FOR UPDATE SKIP LOCKED")
                self.prepared.append(locked.fetchone() is not None)

    runner = Runner(log, pool, [Slow()])
    runner.prepare()
    runner.catch_up()
    assert Slow.prepared
    assert all(Slow.prepared)
    assert seen(pool) == [recorded.position for recorded in log.events]
