"""Publishing through the gate, into a real ledger."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from events.chapters import Publication
from events.domain_events import CheckpointNamed, EntityLinkEvent
from events.errors import (
    Conflict,
    InvalidChapter,
    InvalidRecords,
    Unavailable,
    UnknownChapter,
    UnknownEntity,
    UnknownStory,
)
from events.ledger import Ledger
from services.extraction.extractors import NoExtractor
from services.extraction.handling import Handler
from services.publishing.errors import NotSentYet, NotTakenInYet, PublicationDead
from services.publishing.gateway import Publisher
from services.publishing.transport import Embedded


class Waiter:
    """Notes the positions that the read models were waited for."""

    def __init__(self) -> None:
        self.positions: list[int] = []

    def __call__(self, position: int) -> None:
        self.positions.append(position)


class Unreachable:
    """A broker that is away."""

    def deliver(self, publication: Publication) -> None:
        raise Unavailable("nobody answers.")

    def close(self) -> None: ...


class Swallowing:
    """A broker behind which no worker runs."""

    def deliver(self, publication: Publication) -> None: ...

    def close(self) -> None: ...


class Counting(NoExtractor):
    """An extractor that counts its readings, and fails as often as it is told."""

    def __init__(self, fails: int = 0) -> None:
        self.read = 0
        self._fails = fails

    def extract(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]:
        self.read += 1
        if self.read <= self._fails:
            raise KeyError("broken")
        return []


@pytest.fixture
def ledger(postgres_dsn: str) -> Iterator[Ledger]:
    Ledger.migrate(postgres_dsn)
    with Ledger(postgres_dsn) as opened:
        yield opened


@pytest.fixture
def waiter() -> Waiter:
    return Waiter()


def embedded(ledger: Ledger, extractor: NoExtractor, waiter: Waiter) -> Publisher:
    return Publisher(ledger, Embedded(Handler(ledger, extractor, sleep=lambda _: None)), waiter)


@pytest.fixture
def publisher(ledger: Ledger, waiter: Waiter) -> Publisher:
    return embedded(ledger, NoExtractor(), waiter)


def entity(local: str, name: str, *aliases: str, kind: str = "character") -> dict[str, Any]:
    return {
        "id": local, "kind": "entity", "type": kind, "name": name, "aliases": list(aliases),
        "evidence": [{"quote": name}],
    }  # fmt: skip


def test_the_reply_says_where_the_chapter_stands(publisher: Publisher, waiter: Waiter) -> None:
    reply = publisher.publish("lantern", 1, "Mara shut the door.", records=[entity("e1", "Mara")])
    position = reply.pop("position")
    assert reply == {
        "story": "lantern", "chapter": 1, "revision": 1, "unchanged": False, "rejected": [], "warnings": [],
    }  # fmt: skip
    assert waiter.positions == [position]


def test_an_edit_is_the_next_revision(publisher: Publisher) -> None:
    publisher.publish("lantern", 1, "One.", records=[])
    assert publisher.publish("lantern", 1, "Two.", records=[])["revision"] == 2


def test_identical_content_changes_nothing_and_says_so(publisher: Publisher, ledger: Ledger) -> None:
    first = publisher.publish("lantern", 1, "One.", records=[])
    before = ledger.last_position()
    again = publisher.publish("lantern", 1, "One.", records=[])
    assert (again["unchanged"], again["position"], again["revision"]) == (True, first["position"], 1)
    assert ledger.last_position() == before


def test_identical_content_is_not_extracted_again(ledger: Ledger, waiter: Waiter) -> None:
    extractor = Counting()
    publisher = embedded(ledger, extractor, waiter)
    publisher.publish("lantern", 1, "One.")
    publisher.publish("lantern", 1, "One.")
    assert extractor.read == 1


def test_a_record_without_ground_is_rejected_with_its_reason(publisher: Publisher) -> None:
    reply = publisher.publish("lantern", 1, "Nobody came.", records=[entity("e1", "Mara")])
    assert [each["record"] for each in reply["rejected"]] == ["e1"]


def test_a_text_of_white_space_is_taken_with_no_reading(ledger: Ledger, waiter: Waiter) -> None:
    extractor = Counting()
    assert embedded(ledger, extractor, waiter).publish("lantern", 1, " \n\t ")["revision"] == 1
    assert extractor.read == 0


@pytest.mark.parametrize(
    ("chapter", "text", "records", "error"),
    [
        (0, "x", None, InvalidChapter),
        (1, "", None, InvalidChapter),
        (1, "x", [{"id": "a"}], InvalidRecords),
        (1, "x", [{"id": "a", "kind": "identity", "a": "x", "b": "X", "evidence": [{"quote": "x"}]}], InvalidRecords),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_written(
    publisher: Publisher, ledger: Ledger, chapter: int, text: str, records: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        publisher.publish("lantern", chapter, text, records=records)
    assert ledger.pending(timedelta(seconds=-60)) == []
    assert ledger.last_position() == 0


def test_a_publication_that_the_broker_does_not_take_is_kept_and_sent_later(
    ledger: Ledger, publisher: Publisher
) -> None:
    with pytest.raises(NotSentYet, match=r"lantern/1.*is kept"):
        Publisher(ledger, Unreachable()).publish("lantern", 1, "One.", records=[])
    assert publisher.resend_pending() == 1
    assert publisher.publish("lantern", 1, "One.", records=[])["unchanged"]


def test_what_is_kept_says_why_and_that_nothing_is_to_be_done_again(ledger: Ledger) -> None:
    with pytest.raises(NotSentYet) as kept:
        Publisher(ledger, Unreachable()).publish("lantern", 1, "One.", records=[])
    said = str(kept.value)
    assert "; there is no need to publish it again." in said
    assert "publish the same" not in said
    assert ".." not in said


def test_publishing_again_what_was_kept_sends_it(ledger: Ledger, publisher: Publisher) -> None:
    with pytest.raises(NotSentYet):
        Publisher(ledger, Unreachable()).publish("lantern", 1, "One.", records=[])
    assert publisher.publish("lantern", 1, "One.", records=[])["position"] == ledger.last_position()


def test_without_waiting_the_reply_is_pending(ledger: Ledger) -> None:
    reply = Publisher(ledger, Swallowing()).publish("lantern", 1, "One.", wait=False)
    assert (reply["position"], reply["pending"]) == (None, True)


def test_waiting_for_a_worker_that_does_not_run_ends(ledger: Ledger) -> None:
    with pytest.raises(NotTakenInYet, match="fabula worker"):
        Publisher(ledger, Swallowing(), outcome_seconds=0.05).publish("lantern", 1, "One.")


def test_a_chapter_that_cannot_be_taken_in_is_dead_and_says_why(ledger: Ledger, waiter: Waiter) -> None:
    with pytest.raises(PublicationDead, match="broken"):
        embedded(ledger, Counting(fails=3), waiter).publish("lantern", 1, "One.")
    assert [row.publication.chapter for row in ledger.dead()] == [1]


def test_a_passing_failure_costs_nothing(ledger: Ledger, waiter: Waiter) -> None:
    assert embedded(ledger, Counting(fails=2), waiter).publish("lantern", 1, "One.")["position"]


def test_publishing_a_dead_chapter_again_tries_it_anew(ledger: Ledger, waiter: Waiter) -> None:
    publisher = embedded(ledger, Counting(fails=3), waiter)
    with pytest.raises(PublicationDead):
        publisher.publish("lantern", 1, "One.")
    assert not publisher.publish("lantern", 1, "One.")["unchanged"]


def test_retracting_withdraws_a_chapter_once(publisher: Publisher) -> None:
    publisher.publish("lantern", 1, "One.", records=[])
    assert not publisher.retract("lantern", 1)["unchanged"]
    assert publisher.retract("lantern", 1)["unchanged"]


def test_only_what_was_published_can_be_retracted(publisher: Publisher) -> None:
    with pytest.raises(UnknownStory):
        publisher.retract("lantern", 1)
    publisher.publish("lantern", 1, "One.", records=[])
    with pytest.raises(UnknownChapter):
        publisher.retract("lantern", 2)


def test_a_checkpoint_is_named_at_the_last_chapter_unless_said_otherwise(publisher: Publisher, ledger: Ledger) -> None:
    publisher.publish("lantern", 3, "Three.", records=[])
    publisher.checkpoint("lantern", "teaser")
    publisher.checkpoint("lantern", "early", 1)
    events = [recorded.event for recorded in ledger.events_after(0, 100)]
    named = {event.name: event.at for event in events if isinstance(event, CheckpointNamed)}
    assert named == {"teaser": 3, "early": 1}


def test_a_checkpoint_named_again_for_the_same_place_changes_nothing(publisher: Publisher, ledger: Ledger) -> None:
    publisher.publish("lantern", 1, "Mara held the key.", records=[])
    publisher.publish("lantern", 2, "Mara slept.", records=[])
    told = [publisher.checkpoint("lantern", "the end", at) for at in (2, 2, 1, 1, 2)]
    assert [reply["unchanged"] for reply in told] == [False, True, False, True, False]
    assert told[1]["position"] == told[0]["position"]
    named = [r.event.at for r in ledger.events_after(0, 100) if isinstance(r.event, CheckpointNamed)]
    assert named == [2, 1, 2]


def test_a_checkpoint_needs_a_story(publisher: Publisher) -> None:
    with pytest.raises(UnknownStory):
        publisher.checkpoint("lantern", "teaser")


def people(publisher: Publisher) -> None:
    text = "Mara met Voss at Mara Hill."
    records = [entity("e1", "Mara"), entity("e2", "Voss"), entity("e3", "Mara Hill", kind="location")]
    publisher.publish("lantern", 1, text, records=records)


def links(ledger: Ledger) -> list[tuple[str, str, str]]:
    events = [recorded.event for recorded in ledger.events_after(0, 1_000)]
    return [(type(e).__name__, e.a, e.b) for e in events if isinstance(e, EntityLinkEvent)]


def test_an_editor_merges_two_names_and_splits_them_again(publisher: Publisher, ledger: Ledger) -> None:
    people(publisher)
    publisher.merge("lantern", "Mara", "Voss")
    publisher.split("lantern", "Voss", "Mara")
    assert links(ledger) == [
        ("EntityLinked", "person/voss", "person/mara"),
        ("EntityUnlinked", "person/voss", "person/mara"),
    ]


def test_what_is_one_already_cannot_be_merged(publisher: Publisher) -> None:
    people(publisher)
    publisher.merge("lantern", "Mara", "Voss")
    with pytest.raises(Conflict, match="one already"):
        publisher.merge("lantern", "Voss", "Mara")


def test_a_person_and_a_place_cannot_be_merged(publisher: Publisher) -> None:
    people(publisher)
    with pytest.raises(Conflict, match="one class"):
        publisher.merge("lantern", "Mara", "Mara Hill")


def test_a_name_that_nobody_goes_by_cannot_be_merged(publisher: Publisher) -> None:
    people(publisher)
    with pytest.raises(UnknownEntity, match="Nobody"):
        publisher.merge("lantern", "Mara", "Odran")


def test_only_a_name_of_the_entity_can_be_split_from_it(publisher: Publisher) -> None:
    people(publisher)
    with pytest.raises(Conflict, match="no name of"):
        publisher.split("lantern", "Voss", "Mara")
