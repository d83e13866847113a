"""The blast radius of an edit is what publishing it then does, for any history of a small story, and costs the log nothing."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from events.chapters import PublicationRequest
from events.domain_events import StoryEvent
from events.ledger import Ledger
from events.trying import differing, stretches
from services.auditing import planning
from services.auditing.impact import impact
from services.extraction.extractors import NoExtractor
from services.extraction.handling import SIDECAR
from tests.properties.histories import Published, history, request

TEXT = "Mara Voss shut the door of the house and turned the key twice in the lock."
NOW = datetime(2026, 5, 3, tzinfo=UTC)


@pytest.fixture(scope="module")
def ledger(module_dsn: str) -> Iterator[Ledger]:
    Ledger.migrate(module_dsn)
    with Ledger(module_dsn, clock=lambda: NOW) as ledger:
        yield ledger


def everything(ledger: Ledger, story: str) -> dict[str, list[tuple[str, int, int | None]]]:
    """Every interval of the story, folded from all its keys."""
    index = ledger.index_of(story)
    last = max(index.chapters, default=1)
    return {key: [s.shown for s in of] for key, of in stretches(index, index.keys, last).items()}


def rows(ledger: Ledger) -> tuple[Any, ...]:
    counts = "SELECT (SELECT count(*) FROM ledger.{0})"
    tables = ("stored_events", "publications", "texts", "stories")
    with ledger.pool.connection() as connection:
        return tuple(connection.execute(counts.format(t).encode()).fetchone() for t in tables)


def publish(ledger: Ledger, asked: PublicationRequest) -> list[StoryEvent]:
    before = ledger.last_position()
    publication = ledger.register(asked).publication
    ledger.append(publication, publication.records, SIDECAR)
    return [recorded.event for recorded in ledger.events_after(before, 1_000)]


def planned(ledger: Ledger, asked: PublicationRequest) -> planning.Plan:
    if asked.action == "retract":
        return planning.retraction(ledger, asked.story, asked.chapter)
    return planning.edit(ledger, NoExtractor(), asked.story, asked.chapter, asked.text or "", records=asked.records)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history(most=7))
def test_what_is_foreseen_is_what_publishing_does(ledger: Ledger, found: list[Published]) -> None:
    *former, last = found
    assume(former and last.decision is None)
    assume(last.records is not None or any(p.chapter == last.chapter for p in former))
    story = f"s-{secrets.token_hex(6)}"
    for number, published in enumerate(former):
        publish(ledger, request(story, published, f"{TEXT} {number}"))
    asked = request(story, last, f"{TEXT} at last")
    before, kept = everything(ledger, story), rows(ledger)

    foreseen = impact(ledger, planned(ledger, asked))

    assert rows(ledger) == kept
    assert everything(ledger, story) == before
    told = foreseen.told
    if told["unchanged"]:
        assert ledger.register(asked).unchanged
        return
    done = publish(ledger, asked)
    assert [replace(e, recorded_at=NOW) for e in foreseen.events] == done
    after = everything(ledger, story)
    wide = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert {each["key"] for each in told["intervals"]} == wide
    for each in told["intervals"]:
        for side, whole in (("before", before), ("after", after)):
            shown = [(s["value"], s["valid_from"], s["valid_to"]) for s in each[side]]
            assert shown == whole.get(each["key"], [])
    index = ledger.index_of(story)
    current = [index.current(chapter) for chapter in index.chapters]
    live = {e.uid: e.live for revision in current for e in (revision.entries if revision else ())}
    for uid, stated in foreseen.after.items():
        assert (stated is not None) == live.get(uid, False)


def test_looking_ahead_twice_sees_the_same(ledger: Ledger) -> None:
    story = f"s-{secrets.token_hex(6)}"
    owns = {"id": "a", "kind": "object_delta", "object": "key", "owner": "Mara"}
    needs = {"id": "a", "kind": "event", "summary": "It opens.", "requires": [{"key": "owner(key)", "value": "Mara"}]}
    publish(ledger, request(story, Published(1, 1, (owns,)), TEXT))
    publish(ledger, request(story, Published(2, 2, (needs,)), TEXT))
    asked = request(story, Published(3, 1, ({**owns, "owner": "Ilse"},)), TEXT + "!")
    first, second = (impact(ledger, planned(ledger, asked)).told for _ in range(2))
    assert first == second
    assert [(r["record"], r["reason"], r["because"]) for r in first["records"]["invalidated"]] == [
        ("1:a", "superseded_revision", None),
        ("2:a", "precondition_failed", "1:a"),
    ]
    assert first["records"]["invalidated"][1]["evidence"][0]["quote"] == TEXT[:5]
    assert differing({}, {}) == []


def test_two_that_are_shown_under_one_name_are_both_looked_at(ledger: Ledger) -> None:
    """A thing that takes the name of a person, and with it somebody's alias: what the two know is shown under one key."""
    story = f"s-{secrets.token_hex(6)}"
    knows = {"kind": "knowledge", "fact": "x is y"}
    mara = {"id": "b", "kind": "entity", "type": "character", "name": "Mara Voss", "aliases": []}
    publish(ledger, request(story, Published(1, 1, ({**knows, "knower": "Ilse", "id": "a"},)), TEXT))
    publish(ledger, request(story, Published(2, 2, ({**knows, "knower": "Mara Voss", "id": "a"}, mara)), TEXT))
    thing = {"id": "a", "kind": "entity", "type": "object", "name": "Mara Voss", "aliases": ["Ilse"]}
    asked = request(story, Published(3, 3, (thing,)), TEXT)
    foreseen = {each["key"]: each for each in impact(ledger, planned(ledger, asked)).told["intervals"]}
    publish(ledger, asked)
    key = "knowledge(Mara Voss,x is y)"
    assert [(s["value"], s["valid_from"], s["valid_to"]) for s in foreseen[key]["after"]] == everything(ledger, story)[
        key
    ]
    assert len(foreseen[key]["after"]) == 2


@pytest.mark.parametrize(("name", "aliases"), [("Ilse", []), ("Mara Voss", ["the stranger"])])
def test_an_identity_told_before_and_after_one_of_the_two_is_introduced_is_shown_whole(
    ledger: Ledger, name: str, aliases: list[str]
) -> None:
    story = f"s-{secrets.token_hex(6)}"
    one = {"id": "a", "kind": "identity", "a": "Ilse", "b": "the stranger"}
    introduced = {"id": "a", "kind": "entity", "type": "character", "name": name, "aliases": aliases}
    publish(ledger, request(story, Published(1, 1, (one,)), TEXT))
    publish(ledger, request(story, Published(2, 2, (introduced,)), TEXT))
    asked = request(story, Published(3, 3, (one,)), TEXT)
    before = everything(ledger, story)
    foreseen = impact(ledger, planned(ledger, asked)).told["intervals"]
    publish(ledger, asked)
    after = everything(ledger, story)
    for each in foreseen:
        for side, whole in (("before", before), ("after", after)):
            assert [(s["value"], s["valid_from"], s["valid_to"]) for s in each[side]] == whole.get(each["key"], [])
