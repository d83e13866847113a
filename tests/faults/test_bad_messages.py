"""Messages that nobody can read and chapters that nobody can take in: kept, reported, and in nobody's way."""

from __future__ import annotations

import base64

import orjson

from events.chapters import Publication, PublicationRequest
from services.extraction.dead_letters import dead_letters, discard, retry
from services.publishing.kafka import KafkaTransport
from tests.faults.workers import Place, eventually, settled


def _unregistered() -> bytes:
    return orjson.dumps(
        {
            "schema": "fabula.publication/1", "story": "nobody", "sequence": 9, "chapter": 1, "revision": 1,
            "action": "publish", "content_hash": "sha256:0", "language": "en", "published_at": "2026-01-01T00:00:00+00:00",
        }
    )  # fmt: skip


def test_messages_that_cannot_be_read_are_kept_with_their_bytes_and_hold_up_nobody(here: Place) -> None:
    poison = [b"{no json", None, b'{"schema": "other/1"}', b"\xff\x00", _unregistered()]
    for value in poison:
        here.send_raw(value)
        here.publish("a", [poison.index(value) + 1])
    here.worker(FABULA_RECONCILE_EVERY="3600")
    settled(here, {"a": 5}, 40)
    letters = dead_letters(here.ledger)
    assert [letter["kind"] for letter in letters] == ["message"] * 5
    sent = [m["raw"] and base64.b64decode(m["raw"]) for m in here.dead_letter_messages()]
    assert {b"{no json", None, b'{"schema": "other/1"}', b"\xff\x00"} <= set(sent)


def test_a_chapter_that_fails_for_good_is_one_dead_letter_and_the_rest_goes_on(here: Place) -> None:
    here.worker(FABULA_FAILPOINTS="extract=fail@a/2")
    here.publish("a", 4)
    here.publish("b", 2)
    eventually(lambda: len(dead_letters(here.ledger)) == 1, 60, "the dead letter")
    eventually(lambda: len(here.appended()) == 5 and here.unrecorded() == 0, 40, "everything else in the log")
    (letter,) = dead_letters(here.ledger)
    assert (letter["id"], letter["attempts"]) == ("a/2", 4)
    assert "a fault was asked for" in letter["error"]
    (sent,) = here.dead_letter_messages()
    assert (sent["publication"]["sequence"], sent["attempts"]) == (2, 4)


def _dead(here: Place) -> Publication:
    """Chapter 1 of `a` failed some time ago; chapter 2 did not."""
    request = PublicationRequest(story="a", chapter=1, action="publish", text="Chapter 1.")
    publication = here.ledger.register(request).publication
    here.ledger.fail(publication, "it failed", 4)
    here.publish("a", [2])
    return publication


def test_a_dead_letter_that_is_retried_after_the_cause_is_gone_is_taken_in(here: Place) -> None:
    _dead(here)
    here.worker()
    transport = KafkaTransport(here.broker)
    assert retry(here.ledger, transport, "a/1")["chapter"] == 1
    transport.close()
    settled(here, {"a": 2}, 40)


def test_a_discarded_dead_letter_stays_out_however_often_it_is_delivered(here: Place) -> None:
    publication = _dead(here)
    discard(here.ledger, "a/1")
    transport = KafkaTransport(here.broker)
    transport.deliver(publication)
    transport.deliver(publication)
    transport.close()
    here.worker()
    eventually(lambda: here.unrecorded() == 0, 40, "every offset recorded")
    assert sorted(here.appended()) == [("a", 2)]


def test_a_chapter_beyond_the_message_limit_is_claimed_from_the_ledger(here: Place) -> None:
    text = "The lamp burned. " * 90_000
    records = [
        {"id": f"e{n}", "kind": "fact", "subject": f"lamp {n}", "predicate": "is" + "x" * 200, "object": "lit",
         "evidence": [{"quote": "The lamp burned."}]}
        for n in range(2_500)
    ]  # fmt: skip
    here.worker()
    here.publisher.publish("a", 1, text, records=records, wait=False)
    settled(here, {"a": 1}, 90)
    row = here.ledger.publication("a", 1)
    assert row is not None
    assert row.events > 2_500


def test_what_was_registered_and_never_sent_is_taken_in(here: Place) -> None:
    here.ledger.register(PublicationRequest(story="a", chapter=1, action="publish", text="Nobody sent it."))
    here.worker(FABULA_OUTBOX_GRACE="0")
    settled(here, {"a": 1}, 40)
