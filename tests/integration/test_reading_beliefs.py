"""The history of a key from the recorded intervals equals the one folded anew at every position."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg_pool import ConnectionPool

from projections.entities.projection import Entities
from projections.runner import Runner
from projections.story_state.projection import StoryState
from services.reading import history as service
from services.reading.beliefs import Believed
from services.reading.session import STATE, Sessions
from tests.handmade import HandmadeLog, HandmadeRecord, owns

_numbers = itertools.count()
STEPS = st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=3), min_size=1, max_size=8)
RECORDS = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["mara", "tomas", None])), min_size=8, max_size=8)


@pytest.fixture(scope="module")
def pool(module_dsn: str) -> Iterator[ConnectionPool[Any]]:
    with ConnectionPool(module_dsn, min_size=1, max_size=4) as pool:
        yield pool


def told(pool: ConnectionPool[Any], log: HandmadeLog, records: list[HandmadeRecord], steps: list[list[int]]) -> str:
    """Assert, withdraw and reinstate the records of a new story, publication by publication."""
    story, live = f"s{next(_numbers)}", dict[int, bool]()
    log.events.clear()
    for step in steps:
        makers = []
        for number in dict.fromkeys(step):
            record = records[number]
            if number not in live:
                makers.append(record.asserted)
            else:
                makers.append(record.invalidated if live[number] else record.reinstated)
            live[number] = not live.get(number, False)
        log.publish(story, *makers)
    Runner(log, pool, [StoryState(), Entities()]).catch_up()
    return story


def shown(believed: list[Believed]) -> set[tuple[Any, ...]]:
    return {
        (
            b.value.key,
            b.valid_from,
            b.valid_to,
            b.recorded_from,
            b.recorded_to,
            b.support if b.recorded_to is None else (),
        )
        for b in believed
    }


def merged(believed: list[Believed]) -> set[tuple[Any, ...]]:
    """Without seams: what reads the same from one position to the next is one belief."""
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for *reads, low, high, support in sorted(shown(believed), key=lambda row: row[3]):
        before = found.pop((*reads, low), None)
        found[(*reads, high)] = (*reads, before[3] if before else low, high, support)
    return set(found.values())


@given(RECORDS, STEPS, st.integers(1, 5))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_recorded_intervals_tell_the_same_beliefs_as_folding_at_every_position(
    pool: ConnectionPool[Any], places: list[tuple[int, str | None]], steps: list[list[int]], at: int
) -> None:
    log = HandmadeLog(gap=1)
    sessions = Sessions(pool)
    start = _position(pool)
    log.last_position = lambda: log.events[-1].position if log.events else start  # type: ignore[method-assign]
    records = [owns(f"u{n}", chapter, who, start=n) for n, (chapter, who) in enumerate(places)]
    story = told(pool, log, records, steps)

    def compare(session: Any) -> None:
        moment = session.moment(story, at, None)
        keys = [key for key, _ in session.state.keys_of_functor(story, "owner", at, moment.believed)]
        folded = service.beliefs_of(session, moment, keys).history() if keys else []
        found = service._believed(session, moment, keys) if keys else []
        assert merged(found) == merged(folded)

    sessions.run(compare, STATE)


def _position(pool: ConnectionPool[Any]) -> int:
    try:
        with pool.connection() as conn:
            row = conn.execute("SELECT max(position) FROM projections.read_models WHERE live").fetchone()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return 0
    return (row[0] or 0) if row else 0
