"""The local Kafka broker: real processes, real kills."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

from services.local.errors import ServiceDidNotStart
from services.local.kafka import LocalKafka

pytestmark = pytest.mark.services


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[LocalKafka]:
    kafka = LocalKafka(tmp_path / "kafka")
    yield kafka
    kafka.wipe()


def _send(address: str, topic: str, message: bytes) -> None:
    admin = KafkaAdminClient(bootstrap_servers=address)
    admin.create_topics([NewTopic(topic, 1, 1)])
    admin.close()
    producer = KafkaProducer(bootstrap_servers=address, acks="all")
    producer.send(topic, message).get(timeout=30)
    producer.close()


def _first(address: str, topic: str) -> bytes:
    consumer = KafkaConsumer(bootstrap_servers=address, consumer_timeout_ms=20_000)
    partition = TopicPartition(topic, 0)
    consumer.assign([partition])
    consumer.seek(partition, 0)
    try:
        return bytes(next(iter(consumer)).value)
    finally:
        consumer.close()


def test_a_message_survives_the_brokers_kill(broker: LocalKafka) -> None:
    address = broker.start()
    _send(address, "kept", b"chapter 1")
    pid = broker.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert broker.start() == address
    assert _first(address, "kept") == b"chapter 1"


def test_a_second_start_reuses_the_running_broker_and_stop_ends_it(broker: LocalKafka, tmp_path: Path) -> None:
    address, pid = broker.start(), broker.status().pid
    again = LocalKafka(tmp_path / "kafka")
    assert (again.start(), again.status().pid) == (address, pid)
    again.stop()
    assert not broker.status().running


def test_a_broker_that_cannot_start_shows_the_end_of_its_log(broker: LocalKafka, tmp_path: Path) -> None:
    broker.start()
    broker.stop()
    metadata = tmp_path / "kafka" / "topics" / "meta.properties"
    metadata.write_text(metadata.read_text().replace("node.id=1", "node.id=2"))
    with pytest.raises(ServiceDidNotStart, match=r"it ended(.|\n)*Stored node id 2"):
        broker.start()


def test_the_sessions_broker_creates_no_topic_by_itself(kafka_broker: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=kafka_broker)
    try:
        assert "never-created" not in admin.list_topics()
        admin.describe_topics(["never-created"])
        assert "never-created" not in admin.list_topics()
    finally:
        admin.close()
