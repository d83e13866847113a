"""Reading a text anew as a publication: what it appends, what it leaves alone, and that nothing is written to look at it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from events.chapters import REEXTRACTION, Publication, PublicationRequest, Reextraction
from events.domain_events import ChapterPublished, RecordAsserted, RecordCarried, RecordInvalidated, RecordStated
from events.errors import Conflict
from events.ledger import Ledger
from events.sidecar import validate
from events.upcasting import upcast
from events.wire import decode, encode
from tests.properties.histories import known
from tests.stories import owns

TEXT = "Mara Voss shut the door. The brass key lay warm in Mara's palm."
STAMP = {"extractor": "claude", "model": "m", "prompt": "extract-2", "prompt_digest": "d", "text": "sha256:0"}


@pytest.fixture
def ledger(postgres_dsn: str) -> Iterator[Ledger]:
    Ledger.migrate(postgres_dsn)
    with Ledger(postgres_dsn) as ledger:
        yield ledger


def records(*owners: str) -> list[dict[str, Any]]:
    return validate(
        [{"id": f"r{n}", "evidence": [{"quote": "the door"}], **owns(who)} for n, who in enumerate(owners)], chapter=1
    )


def published(ledger: Ledger, chapter: int, text: str = TEXT, story: str = "lantern") -> Publication:
    return ledger.register(PublicationRequest(story=story, chapter=chapter, action="publish", text=text)).publication


def reread(ledger: Ledger, of: Publication, *owners: str) -> Publication:
    told = Reextraction(of=of.sequence, extractor="claude/m", provenance={"r0": STAMP})
    request = PublicationRequest(
        story=of.story, chapter=of.chapter, action="publish", text=TEXT, records=records(*owners),
        decision={REEXTRACTION: told.to_json()},
    )  # fmt: skip
    return ledger.register(request).publication


def test_reading_anew_supersedes_the_records_of_the_same_text_with_a_cause_of_its_own(ledger: Ledger) -> None:
    first = published(ledger, 1)
    ledger.append(first, records("Mara"), "offline")
    again = reread(ledger, first, "Tomas")
    ledger.append(again, again.records, "claude/m", provenance={"r0": STAMP})
    events = [r.event for r in ledger.story_events("lantern")][2:]
    assert [type(e) for e in events] == [ChapterPublished, RecordInvalidated, RecordAsserted]
    assert isinstance(events[0], ChapterPublished)
    assert (events[0].rereads, events[0].text_hash) == (first.sequence, first.text_hash)
    assert isinstance(events[1], RecordInvalidated)
    assert events[1].reason == "superseded_extraction"
    assert isinstance(events[2], RecordAsserted)
    assert events[2].provenance == STAMP


def test_what_read_a_record_is_no_part_of_its_content(ledger: Ledger) -> None:
    first = published(ledger, 1)
    ledger.append(first, records("Mara"), "offline", provenance={"r0": {"extractor": "offline"}})
    again = reread(ledger, first, "Mara")
    ledger.append(again, again.records, "claude/m", provenance={"r0": STAMP})
    stated = [r.event for r in ledger.story_events("lantern") if isinstance(r.event, RecordStated)]
    assert [type(e) for e in stated] == [RecordAsserted, RecordCarried]
    assert stated[0].content == stated[1].content
    assert [e.provenance for e in stated] == [{"extractor": "offline"}, STAMP]


def test_publishing_the_text_again_after_it_was_read_anew_is_unchanged(ledger: Ledger) -> None:
    first = published(ledger, 1)
    ledger.append(first, records("Mara"), "offline")
    again = reread(ledger, first, "Tomas")
    ledger.append(again, again.records, "claude/m")
    told = ledger.register(PublicationRequest(story="lantern", chapter=1, action="publish", text=TEXT))
    assert (told.unchanged, told.publication.sequence) == (True, again.sequence)


def test_reading_anew_never_brings_an_older_text_back(ledger: Ledger) -> None:
    first = published(ledger, 1)
    ledger.append(first, records("Mara"), "offline")
    edit = published(ledger, 1, TEXT + " It rained.")
    ledger.append(edit, records("Mara"), "offline")
    with pytest.raises(Conflict, match="meanwhile"):
        reread(ledger, first, "Tomas")


def test_in_whatever_order_the_publications_arrive_the_state_is_the_same(ledger: Ledger) -> None:
    for n, order in enumerate(itertools.permutations(range(3))):
        story = f"lantern{n}"
        first, second = published(ledger, 1, story=story), published(ledger, 2, story=story)
        _set_all(ledger, "appended")  # only what is in is read anew; here its own message is later than the other's
        again = reread(ledger, first, "Tomas")
        _set_all(ledger, "accepted")
        arriving = [(first, records("Mara")), (second, records("Ilse")), (again, again.records)]
        for at in order:
            ledger.append(*arriving[at], "x")
        live = [(e.chapter, e.payload["owner"]) for e in ledger.index_of(story).live_entries()]
        assert live == [(1, "Tomas"), (2, "Ilse")], order
        with ledger.index(story) as kept:
            assert known(kept) == known(ledger.index_of(story))


def _set_all(ledger: Ledger, status: str) -> None:
    with ledger.pool.connection() as conn:
        conn.execute("UPDATE ledger.publications SET status = %s", (status,))


def test_a_rehearsal_tells_keys_and_values_and_writes_nothing(ledger: Ledger) -> None:
    first, second = published(ledger, 1), published(ledger, 2)
    ledger.append(first, records("Mara"), "offline")
    ledger.append(second, [], "offline")
    before = ledger.last_position()
    planned = Publication(**{
        **{f: getattr(first, f) for f in first.__dataclass_fields__}, "sequence": 3, "revision": 2,
    })  # fmt: skip
    rehearsal = ledger.rehearse("lantern", [(planned, records("Tomas"))])
    assert rehearsal.changed() == {1: [("owner(brass key)", "Mara", "Tomas")]}
    assert ledger.last_position() == before
    assert [e.payload["owner"] for e in ledger.index_of("lantern").live_entries()] == ["Mara"]
    ledger.append(published(ledger, 3), records("Ilse"), "offline")
    assert known(ledger.index_of("lantern"))


def test_events_of_before_there_was_a_provenance_are_read(ledger: Ledger) -> None:
    first = published(ledger, 1)
    ledger.append(first, records("Mara"), "offline")
    chapter, record = (r.event for r in ledger.story_events("lantern"))
    for event, version, gone in ((chapter, 1, b'"rereads":null,'), (record, 2, b'"provenance":null,')):
        new = encode(event)
        assert gone in new
        old = new.replace(gone, b"").replace(b'"v":%d' % event.VERSION, b'"v":%d' % version)
        assert decode(event.story, event.version, event.TOPIC, old) == event
    assert upcast("fabula.record-carried", 2, {"a": 1}, 3) == {"a": 1, "provenance": None}


def test_why_a_publication_waits_is_kept_until_it_is_in(ledger: Ledger) -> None:
    first = published(ledger, 1)
    ledger.wait(first, "the service is busy", "claude-unavailable")
    row = ledger.publication("lantern", 1)
    assert row is not None
    assert (row.status, row.error, row.waits_for, row.attempts) == (
        "accepted", "the service is busy", "claude-unavailable", 1,
    )  # fmt: skip
    ledger.append(first, records("Mara"), "offline")
    ledger.wait(first, "too late", "claude-unavailable")
    row = ledger.publication("lantern", 1)
    assert row is not None
    assert (row.status, row.error, row.waits_for) == ("appended", None, None)
