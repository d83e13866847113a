"""The ledger on a real PostgreSQL: what is taken in once stays taken in once, whoever writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent

from events.chapters import Publication, PublicationRequest
from events.domain_events import ChapterPublished, RecordAsserted, RecordInvalidated, UnrecognisedEvent
from events.errors import LogUnavailable, UnknownStory
from events.ledger import Ledger
from events.publications import SourceOffset
from events.sidecar import validate
from events.story_index import StoryIndex
from tests.properties.histories import known
from tests.stories import owns

TEXT = "Mara Voss shut the door. The brass key lay warm in Mara's palm."


@pytest.fixture
def dsn(postgres_dsn: str) -> str:
    Ledger.migrate(postgres_dsn)
    return postgres_dsn


@pytest.fixture
def ledger(dsn: str) -> Iterator[Ledger]:
    with Ledger(dsn) as ledger:
        yield ledger


def registered(ledger: Ledger, chapter: int, *records: dict[str, Any], text: str = TEXT) -> Publication:
    named = [{"id": f"r{n}", "evidence": [{"quote": "the door"}], **r} for n, r in enumerate(records)]
    request = PublicationRequest(
        story="lantern", chapter=chapter, action="publish", text=text, records=validate(named, chapter=chapter)
    )
    return ledger.register(request).publication


def test_migrating_twice_at_once_does_no_harm(postgres_dsn: str) -> None:
    threads = [threading.Thread(target=Ledger.migrate, args=(postgres_dsn,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Ledger(postgres_dsn) as ledger:
        assert ledger.last_position() == 0


def test_a_publication_delivered_again_appends_nothing(ledger: Ledger) -> None:
    publication = registered(ledger, 1, owns("Mara"))
    first = ledger.append(publication, publication.records, "sidecar", SourceOffset("chapters", 0, 7))
    again = ledger.append(publication, publication.records, "sidecar", SourceOffset("chapters", 0, 8))
    assert again.unchanged
    assert again.position == first.position == ledger.last_position()
    assert ledger.recorded_offsets("chapters", 0) == [(7, 9)]


def test_identical_content_gets_no_number_of_its_own(ledger: Ledger) -> None:
    publication = registered(ledger, 1, owns("Mara"))
    assert registered(ledger, 1, owns("Mara")) == publication
    assert registered(ledger, 1, owns("Tomas")).revision == 2


def test_writers_that_meet_take_everything_in_once(dsn: str, ledger: Ledger) -> None:
    numbered = [registered(ledger, chapter, owns(f"owner {chapter}")) for chapter in range(1, 21)]
    with Ledger(dsn) as other:

        def work(writer: Ledger) -> None:
            for publication in numbered:
                writer.append(publication, publication.records, "sidecar")

        threads = [threading.Thread(target=work, args=(w,)) for w in (ledger, other, ledger)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events = [r.event for r in ledger.story_events("lantern")]
    assert [e.version for e in events] == list(range(1, len(events) + 1))
    assert sorted(e.sequence for e in events if isinstance(e, ChapterPublished)) == list(range(1, 21))
    assert sum(isinstance(e, RecordAsserted) for e in events) == 20


def test_a_ledger_started_anew_knows_what_the_old_one_knew(dsn: str, ledger: Ledger) -> None:
    for chapter, owner in ((2, "Tomas"), (1, "Mara"), (2, "Ilse")):
        requires = [{"key": "owner(brass key)", "value": "Mara"}]
        publication = registered(ledger, chapter, owns(owner, requires=requires if chapter == 2 else []))
        ledger.append(publication, publication.records, "sidecar")
    with ledger.index("lantern") as kept, Ledger(dsn) as fresh:
        assert known(fresh.index_of("lantern")) == known(kept)
        assert fresh.index_of("lantern").version == kept.version


def test_a_record_without_ground_in_the_text_is_rejected_with_its_reason(ledger: Ledger) -> None:
    bad = {**owns("Mara"), "evidence": [{"quote": "Mara swallowed the key"}], "id": "bad"}
    publication = registered(ledger, 1, owns("Mara"), bad)
    outcome = ledger.append(publication, publication.records, "sidecar")
    assert [r["record"] for r in outcome.rejected] == ["bad"]
    assert "not in the text" in outcome.rejected[0]["reason"]
    assert outcome.appended_events == 2


def test_the_causes_of_a_cascade_lead_back_to_the_edit(ledger: Ledger) -> None:
    for chapter, record in (
        (1, owns("Mara")),
        (2, owns("Tomas", depends_on=["1:r0"])),
        (3, owns("Ilse", depends_on=["2:r0"])),
    ):
        publication = registered(ledger, chapter, record)
        ledger.append(publication, publication.records, "sidecar")
    edit = registered(ledger, 1, text="Nothing happened by the door.")
    ledger.append(edit, edit.records, "sidecar")
    events = {r.event.id: r.event for r in ledger.story_events("lantern")}
    fallen = [e for e in events.values() if isinstance(e, RecordInvalidated)]
    assert [e.record for e in fallen] == ["1:r0", "2:r0", "3:r0"]
    assert {e.correlation for e in fallen} == {edit.id}
    causes = []
    cause = fallen[-1].caused_by
    while cause is not None:
        causes.append(events[cause])
        cause = events[cause].caused_by
    assert causes[:2] == [fallen[1], fallen[0]]
    assert isinstance(causes[2], ChapterPublished)


def test_a_variable_of_the_process_cannot_switch_off_the_lock_of_the_log(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTGRES_ENABLE_DB_FUNCTIONS", "yes")
    monkeypatch.setenv("STORED_POSTGRES_ENABLE_DB_FUNCTIONS", "yes")
    with Ledger(dsn) as ledger:
        assert ledger._log.recorder.datastore.enable_db_functions is False


def test_an_event_of_an_old_version_is_read_as_todays(dsn: str, ledger: Ledger) -> None:
    publication = registered(ledger, 1, owns("Mara"))
    ledger.append(publication, publication.records, "sidecar")
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(
            "UPDATE ledger.stored_events SET state = convert_to(jsonb_set(jsonb_set(jsonb_set("
            "convert_from(state, 'UTF8')::jsonb, '{v}', '1'), '{evidence}', '[{\"start\": 15, \"end\": 23}]'), "
            "'{order}', '[15, 0]')::text, 'UTF8') WHERE topic = 'fabula.record-asserted'"
        )
        before = conn.execute("SELECT state FROM ledger.stored_events ORDER BY 1").fetchall()
        event = next(r.event for r in ledger.story_events("lantern") if isinstance(r.event, RecordAsserted))
        assert event.evidence == ((15, 23),)
        assert (event.order.scene, event.order.start) == (0, 15)
        assert conn.execute("SELECT state FROM ledger.stored_events ORDER BY 1").fetchall() == before


def test_an_event_that_only_a_newer_release_knows_is_named_not_guessed(ledger: Ledger) -> None:
    publication = registered(ledger, 1)
    ledger.append(publication, publication.records, "sidecar")
    state = b'{"v": 1, "recorded_at": "2026-01-01T00:00:00+00:00", "chapter": 3, "omen": "a comet"}'
    ledger._log.recorder.insert_events([StoredEvent("lantern", 2, "fabula.omen-seen", state)])
    event = ledger.events_after(0, 10)[-1].event
    assert isinstance(event, UnrecognisedEvent)
    assert (event.topic, event.chapter) == ("fabula.omen-seen", 3)


def test_a_failed_append_leaves_no_trace_and_the_next_one_goes_through(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    publication = registered(ledger, 1, owns("Mara"))

    def broken(*_: object, **__: object) -> None:
        raise psycopg.OperationalError("the connection is gone")

    with monkeypatch.context() as patched:
        patched.setattr("events.publications.mark_appended", broken)
        with pytest.raises(LogUnavailable):
            ledger.append(publication, publication.records, "sidecar")
    assert ledger.last_position() == 0
    outcome = ledger.append(publication, publication.records, "sidecar")
    assert (outcome.unchanged, outcome.appended_events) == (False, 2)


def test_a_preview_writes_nothing_and_forgets(ledger: Ledger) -> None:
    first = registered(ledger, 1, owns("Mara"))
    ledger.append(first, first.records, "sidecar")
    edit = registered(ledger, 1, owns("Tomas"))
    events = ledger.preview(edit, edit.records)
    assert [type(e) for e in events] == [ChapterPublished, RecordInvalidated, RecordAsserted]
    assert ledger.append(edit, edit.records, "sidecar").appended_events == len(events)


def test_the_dead_are_kept_with_their_error_and_may_be_revived(ledger: Ledger) -> None:
    publication = registered(ledger, 1, owns("Mara"))
    assert ledger.fail(publication, "the extractor broke", 5, SourceOffset("chapters", 1, 3))
    [row] = ledger.dead("lantern")
    assert (row.error, row.attempts, row.publication) == ("the extractor broke", 5, publication)
    assert ledger.recorded_offsets("chapters", 1) == [(3, 4)]
    assert ledger.revive(publication)
    assert ledger.pending(timedelta(0)) == [publication]
    ledger.append(publication, publication.records, "sidecar")
    assert not ledger.fail(publication, "too late", 1), "what is appended cannot die"


def test_an_erased_text_leaves_the_log_readable(dsn: str, ledger: Ledger) -> None:
    publication = registered(ledger, 1, owns("Mara"))
    ledger.append(publication, publication.records, "sidecar")
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("UPDATE ledger.texts SET body = NULL")
    assert ledger.text(publication.text_hash or "") == ""
    assert len(list(ledger.story_events("lantern"))) == 2
    assert isinstance(ledger.index_of("lantern"), StoryIndex)


def test_an_unknown_story_is_said_to_be_unknown(ledger: Ledger) -> None:
    with pytest.raises(UnknownStory, match="published to 'nowhere'"):
        ledger.require("nowhere")


def test_events_carry_the_time_they_were_recorded(dsn: str) -> None:
    moment = datetime(2026, 5, 3, 12, 30, tzinfo=UTC)
    with Ledger(dsn, clock=lambda: moment) as ledger:
        publication = registered(ledger, 1)
        ledger.append(publication, publication.records, "sidecar")
        assert [r.event.recorded_at for r in ledger.story_events("lantern")] == [moment]


def test_a_clock_that_is_set_back_changes_no_past_belief(dsn: str) -> None:
    noon = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
    moments = iter([noon] * 3 + [noon - timedelta(hours=1)] * 6)
    with Ledger(dsn, clock=lambda: next(moments)) as ledger:
        for chapter in (1, 2):
            publication = registered(ledger, chapter)
            ledger.append(publication, publication.records, "sidecar")
    with Ledger(dsn, clock=lambda: next(moments)) as ledger:  # what was recorded before is read from the log
        publication = registered(ledger, 3)
        ledger.append(publication, publication.records, "sidecar")
        told = [r.event.recorded_at for r in ledger.story_events("lantern")]
    assert len(told) == 3
    assert told == sorted(told)
    assert min(told) == noon
