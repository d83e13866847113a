"""The story state's tables against the definition of the fold, over real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg_pool import ConnectionPool

from events.domain_events import StoryEvent
from events.validity import Assertion, fold
from projections import progress, versions
from projections.runner import Runner
from projections.story_state.assertions import value_key
from projections.story_state.projection import StoryState
from tests.handmade import HandmadeLog, HandmadeRecord, literal, owns, published, retracted

Maker = Callable[[dict[str, Any]], StoryEvent]


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[ConnectionPool]:
    with ConnectionPool(postgres_dsn, min_size=1, max_size=6) as pool:
        yield pool


def rows(pool: ConnectionPool, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    with pool.connection() as conn, conn.transaction():
        progress.use_schema(conn, versions.live_schema(conn, "story_state"))
        return conn.execute(query.encode(), parameters).fetchall()


def intervals(pool: ConnectionPool, story: str, position: int) -> list[tuple[str, str, int, int | None]]:
    query = (
        "SELECT node_key, value_key, lower(valid), upper(valid) FROM intervals"
        " WHERE story = %s AND recorded @> %s::bigint ORDER BY node_key, lower(valid)"
    )
    return rows(pool, query, story, position)


def test_a_later_owner_ends_the_earlier_ones_interval(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    log.publish("s", published(1), owns("a", 1, "mara").asserted)
    last = log.publish("s", published(3), owns("b", 3, "tomas").asserted)
    Runner(log, pool, [StoryState()]).catch_up()
    assert [row[1:] for row in intervals(pool, "s", last)] == [("@person/mara", 1, 3), ("@person/tomas", 3, None)]


def test_an_edit_closes_and_opens_rows_and_the_old_belief_stays_readable(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    log.publish("s", published(1), owns("a", 1, "mara").asserted)
    believed = log.publish("s", published(3), owns("b", 3, "tomas").asserted)
    now = log.publish("s", published(3, 2), owns("b", 3, "tomas").invalidated)
    Runner(log, pool, [StoryState()]).catch_up()
    assert [row[1:] for row in intervals(pool, "s", believed)] == [("@person/mara", 1, 3), ("@person/tomas", 3, None)]
    assert [row[1:] for row in intervals(pool, "s", now)] == [("@person/mara", 1, None)]


def test_a_record_that_is_reinstated_has_two_periods_of_belief(pool: ConnectionPool) -> None:
    log = HandmadeLog(gap=3)
    record = owns("a", 1, "mara")
    asserted = log.publish("s", published(1), record.asserted)
    fallen = log.publish("s", record.invalidated)
    again = log.publish("s", record.reinstated)
    Runner(log, pool, [StoryState()]).catch_up()
    found = rows(pool, "SELECT lower(recorded), upper(recorded), live FROM records ORDER BY id")
    assert found == [(asserted, fallen, True), (fallen, again, False), (again, None, True)]


def test_a_statement_of_an_older_revision_that_arrives_late_changes_nothing_shown(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    newest = replace(owns("a", 1, "mara"), revision=2, start=40)
    log.publish("s", published(1, 2), newest.asserted)
    log.publish("s", published(1, 1, superseded=True), replace(newest, revision=1, start=7).carried)
    Runner(log, pool, [StoryState()]).catch_up()
    assert rows(pool, "SELECT body::json ->> 'revision', body::json #>> '{order,1}' FROM records") == [("2", "40")]
    assert rows(pool, "SELECT revision FROM chapters WHERE upper_inf(recorded)") == [(2,)]


def test_a_retracted_chapter_has_a_revision_without_text(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    log.publish("s", published(1))
    log.publish("s", retracted(1, 2))
    Runner(log, pool, [StoryState()]).catch_up()
    found = rows(pool, "SELECT revision, text_hash FROM chapters WHERE upper_inf(recorded)")
    assert found == [(2, None)]


def test_a_record_carried_unchanged_but_for_its_evidence_leaves_the_intervals_alone(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    log.publish("s", published(1), owns("a", 1, "mara").asserted)
    log.publish("s", published(1, 2), replace(owns("a", 1, "mara"), revision=2, start=90).carried)
    Runner(log, pool, [StoryState()]).catch_up()
    assert rows(pool, "SELECT count(*), bool_and(upper_inf(recorded)) FROM intervals") == [(1, True)]


# --- any history -----------------------------------------------------------------------------------------------

STEP = st.tuples(
    st.integers(0, 11),  # which record
    st.sampled_from(["flip", "carry"]),
    st.integers(0, 3),  # where its evidence starts from now on
)
HISTORY = st.tuples(
    st.lists(
        st.tuples(
            st.integers(1, 5), st.sampled_from(["key", "lamp"]), st.sampled_from(["mara", "tomas", "ilse", None])
        ),
        min_size=12,
        max_size=12,
    ),
    st.lists(st.lists(STEP, min_size=1, max_size=5), min_size=1, max_size=8),
    st.integers(1, 7),
)


@pytest.fixture(scope="module")
def shared_pool(module_dsn: str) -> Iterator[ConnectionPool]:
    with ConnectionPool(module_dsn, min_size=1, max_size=4) as pool:
        yield pool


class History:
    """Plays random steps on records and keeps what the state should be after each publication."""

    def __init__(self, log: HandmadeLog, story: str, records: list[HandmadeRecord]) -> None:
        self.log, self.story, self.records = log, story, records
        self.live: dict[str, bool] = {}
        self.expected: dict[int, list[tuple[str, str, int, int | None]]] = {}

    def play(self, steps: list[tuple[int, str, int]]) -> None:
        makers: list[Maker] = []
        for number, action, start in steps:
            record = self.records[number]
            if record.uid not in self.live:
                makers.append(record.asserted)
                self.live[record.uid] = True
            elif action == "carry":
                record = self.records[number] = replace(record, start=start, revision=record.revision + 1)
                makers.append(record.carried)
            else:
                makers.append(record.invalidated if self.live[record.uid] else record.reinstated)
                self.live[record.uid] = not self.live[record.uid]
        position = self.log.publish(self.story, *makers)
        self.expected[position] = self._folded()

    def _folded(self) -> list[tuple[str, str, int, int | None]]:
        assertions = [
            Assertion((r.chapter, 0, r.start, 0, r.uid), s.node_key, value_key(s.value), r.uid)
            for r in self.records
            if self.live.get(r.uid)
            for s in r.settings
        ]
        return [(i.key, i.value, i.valid_from, i.valid_to) for i in fold(assertions)]


_stories = iter(range(10**6))


@given(HISTORY)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_at_every_position_the_intervals_equal_the_fold_from_scratch(shared_pool: ConnectionPool, history: Any) -> None:
    places, publications, batch = history
    story = f"s{next(_stories)}"
    records = [owns(f"u{n}", chapter, who, thing=thing) for n, (chapter, thing, who) in enumerate(places)]
    log = HandmadeLog()
    with shared_pool.connection() as conn:
        progress.migrate(conn)
        start = versions.ensure(conn, StoryState()).position
    log.events, log.gap = [], 1
    played = History(log, story, records)
    log.last_position = lambda: log.events[-1].position if log.events else start  # type: ignore[method-assign]
    for steps in publications:
        played.play(steps)
    Runner(log, shared_pool, [StoryState()], batch=batch).catch_up()
    for position, expected in played.expected.items():
        assert intervals(shared_pool, story, position) == expected
    overlaps = rows(
        shared_pool,
        "SELECT a.id, b.id FROM intervals a JOIN intervals b USING (story, node_key)"
        " WHERE story = %s AND a.id < b.id AND a.valid && b.valid AND a.recorded && b.recorded",
        story,
    )
    assert overlaps == []


def test_a_literal_value_is_compared_without_case(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    first, second = owns("a", 1, None), owns("b", 2, None)
    setting = first.settings[0]
    first = replace(first, settings=(replace(setting, value=literal("Dead")),))
    second = replace(second, settings=(replace(setting, value=literal("dead")),))
    last = log.publish("s", first.asserted, second.asserted)
    Runner(log, pool, [StoryState()]).catch_up()
    assert [row[1:] for row in intervals(pool, "s", last)] == [("=dead", 1, None)]


def test_keys_remember_the_entities_they_ever_named(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    log.publish("s", owns("a", 1, "mara").asserted)
    Runner(log, pool, [StoryState()]).catch_up()
    assert rows(pool, "SELECT entity FROM key_entities ORDER BY 1") == [("person/mara",), ("thing/key",)]


def test_an_edit_in_a_long_story_touches_the_intervals_it_changes_and_no_others(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    for chapter in range(1, 301):
        log.publish("s", published(chapter), owns(f"u{chapter}", chapter, f"person {chapter}").asserted)
    edit = log.publish("s", published(150, 2), owns("u150", 150, "person 150").invalidated)
    Runner(log, pool, [StoryState()]).catch_up()
    opened = rows(pool, "SELECT lower(valid), upper(valid) FROM intervals WHERE lower(recorded) = %s", edit)
    closed = rows(pool, "SELECT lower(valid) FROM intervals WHERE upper(recorded) = %s ORDER BY 1", edit)
    assert opened == [(149, 151)]
    assert closed == [(149,), (150,)]
