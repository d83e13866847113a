"""The schema that goes to the model, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from events.records import KINDS, Record
from events.sidecar import validate
from services.extraction.claude import wire
from tests.claude_chapters import ALL

MOST_OPTIONAL = 24
MOST_UNIONS = 16


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


def contents() -> dict[str, dict[str, Any]]:
    record = wire.schema()["properties"]["records"]["items"]["properties"]
    return {c["properties"]["kind"]["enum"][0]: c for c in record["content"]["anyOf"]}


def test_the_schema_stays_within_what_the_service_compiles() -> None:
    objects = [node for node in nodes(wire.schema()) if node.get("type") == "object"]
    assert sum(len(o["properties"]) - len(o["required"]) for o in objects) <= MOST_OPTIONAL
    assert sum("anyOf" in node for node in nodes(wire.schema())) <= MOST_UNIONS
    assert all(o["additionalProperties"] is False for o in objects)


def test_the_schema_has_every_kind() -> None:
    assert list(contents()) == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_has_every_field_of_a_kind(kind: str) -> None:
    assert set(contents()[kind]["properties"]) == {*wire.own_fields(kind), "kind"}


def test_the_schema_has_what_all_kinds_share() -> None:
    shared = set(wire.schema()["properties"]["records"]["items"]["properties"])
    assert shared - {"content", "quotes"} == set(Record.model_fields) - {"evidence"}


def test_a_moment_a_focalizer_and_the_chapter_of_an_event_come_back_as_a_sidecar_has_them() -> None:
    told = {
        "kind": "revelation",
        "fact": "the will was burnt",
        "revealed_to": ["Mara"],
        "event": "",
        "event_chapter": 2,
    }
    said = {"id": "v1", "quotes": ["x"], "focalizer": "Mara", "story_time": "ten years before", "content": told}
    [record] = validate([wire.record(said)])
    assert (record["focalizer"], record["story_time"], record["event_chapter"]) == (
        "Mara", {"label": "ten years before"}, 2,
    )  # fmt: skip


def test_a_moment_a_focalizer_and_a_chapter_that_nobody_names_are_left_out() -> None:
    told = {"kind": "revelation", "fact": "the will was burnt", "revealed_to": [], "event_chapter": 0}
    record = wire.record({"id": "v1", "quotes": ["x"], "focalizer": "", "story_time": " ", "content": told})
    assert not {"focalizer", "story_time", "event_chapter"} & set(record)


def test_a_record_of_a_reply_is_one_of_a_sidecar() -> None:
    assert len(validate([wire.record(each) for each in ALL])) == len(ALL)


def test_what_a_model_leaves_empty_is_not_said() -> None:
    said = {"id": "e", "quotes": ["x"], "content": {"kind": "entity", "aliases": [], "description": "", "name": "A"}}
    assert wire.record(said) == {"id": "e", "evidence": [{"quote": "x"}], "kind": "entity", "name": "A"}


def test_a_participant_without_a_role_is_a_name() -> None:
    people = [{"entity": "A", "role": ""}, {"entity": "B", "role": "thief"}]
    assert wire.record({"content": {"participants": people}})["participants"] == ["A", people[1]]


def test_a_flat_record_is_taken_too() -> None:
    flat = {"id": "f", "kind": "fact", "evidence": [{"quote": "x"}], "subject": "A"}
    assert wire.record(flat) == flat
