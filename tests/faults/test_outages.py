"""Services that stall, fail, or go away for a while."""

from __future__ import annotations

import time
from pathlib import Path

import psycopg
import pytest

from services.local.kafka import LocalKafka
from services.publishing.errors import NotSentYet
from tests.faults.workers import Place, eventually, settled


def test_a_stalled_story_holds_up_no_other_and_its_offset_is_not_committed(here: Place) -> None:
    here.worker(FABULA_RECONCILE_EVERY="3600", FABULA_FAILPOINTS="extract=stall:25@slow")
    here.publish("slow", 1)
    eventually(lambda: here.logged("extracting") == 1, 40, "the stalled extraction")
    start = time.monotonic()
    others = {f"s{n}": 10 for n in range(4)}
    for story in others:
        here.publish(story, 10)
    eventually(lambda: len(here.appended()) == 40, 20, "the other stories")
    assert time.monotonic() - start < 20
    ((partition, offset),) = _offset_of(here, "slow")
    assert here.committed().get(partition, 0) <= offset
    settled(here, {**others, "slow": 1}, 40)
    assert here.logged("Heartbeat failed") == 0


def _offset_of(here: Place, story: str) -> list[tuple[int, int]]:
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(
        here.broker.chapters, bootstrap_servers=here.broker.bootstrap, auto_offset_reset="earliest",
        consumer_timeout_ms=2_000,
    )  # fmt: skip
    try:
        return [(record.partition, record.offset) for record in consumer if record.key == story.encode()]
    finally:
        consumer.close()


def test_an_extractor_that_does_not_answer_for_a_while_costs_no_chapter(here: Place) -> None:
    here.worker(FABULA_FAILPOINTS="extract=unavailable@a#3")
    here.publish("a", 3)
    settled(here, {"a": 3}, 40)


def test_a_broker_that_is_away_for_some_seconds_costs_no_chapter(
    here: Place, services_directory: Path, kafka_broker: str
) -> None:
    here.worker()
    here.publish("a", 5)
    settled(here, {"a": 5}, 40)
    broker = LocalKafka(services_directory / "kafka")
    broker.stop()
    with pytest.raises(NotSentYet, match="is kept"):
        here.publish("a", [6])
    time.sleep(2)
    assert broker.start() == kafka_broker
    here.publish("a", [7])
    settled(here, {"a": 7}, 60)


def test_a_database_that_ends_every_connection_costs_no_chapter(here: Place) -> None:
    here.worker()
    stories = {f"s{n}": 20 for n in range(3)}
    for story in stories:
        here.publish(story, 10)
    _end_connections(here.dsn)
    for story in stories:
        for chapter in range(11, 21):
            _insist(here, story, chapter)
    settled(here, stories, 60)


def _end_connections(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def _insist(here: Place, story: str, chapter: int) -> None:
    """Publish, again if this test's own connections were among those that ended."""
    for _ in range(10):
        try:
            return here.publish(story, [chapter])
        except psycopg.OperationalError:
            time.sleep(0.2)
    raise AssertionError("the ledger did not come back")
