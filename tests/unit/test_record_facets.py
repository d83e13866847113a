"""What a record contributes to the read models: pure functions of what it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from events.domain_events import Mention, Order, RecordInvalidated
from events.ids import EntityId
from projections.entities.edges import MAX_PARTICIPANTS, edges_of
from projections.entities.fold import MENTIONS, NAMES
from projections.facets import facet_changes
from projections.publications import publications, whole_publications
from projections.record_view import Change, RecordView, changes
from projections.story_state.assertions import ASSERTIONS
from projections.timeline.fold import APPEARANCES
from tests.handmade import HandmadeLog, owner, owns, published


def view(kind: str, mentions: dict[str, str] | None = None, **payload: Any) -> RecordView:
    found = tuple(Mention(slot, EntityId(f"person/{name}"), name) for slot, name in (mentions or {}).items())
    return RecordView(
        uid="1r1:a",
        name="1:a",
        chapter=1,
        revision=1,
        kind=kind,
        payload={"kind": kind} | payload,
        evidence=((0, 5),),
        order=Order(0, 0, 0),
        content="c",
        mentions=found,
        settings=(),
        live=True,
    )


def drawn(record: RecordView) -> list[tuple[str, str | None, str]]:
    return [
        (e.source.removeprefix("person/"), e.target and e.target.removeprefix("person/"), e.type)
        for e in edges_of(record)
    ]


def test_a_relationship_is_an_edge_with_its_polarity() -> None:
    (edge,) = edges_of(
        view("relationship_delta", {"source": "ilse", "target": "mara"}, relation="rivals", polarity=-0.5)
    )
    assert (edge.type, edge.label, edge.polarity) == ("relationship", "rivals", -0.5)


def test_an_event_joins_its_participants_in_pairs_and_each_with_the_place() -> None:
    record = view("event", {"participants.0": "ilse", "participants.1": "mara", "location": "quay"}, summary="They met")
    assert drawn(record) == [
        ("ilse", "mara", "participation"),
        ("ilse", "quay", "participation"),
        ("mara", "quay", "participation"),
    ]


def test_a_crowd_is_not_joined_in_pairs() -> None:
    crowd = {f"participants.{number}": f"p{number}" for number in range(MAX_PARTICIPANTS + 1)}
    assert drawn(view("event", crowd, summary="They all came")) == []


def test_what_somebody_knows_is_an_edge_to_the_fact() -> None:
    (edge,) = edges_of(view("knowledge", {"knower": "ilse"}, fact="Mara burnt the will"))
    assert (edge.target, edge.label) == (None, "Mara burnt the will")


def test_an_object_has_edges_to_its_owner_and_its_place() -> None:
    record = view("object_delta", {"object": "key", "owner": "ilse", "location": "well"})
    assert drawn(record) == [("key", "ilse", "owner"), ("key", "well", "location")]


@pytest.mark.parametrize(
    ("kind", "slot"),
    [("presence", "entity"), ("situation", "participants.0"), ("event", "participants.3"), ("interaction", "target")],
)
def test_who_takes_part_is_present(kind: str, slot: str) -> None:
    assert [row[2] for row in APPEARANCES.rows(view(kind, {slot: "ilse"}))] == [True]


@pytest.mark.parametrize("modality", ["planned", "dream", "reported", "believed", "hypothetical", "past"])
def test_who_is_there_in_what_is_not_actual_is_only_mentioned(modality: str) -> None:
    assert [row[2] for row in APPEARANCES.rows(view("presence", {"entity": "ilse"}, modality=modality))] == [False]


def test_somebody_who_is_named_twice_in_a_record_appears_once_and_is_there_if_either_says_so() -> None:
    record = view("event", {"focalizer": "ilse", "participants.0": "ilse"}, summary="s")
    assert [(row[0], row[2]) for row in APPEARANCES.rows(record)] == [("person/ilse", True)]


def test_an_entity_record_gives_its_name_and_then_its_aliases() -> None:
    record = view("entity", {"name": "Mara Voss"}, name="Mara Voss", aliases=["Mara", "the courier"])
    assert [(row[1], row[2], row[3]) for row in NAMES.rows(record)] == [
        ("Mara Voss", "mara voss", 0),
        ("Mara", "mara", 1),
        ("the courier", "courier", 2),
    ]


@pytest.mark.parametrize("facet", [MENTIONS, NAMES, ASSERTIONS, APPEARANCES])
def test_a_record_that_is_not_live_contributes_nothing(facet: Any) -> None:
    record = view("entity", {"name": "Mara"}, name="Mara", aliases=[])
    assert not facet.rows(replace(record, settings=(owner("key", None),), live=False))


def test_rows_that_stay_as_they_were_are_not_touched() -> None:
    record = view("presence", {"entity": "ilse", "location": "quay"})
    moved = replace(record, evidence=((40, 45),), revision=2, name="1:b")
    assert facet_changes(APPEARANCES, [Change(record, moved)]) == []


def test_a_record_that_falls_and_rises_within_one_publication_has_not_changed() -> None:
    log, record = HandmadeLog(), owns("a", 1, "mara")
    log.publish("s", record.asserted)
    heads = {c.after.uid: c.after for c in changes({}, [r.event for r in log.events])}
    log.publish("s", record.invalidated, record.reinstated)
    assert changes(heads, [r.event for r in log.events[1:]]) == []


def test_an_event_about_a_record_nobody_asserted_is_an_error_that_names_it() -> None:
    log = HandmadeLog()
    log.publish("s", owns("ghost", 1, "mara").invalidated)
    assert isinstance(log.events[0].event, RecordInvalidated)
    with pytest.raises(ValueError, match="ghost"):
        changes({}, [r.event for r in log.events])


def test_a_run_of_events_never_ends_inside_a_publication() -> None:
    log = HandmadeLog(gap=3)
    for chapter in range(1, 4):
        log.publish("s", published(chapter), *(owns(f"u{n}", chapter, "mara").asserted for n in range(150)))
    run = whole_publications(log, 0, 10)
    assert len(run) == 151
    assert len(whole_publications(log, run[-1].position, 152)) == 302


def test_naming_a_checkpoint_concerns_no_chapter() -> None:
    log = HandmadeLog(gap=3)
    log.publish("s", published(4), owns("a", 4, "mara").asserted, owns("b", 2, "mara").invalidated)
    (publication,) = publications(log.events)
    assert publication.chapter_positions() == {4: 6, 2: 9}
