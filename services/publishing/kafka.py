"""Publications on their way to the broker."""

from __future__ import annotations

import threading
from typing import Any, Final

from kafka import KafkaProducer

from events.chapters import Publication
from services.publishing.messages import Headers, encode, headers
from services.publishing.topics import CONNECT_MS, Broker, broker_errors, ensure_topics

DELIVERY_MS: Final = 15_000
"""After this long without the broker's word a message counts as not sent; sending it again is harmless."""


class KafkaTransport:
    """Hands publications to the broker, keyed by story so that a story's messages stay in one partition.

    The connection is made by the first delivery and made again after a failure. Safe to use from several threads.
    """

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._lock = threading.Lock()
        self._producer: KafkaProducer | None = None

    def deliver(self, publication: Publication) -> None:
        """Return once the broker has the publication on every replica it needs. Raises `BrokerUnavailable`."""
        self.send(
            self._broker.chapters,
            publication.story,
            encode(publication, self._broker.max_message),
            headers(publication),
        )

    def send(self, topic: str, key: str, value: bytes, sent_headers: Headers) -> None:
        """Send one message to any topic. Raises `BrokerUnavailable`."""
        with broker_errors(f"sending to {topic}", self._broker):
            producer = self._connected()
            try:
                sent: Any = producer.send(topic, value=value, key=key.encode(), headers=sent_headers)
                sent.get(timeout=DELIVERY_MS / 1000 + 5)
            except BaseException:
                # a producer that gave a message up may have broken its own sequence: the next delivery starts afresh
                self._disconnect(producer)
                raise

    def close(self) -> None:
        producer = self._producer
        if producer is not None:
            self._disconnect(producer)

    def _connected(self) -> KafkaProducer:
        with self._lock:
            if self._producer is None:
                ensure_topics(self._broker)
                self._producer = KafkaProducer(
                    bootstrap_servers=self._broker.bootstrap,
                    enable_idempotence=True,
                    acks="all",
                    max_request_size=self._broker.max_message + 200_000,
                    bootstrap_timeout_ms=CONNECT_MS,
                    max_block_ms=CONNECT_MS,
                    request_timeout_ms=CONNECT_MS,
                    delivery_timeout_ms=DELIVERY_MS,
                    metrics_enabled=False,
                )
            return self._producer

    def _disconnect(self, producer: KafkaProducer) -> None:
        with self._lock:
            if self._producer is producer:
                self._producer = None
        producer.close(timeout=1)
