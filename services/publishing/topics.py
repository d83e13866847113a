"""The broker: where it is, and the topics, created before anybody uses them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError, TopicAlreadyExistsError

from events.errors import InvalidInput, Unavailable
from services.publishing.messages import DEFAULT_MAX_MESSAGE

CONNECT_MS: Final = 5_000


class BrokerUnavailable(Unavailable):
    """The broker did not answer, or refused."""

    title = "The broker did not answer"
    slug = "broker-unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """How the broker is used. `servers` is `host:port[,host:port…]`."""

    servers: str
    partitions: int = 4
    """How many partitions a topic gets when it is created (FABULA_KAFKA_PARTITIONS); an existing one keeps its own."""
    max_message: int = DEFAULT_MAX_MESSAGE
    """The longest message in bytes (FABULA_KAFKA_MAX_MESSAGE); a longer publication travels as a claim."""
    prefix: str = "fabula."
    """What the names of the topics and of the consumer group begin with (FABULA_KAFKA_PREFIX)."""

    @classmethod
    def from_env(cls, servers: str, environ: Mapping[str, str] | None = None) -> Broker:
        """Read what belongs to the broker from the environment. Raises `InvalidInput` naming the variable."""
        env = os.environ if environ is None else environ
        return cls(
            servers=servers,
            partitions=_whole(env, "FABULA_KAFKA_PARTITIONS", 4, 1, 10_000),
            max_message=_whole(env, "FABULA_KAFKA_MAX_MESSAGE", DEFAULT_MAX_MESSAGE, 2_000, 1_000_000_000),
            prefix=_prefix(env, "FABULA_KAFKA_PREFIX", "fabula."),
        )

    @property
    def chapters(self) -> str:
        """The topic of publications."""
        return f"{self.prefix}chapters"

    @property
    def dead_letters(self) -> str:
        """The topic of what could not be taken in."""
        return f"{self.prefix}dead-letters"

    @property
    def group(self) -> str:
        """The consumer group of the workers."""
        return f"{self.prefix}extraction"

    @property
    def bootstrap(self) -> list[str]:
        return self.servers.split(",")


def _whole(env: Mapping[str, str], variable: str, default: int, low: int, high: int) -> int:
    text = env.get(variable, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise InvalidInput(f"{variable} is {text!r}; set it to a whole number from {low} to {high}.")
    return int(text)


def _prefix(env: Mapping[str, str], variable: str, default: str) -> str:
    text = env.get(variable, "").strip()
    if not text:
        return default
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,100}", text):
        raise InvalidInput(
            f"{variable} is {text!r}; set it to at most 100 letters, digits, dots, hyphens, underscores."
        )
    return text


@contextmanager
def broker_errors(doing: str, broker: Broker) -> Iterator[None]:
    """Turn what the client raises into `BrokerUnavailable`."""
    try:
        yield
    except (KafkaError, OSError) as error:
        raise BrokerUnavailable(
            f"The broker at {broker.servers} did not answer while {doing} ({_reason(error)}). "
            "Check FABULA_KAFKA and that the broker runs."
        ) from error


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__


def ensure_topics(broker: Broker) -> None:
    """Create the topics unless they exist, and wait until they can be used. Any number of processes may do so at once.

    Raises `BrokerUnavailable`.
    """
    with broker_errors("creating topics", broker):
        admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap, bootstrap_timeout_ms=CONNECT_MS)
        try:
            for topic in (broker.chapters, broker.dead_letters):
                _create(admin, topic, broker.partitions)
            admin.wait_for_topics([broker.chapters, broker.dead_letters])
        finally:
            admin.close()


def _create(admin: KafkaAdminClient, topic: str, partitions: int) -> None:
    try:
        admin.create_topics({topic: {"num_partitions": partitions}})
    except TopicAlreadyExistsError:
        return
