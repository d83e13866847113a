"""Reconciling what the broker has with what is recorded: real broker, real ledger, no worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.chapters import PublicationRequest
from events.publications import SourceOffset
from services.extraction.dead_letters import DeadLetters, UnknownDeadLetter, dead_letters, discard, retry
from services.extraction.direct import reconcile_once
from services.extraction.extractors import NoExtractor
from services.extraction.handling import Handler
from services.extraction.reconciling import Reconciled, Reconciler
from services.publishing.messages import Poison
from services.publishing.transport import Embedded
from tests.faults.workers import Place, exactly_once, place


@pytest.fixture
def here(postgres_dsn: str, kafka_broker: str, tmp_path: Path) -> Iterator[Place]:
    with place(postgres_dsn, kafka_broker, tmp_path, partitions=2) as made:
        yield made


def reconciled(here: Place, grace: float = 0.0) -> Reconciled:
    handler = Handler(here.ledger, NoExtractor())
    return reconcile_once(here.ledger, handler, here.broker, DeadLetters(here.ledger), grace=grace)


def test_what_no_worker_took_in_is_taken_in_once(here: Place) -> None:
    here.publish("a", 3)
    here.publish("b", 2)
    reconciled(here)
    assert here.appended() == exactly_once({"a": 3, "b": 2})
    assert here.unrecorded() == 0


def test_a_round_with_nothing_missing_hands_nothing_over(here: Place) -> None:
    here.publish("a", 3)
    reconciled(here)
    assert reconciled(here) == Reconciled(0, 0, 0)


def test_only_what_is_missing_is_read_again(here: Place) -> None:
    here.publish("a", 5)
    reconciled(here)
    topic = here.broker.chapters
    with here.ledger.pool.connection() as connection:
        connection.execute("UPDATE ledger.source_offsets SET offsets = offsets - int8multirange(int8range(1, 3))")
    assert reconciled(here).handed_over == 2
    assert here.appended() == exactly_once({"a": 5})
    assert any(here.ledger.recorded_offsets(topic, p) == [(0, 5)] for p in range(2))


def test_what_may_still_be_on_its_way_is_left_alone(here: Place) -> None:
    here.publish("a", 3)
    assert reconciled(here, grace=60) == Reconciled(0, 0, 0)


def test_what_is_being_taken_in_is_not_handed_over(here: Place) -> None:
    class Busy:
        def message(self, raw: bytes | None, source: SourceOffset) -> bool:
            raise AssertionError("it is being taken in")

        def pending(self, publication: object) -> bool:
            return False

        def holds(self, source: SourceOffset) -> bool:
            return True

    here.publish("a", 3)
    assert Reconciler(here.ledger, here.broker, grace=0).round(Busy()) == Reconciled(3, 0, 0)
    assert here.unrecorded() == 3


def test_what_was_registered_and_never_sent_is_taken_in(here: Place) -> None:
    here.ledger.register(PublicationRequest(story="a", chapter=1, action="publish", text="Nobody sent it."))
    assert reconciled(here) == Reconciled(0, 0, 1)
    assert here.appended() == exactly_once({"a": 1})


def test_an_unreadable_message_is_kept_until_it_is_discarded(here: Place) -> None:
    here.send_raw(b"{no json")
    reconciled(here)
    (letter,) = dead_letters(here.ledger)
    assert (letter["kind"], letter["bytes"], here.unrecorded()) == ("message", 8, 0)
    with pytest.raises(Poison):
        retry(here.ledger, Embedded(Handler(here.ledger, NoExtractor())), letter["id"])
    discard(here.ledger, letter["id"])
    assert dead_letters(here.ledger) == []


def test_a_dead_letter_that_nobody_has_cannot_be_retried_or_discarded(here: Place) -> None:
    for letter in ("a/1", "topic/0/7", "nonsense"):
        with pytest.raises(UnknownDeadLetter):
            discard(here.ledger, letter)
        with pytest.raises(UnknownDeadLetter):
            retry(here.ledger, Embedded(Handler(here.ledger, NoExtractor())), letter)


def test_a_topic_that_was_made_anew_is_read_from_its_beginning(here: Place) -> None:
    for partition in (0, 1):
        here.ledger.record_offset(SourceOffset(here.broker.chapters, partition, 0))
        here.ledger.record_offset(SourceOffset(here.broker.chapters, partition, 5_000))
    here.publish("a", 3)
    reconciled(here)
    assert here.appended() == exactly_once({"a": 3})
    assert here.unrecorded() == 0
