"""Real worker processes for the fault tests, with real signals, and what they have left behind."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from events.domain_events import ChapterPublished
from events.ledger import Ledger
from services.extraction import dead_letters
from services.extraction.reconciling import gaps
from services.publishing.gateway import Publisher
from services.publishing.kafka import KafkaTransport
from services.publishing.topics import Broker, ensure_topics

ENTRY = """
import logging, sys
logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(name)s %(levelname)s %(message)s")
from services.extraction.worker import run_worker
from services.settings import Settings
run_worker(Settings.from_env())
"""


@dataclass
class Place:
    """A database, a broker with topics of this test's own, and the workers started on them."""

    dsn: str
    broker: Broker
    logs: Path
    ledger: Ledger
    publisher: Publisher
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def worker(self, **environ: str) -> subprocess.Popen[bytes]:
        """Start a worker process; `environ` goes on top of quick settings."""
        env = {
            **os.environ,
            "FABULA_KAFKA": self.broker.servers,
            "FABULA_POSTGRES": self.dsn,
            "FABULA_EXTRACTOR": "none",
            "FABULA_KAFKA_PREFIX": self.broker.prefix,
            "FABULA_RECONCILE_EVERY": "0.5",
            "FABULA_RECONCILE_GRACE": "2",
            "FABULA_OUTBOX_GRACE": "4",
            "FABULA_WORKER_SHUTDOWN": "3",
            # what a killed worker leaves behind goes with the test's own directory
            "TMPDIR": str(self.logs),
            **environ,
        }
        log = (self.logs / f"worker-{len(self.processes)}.log").open("wb")
        process = subprocess.Popen([sys.executable, "-c", ENTRY], env=env, stdout=log, stderr=log)
        log.close()
        self.processes.append(process)
        return process

    def publish(self, story: str, chapters: int | list[int], **more: object) -> None:
        for chapter in range(1, chapters + 1) if isinstance(chapters, int) else chapters:
            self.publisher.publish(story, chapter, f"Chapter {chapter} of {story}.", wait=False, **more)  # type: ignore[arg-type]

    def appended(self) -> Counter[tuple[str, int]]:
        """How often each (story, sequence) is in the log as a published chapter."""
        events = self.ledger.events_after(0, 1_000_000)
        return Counter((r.event.story, r.event.sequence) for r in events if isinstance(r.event, ChapterPublished))

    def unrecorded(self) -> int:
        """How many offsets of the chapters topic nothing has recorded."""
        consumer = KafkaConsumer(bootstrap_servers=self.broker.bootstrap, group_id=None)
        try:
            topic = self.broker.chapters
            partitions = [TopicPartition(topic, p) for p in consumer.partitions_for_topic(topic) or ()]
            begins, ends = consumer.beginning_offsets(partitions), consumer.end_offsets(partitions)
            return sum(
                b - a
                for each in partitions
                for a, b in gaps(self.ledger.recorded_offsets(topic, each.partition), begins[each], ends[each])
            )
        finally:
            consumer.close()

    def committed(self) -> dict[int, int]:
        """The workers' committed offset of each partition that has one."""
        consumer = KafkaConsumer(bootstrap_servers=self.broker.bootstrap, group_id=self.broker.group)
        try:
            topic = self.broker.chapters
            partitions = consumer.partitions_for_topic(topic) or ()
            found = {p: consumer.committed(TopicPartition(topic, p)) for p in partitions}
            return {p: offset for p, offset in found.items() if offset is not None}
        finally:
            consumer.close()

    def dead_letter_messages(self) -> list[dict[str, Any]]:
        """What is on the dead-letter topic."""
        consumer = KafkaConsumer(
            self.broker.dead_letters, bootstrap_servers=self.broker.bootstrap, group_id=None,
            auto_offset_reset="earliest", consumer_timeout_ms=2_000,
        )  # fmt: skip
        try:
            return [json.loads(record.value) for record in consumer]
        finally:
            consumer.close()

    def logged(self, words: str) -> int:
        """How many lines of all the workers' logs have these words."""
        lines = (
            line for log in self.logs.glob("worker-*.log") for line in log.read_text(errors="replace").splitlines()
        )
        return sum(words in line for line in lines)

    def send_raw(self, value: bytes | None, key: bytes = b"poison") -> None:
        producer = KafkaProducer(bootstrap_servers=self.broker.bootstrap)
        producer.send(self.broker.chapters, key=key, value=value).get(timeout=10)
        producer.close()

    def end(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait(10)
        self.publisher.close()
        self.ledger.close()


@contextmanager
def place(dsn: str, kafka: str, logs: Path, partitions: int = 4) -> Iterator[Place]:
    Ledger.migrate(dsn)
    dead_letters.migrate(dsn)
    broker = Broker(servers=kafka, partitions=partitions, prefix=f"t{secrets.token_hex(5)}.")
    ensure_topics(broker)
    ledger = Ledger(dsn)
    made = Place(dsn, broker, logs, ledger, Publisher(ledger, KafkaTransport(broker)))
    try:
        yield made
    finally:
        made.end()


def eventually(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until the condition holds; fail saying `what` did not come about."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come about within {seconds} s"
        time.sleep(0.1)


def settled(here: Place, expected: Mapping[str, int], seconds: float) -> None:
    """Wait until everything expected is in the log and accounted for; fail unless it is there exactly once."""
    wanted = exactly_once(expected)
    eventually(lambda: wanted.keys() <= here.appended().keys(), seconds, "every chapter in the log")
    eventually(lambda: here.unrecorded() == 0, 20, "every offset recorded")
    assert here.appended() == wanted


def exactly_once(expected: Mapping[str, int]) -> Counter[tuple[str, int]]:
    """What the log must hold: each story's publications 1..n, each once."""
    return Counter({(story, sequence): 1 for story, n in expected.items() for sequence in range(1, n + 1)})


def terminate(process: subprocess.Popen[bytes], seconds: float) -> float:
    """SIGTERM; returns how long it took to end, at most `seconds`."""
    start = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.wait(seconds)
    return time.monotonic() - start


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(10)
