"""How people go on: trajectories, interactions and the timeline, as it is told and as it happens."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from services.cli.main import cli
from tests.serving_fixtures import entity, owns, publish

ONE = "Mara sat in the tower and was sad. Nell greeted Mara."
TWO = "Mara went to the quay, key in hand. Years before, Mara had been a child at the mill. Odran hit Mara then."
THREE = "Tomas took the key from Mara. Nell greeted Mara again. Mara was sad no more."


def said(local: str, kind: str, quote: str, **fields: Any) -> dict[str, Any]:
    return {"id": local, "kind": kind, "evidence": [{"quote": quote}], **fields}


def there(local: str, who: str, place: str, quote: str, **fields: Any) -> dict[str, Any]:
    return said(local, "presence", quote, entity=who, location=place, **fields)


def feels(local: str, value: str, quote: str, **fields: Any) -> dict[str, Any]:
    return said(local, "character_delta", quote, character="Mara", attribute="emotion", value=value, **fields)


def meets(local: str, one: str, other: str, kind: str, quote: str, polarity: float, **fields: Any) -> dict[str, Any]:
    return said(local, "interaction", quote, source=one, target=other, type=kind, polarity=polarity, **fields)


def tell(client: TestClient, story: str) -> None:
    now = {"story_time": {"order": 10, "label": "this winter"}, "scene": 1}
    tower = there("p1", "Mara", "tower", "Mara sat in the tower", **now)
    greets = meets("i1", "Nell", "Mara", "greets", "Nell greeted Mara", 0.4)
    cast = [entity("e1", "Mara"), entity("e2", "Nell"), entity("e3", "tower", "location")]
    publish(client, story, 1, ONE, records=[*cast, tower, feels("c1", "sad", "was sad"), greets])
    quay = there("p1", "Mara", "quay", "Mara went to the quay", scene=1)
    then = {"story_time": {"order": 1, "label": "her childhood"}, "scene": 2, "modality": "past"}
    mill = there("p2", "Mara", "mill", "Mara had been a child at the mill", **then)
    hits = meets("i1", "Odran", "Mara", "hits", "Odran hit Mara then", -1.0, scene=2, modality="past")
    key = [entity("e1", "key", "object"), entity("e2", "Odran"), owns("o1", "key", "Mara", "key in hand", scene=1)]
    publish(client, story, 2, TWO, records=[quay, mill, hits, *key])
    lost = owns("o1", "key", "Tomas", "Tomas took the key from Mara")
    again = meets("i1", "Nell", "Mara", "greets", "Nell greeted Mara again", 0.8)
    glad = feels("c1", "glad", "Mara was sad no more")
    publish(client, story, 3, THREE, records=[entity("e1", "Tomas"), lost, again, glad])


def asked(client: TestClient, story: str, what: str, **query: Any) -> dict[str, Any]:
    reply = client.get(f"/v1/stories/{story}/{what}", params=query)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def test_a_trajectory_has_the_changes_of_each_chapter_and_what_holds_then(client: TestClient, story: str) -> None:
    tell(client, story)
    found = asked(client, story, "trajectories/mara", at=3)
    one, two, three = found["telling_order"]
    assert (one["present"], one["after"]) == (True, {"emotion": "sad", "location": "tower"})
    assert two["after"] == {"emotion": "sad", "has key": "yes", "location": "quay"}
    assert [(each["aspect"], each["before"], each["value"]) for each in three["changes"]] == [
        ("has key", "yes", None),
        ("emotion", "sad", "glad"),
    ]
    assert three["changes"][0]["evidence"][0]["quote"] == "Tomas took the key from Mara"
    assert three["after"] == {"emotion": "glad", "location": "quay"}


def test_in_story_order_the_past_comes_first_and_is_left_again(client: TestClient, story: str) -> None:
    tell(client, story)
    found = asked(client, story, "trajectories/Mara")["story_order"]
    assert [(each["label"], each["chapter"], each["after"].get("location")) for each in found] == [
        ("her childhood", 2, "mill"),
        ("this winter", 1, "tower"),
        ("this winter", 2, "quay"),
        ("this winter", 3, "quay"),
    ]


def test_a_trajectory_of_nobody_is_a_404(client: TestClient, story: str) -> None:
    tell(client, story)
    reply = client.get(f"/v1/stories/{story}/trajectories/Bertram")
    assert (reply.status_code, reply.json()["type"]) == (404, "urn:fabula:problem:unknown-entity")
    assert client.get(f"/v1/stories/{story}/trajectories/Tomas", params={"at": 2}).status_code == 404


def test_interactions_are_counted_by_direction_and_only_what_happens(client: TestClient, story: str) -> None:
    tell(client, story)
    found = asked(client, story, "interactions")
    assert [each["name"] for each in found["people"]] == ["Mara", "Nell"]
    assert found["matrix"] == [[0, 0], [2, 0]]
    (pair,) = found["pairs"]
    assert (pair["chapters"], pair["types"], pair["polarity"]) == ([1, 3], {"greets": 2}, 0.6)
    assert [span["chapter"] for span in pair["evidence"]] == [1, 3]


def test_the_timeline_in_story_order_puts_a_look_back_where_it_happens(client: TestClient, story: str) -> None:
    tell(client, story)
    found = asked(client, story, "timeline", order="story")
    assert [(each["order"], each["chapter"]) for each in found["columns"]] == [(1, 2), (10, 1), (10, 2), (10, 3)]
    lanes = {each["name"]: each["cells"] for each in found["characters"]}
    assert lanes["Mara"] == ["present"] * 4
    assert lanes["Odran"] == ["present", None, "mentioned", None]
    assert lanes["Nell"] == [None, "present", None, "present"]
    assert client.get(f"/v1/stories/{story}/timeline", params={"order": "odd"}).status_code == 422
    assert "columns" not in asked(client, story, "timeline")


def test_the_commands_print_what_the_routes_answer(
    client: TestClient, story: str, shared_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(client, story)
    for name, value in shared_environment.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli, arguments, terminal_width=200)
        assert done.exit_code == 0, done.output
        return done.stdout

    assert json.loads(run("trajectory", story, "Mara", "--json")) == asked(client, story, "trajectories/Mara")
    assert json.loads(run("interactions", story, "--json")) == asked(client, story, "interactions")
    assert json.loads(run("timeline", story, "--order", "story", "--json")) == asked(
        client, story, "timeline", order="story"
    )
    assert "her childhood (chapter 2): location: mill" in run("trajectory", story, "Mara")
    assert "+0.60" in run("interactions", story)
    assert "●●●●" in run("timeline", story, "--order", "story")


def test_a_surname_that_a_chapter_takes_for_a_place_is_its_bearers(client: TestClient, story: str) -> None:
    publish(
        client, story, 1, "They rode past Dale in the rain.", records=[entity("e1", "Dale", "location", "past Dale")]
    )
    dale = {**entity("e1", "Mr. Dale"), "aliases": ["Dale"]}
    sad = said("c1", "character_delta", "Mr. Dale was sad", character="Mr. Dale", attribute="emotion", value="sad")
    publish(client, story, 2, "Mr. Dale was sad. Dale said nothing.", records=[dale, sad])
    assert asked(client, story, "trajectories/Dale")["character"] == "Mr. Dale"
    reply = client.post(f"/v1/stories/{story}/ask", json={"question": "How does Dale feel?"})
    assert reply.json()["answer"] == "sad"
