"""Read models that follow the real ledger while several writers append."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from events.chapters import PublicationRequest
from events.domain_events import Recorded
from events.ledger import Ledger
from projections.entities.projection import Entities
from projections.projection import Conn
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from services.reading.reader import Reader
from tests.integration.test_projections_runner import Listing, eventually, running, seen, state_of

RECORD = {"id": "o1", "kind": "object_delta", "object": "lamp", "owner": "Ilse", "evidence": [{"start": 0, "end": 4}]}


@pytest.fixture
def ledger(postgres_dsn: str) -> Iterator[Ledger]:
    Ledger.migrate(postgres_dsn)
    with Ledger(postgres_dsn, pool_size=8) as ledger:
        yield ledger


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[ConnectionPool[Any]]:
    with ConnectionPool(postgres_dsn, min_size=1, max_size=10) as pool:
        yield pool


def append(ledger: Ledger, story: str, chapter: int) -> int:
    request = PublicationRequest(
        story=story, chapter=chapter, action="publish", text=f"Lamp {chapter}.", records=[RECORD]
    )
    publication = ledger.register(request).publication
    return ledger.append(publication, publication.records, "sidecar").position


def test_an_append_wakes_the_runner_long_before_the_poll_interval_is_over(
    ledger: Ledger, pool: ConnectionPool[Any]
) -> None:
    runner = Runner(ledger, pool, [Listing()], poll=60)
    with running(runner):
        eventually(lambda: listeners(pool) == 1)
        position = append(ledger, "s", 1)
        runner.wait_for(position, 20)
    assert position in seen(pool)


def listeners(pool: ConnectionPool[Any]) -> int:
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'fabula-listen'"
        " AND datname = current_database() AND query LIKE 'LISTEN%'"
    )
    with pool.connection() as conn:
        row = conn.execute(query.encode()).fetchone()
    return row[0] if row else 0


def test_a_runner_that_follows_several_writers_misses_no_event(ledger: Ledger, pool: ConnectionPool[Any]) -> None:
    runner = Runner(ledger, pool, [Listing()], batch=3, poll=0.01)

    def write(story: str) -> None:
        for chapter in range(1, 16):
            append(ledger, story, chapter)

    with running(runner):
        writers = [threading.Thread(target=write, args=(f"s{number}",)) for number in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        runner.wait_for(ledger.last_position(), 30)
    assert seen(pool) == [recorded.position for recorded in ledger.events_after(0, 10_000)]


class Slow(Entities):
    """Entities that are read on only when they may."""

    def __init__(self) -> None:
        self.may = threading.Event()

    def apply(self, conn: Conn, batch: Sequence[Recorded]) -> None:
        if not self.may.is_set():
            raise TimeoutError("not yet")
        super().apply(conn, batch)


def test_a_reply_fits_together_though_one_read_model_lags_behind(ledger: Ledger, pool: ConnectionPool[Any]) -> None:
    slow = Slow()
    slow.may.set()
    runner = Runner(ledger, pool, [StoryState(), Timeline(), slow])
    first = append(ledger, "s", 1)
    runner.catch_up()
    slow.may.clear()
    append(ledger, "s", 2)
    Runner(ledger, pool, [StoryState(), Timeline()]).catch_up()
    reader = Reader(pool)
    assert state_of(pool, "story_state").position > state_of(pool, "entities").position
    assert reader.state("s")["position"] == first
    slow.may.set()
    runner.catch_up()
    assert reader.state("s")["at"] == 2


def test_a_timeline_that_lags_behind_holds_up_no_state(ledger: Ledger, pool: ConnectionPool[Any]) -> None:
    append(ledger, "s", 1)
    Runner(ledger, pool, [StoryState(), Entities(), Timeline()]).catch_up()
    last = append(ledger, "s", 2)
    Runner(ledger, pool, [StoryState(), Entities()]).catch_up()
    reader = Reader(pool)
    assert reader.state("s")["position"] == last
    assert reader.timeline("s")["chapters"] == [1]
