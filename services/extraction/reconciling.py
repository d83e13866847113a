"""Reconciling: nothing that was published stays out because a client of the broker skipped it.

The committed offset is not trusted: measured under kills and rebalances, Faust skips a few messages in a thousand for good.
What was taken in is recorded beside the events (a multirange of offsets a partition). Whatever is missing there, and old
enough not to be on its way, is read again and taken in by the same idempotent handler. So is whatever the ledger has
registered and no message brought.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

import structlog
from kafka import KafkaConsumer, TopicPartition

from events.chapters import Publication
from events.ledger import Ledger
from events.publications import SourceOffset
from services.extraction.dead_letters import dead_letters
from services.extraction.metrics import IntakeMetrics
from services.publishing.topics import CONNECT_MS, Broker, broker_errors

MOST: Final = 500
"""How many messages one round hands over; what is left is for the next."""
MOST_PENDING: Final = 100
"""The same of the outbox, whose publications come with their records."""
_EMPTY_POLLS: Final = 3
_logger = structlog.get_logger(__name__)
Offsets = tuple[int, int]
"""Half open."""


class Sink(Protocol):
    """Where what was found goes; each returns False where it has to come again."""

    def message(self, raw: bytes | None, source: SourceOffset) -> bool: ...

    def pending(self, publication: Publication) -> bool: ...

    def holds(self, source: SourceOffset) -> bool:
        """Whether the offset is being taken in already."""
        ...


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What one round found: offsets that nobody had recorded, how many of them were handed over, and the same of the outbox."""

    missing: int
    handed_over: int
    pending: int


def gaps(recorded: Iterable[Offsets], begin: int, end: int) -> list[Offsets]:
    """What of [begin, end) is in none of the recorded ranges, in order."""
    found, at = [], begin
    for start, stop in sorted(recorded):
        if start > at:
            found.append((at, min(start, end)))
        at = max(at, stop)
        if at >= end:
            break
    if at < end:
        found.append((at, end))
    return [(a, b) for a, b in found if a < b]


class Reconciler:
    """Compares what the broker has with what is recorded. `grace` is how many seconds a message may be on its way."""

    def __init__(
        self,
        ledger: Ledger,
        broker: Broker,
        *,
        metrics: IntakeMetrics | None = None,
        grace: float = 15.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._ledger = ledger
        self._broker = broker
        self._metrics = metrics or IntakeMetrics()
        self._grace = grace
        self._clock = clock

    def round(self, sink: Sink, outbox_grace: float = 60.0) -> Reconciled:
        """Hand over what is missing, at most 500 messages. Raises `BrokerUnavailable`, after the outbox was looked at."""
        pending = sum(map(sink.pending, self._ledger.pending(timedelta(seconds=outbox_grace), MOST_PENDING)))
        missing = handed_over = 0
        with self._consumer() as consumer:
            for partition, gap in self._missing(consumer):
                missing += gap[1] - gap[0]
                if handed_over < MOST:
                    handed_over += self._read(consumer, partition, gap, sink, MOST - handed_over)
        if handed_over or pending:
            _logger.info("reconciled", missing=missing, handed_over=handed_over, from_outbox=pending)
        self._metrics.gaps.inc(handed_over)
        self._metrics.dead_letters.set(len(dead_letters(self._ledger)))
        return Reconciled(missing, handed_over, pending)

    @contextmanager
    def _consumer(self) -> Iterator[KafkaConsumer]:
        with broker_errors("reconciling", self._broker):
            consumer = KafkaConsumer(
                bootstrap_servers=self._broker.bootstrap,
                bootstrap_timeout_ms=CONNECT_MS,
                request_timeout_ms=CONNECT_MS,
                enable_auto_commit=False,
                group_id=None,
                auto_offset_reset="earliest",
                metrics_enabled=False,
            )
            try:
                yield consumer
            finally:
                consumer.close(timeout_ms=1_000)

    def _missing(self, consumer: KafkaConsumer) -> Iterator[tuple[int, Offsets]]:
        """The gaps of every partition, older than the grace."""
        topic = self._broker.chapters
        partitions = [TopicPartition(topic, p) for p in sorted(consumer.partitions_for_topic(topic) or ())]
        if not partitions:
            return
        consumer.assign(partitions)
        recorded = {each: self._ledger.recorded_offsets(topic, each.partition) for each in partitions}
        begins, ends = consumer.beginning_offsets(partitions), consumer.end_offsets(partitions)
        since = int((self._clock() - self._grace) * 1000)
        recent = consumer.offsets_for_times(dict.fromkeys(partitions, since))
        for each in partitions:
            newer = recent.get(each)
            end = ends[each] if newer is None or newer.offset < 0 else min(newer.offset, ends[each])
            if recorded[each] and recorded[each][-1][1] > ends[each]:
                # the topic was made anew since: what was recorded is about messages that are no more
                self._ledger.forget_offsets(topic, each.partition)
                recorded[each] = []
            for gap in gaps(recorded[each], begins[each], end):
                yield each.partition, gap

    def _read(self, consumer: KafkaConsumer, partition: int, gap: Offsets, sink: Sink, most: int) -> int:
        """Hand over the messages of one gap; returns how many."""
        topic = TopicPartition(self._broker.chapters, partition)
        consumer.assign([topic])
        consumer.seek(topic, gap[0])
        handed_over = idle = 0
        seen: set[int] = set()
        while idle < _EMPTY_POLLS and consumer.position(topic) < gap[1]:
            polled = consumer.poll(timeout_ms=1_000, max_records=100).get(topic, [])
            idle = 0 if polled else idle + 1
            for record in polled:
                if record.offset >= gap[1]:
                    break
                seen.add(record.offset)
                source = SourceOffset(topic.topic, partition, record.offset)
                if sink.holds(source):
                    continue
                if handed_over >= most:
                    return handed_over
                handed_over += sink.message(record.value, source)
        if consumer.position(topic) >= gap[1]:
            self._record_absent(partition, gap, seen)
        return handed_over

    def _record_absent(self, partition: int, gap: Offsets, seen: set[int]) -> None:
        """Offsets that the broker has no message for (compacted, or a transaction's marks) are nobody's to take in."""
        for offset in range(*gap):
            if offset not in seen:
                self._ledger.record_offset(SourceOffset(self._broker.chapters, partition, offset))
