"""Who knows what, over HTTP and by command: every character and the reader, and what only the reader knows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from services.cli.main import cli
from tests.serving_fixtures import entity, publish

WILL = "Mara burnt the will"
ONE = "Mara burnt the will by night. Tomas and Odran slept in the hall. In the morning Tomas asked for the will, and knew nothing."
TWO = "Odran found the ashes and guessed. Tomas took his breakfast. Nell came with the milk."
THREE = "Mara told Tomas that she had burnt the will."


def knows(local: str, knower: str, fact: str, stance: str, quote: str, **more: Any) -> dict[str, Any]:
    known = {"id": local, "kind": "knowledge", "knower": knower, "fact": fact, "stance": stance}
    return {**known, "evidence": [{"quote": quote}], **more}


def there(local: str, name: str, place: str, quote: str) -> dict[str, Any]:
    return {"id": local, "kind": "presence", "entity": name, "location": place, "evidence": [{"quote": quote}]}


def tell(client: TestClient, story: str) -> None:
    burning = {
        "id": "ev1", "kind": "event", "summary": WILL, "participants": ["Mara"],
        "evidence": [{"quote": "Mara burnt the will by night"}],
    }  # fmt: skip
    cast = [entity("e1", "Mara"), entity("e2", "Tomas"), entity("e3", "Odran")]
    unaware = knows("k1", "Tomas", "1:ev1", "unaware", "Tomas asked for the will, and knew nothing")
    publish(client, story, 1, ONE, records=[*cast, burning, unaware])
    suspects = knows("k1", "Odran", WILL, "suspects", "Odran found the ashes and guessed", learned_via="the ashes")
    breakfast = there("p1", "Tomas", "kitchen", "Tomas took his breakfast")
    milk = there("p2", "Nell", "kitchen", "Nell came with the milk")
    publish(client, story, 2, TWO, records=[entity("e4", "Nell"), suspects, breakfast, milk])
    told = knows("k1", "Tomas", "the will was burnt by Mara", "knows", THREE)
    same = knows("k2", "Tomas", WILL, "knows", THREE, learned_via="Mara told him")
    publish(client, story, 3, THREE, records=[told, same])


def asked(client: TestClient, story: str, **query: Any) -> dict[str, Any]:
    reply = client.get(f"/v1/stories/{story}/knowledge", params=query)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def stances(reply: dict[str, Any]) -> dict[str, tuple[str, int]]:
    return {each["knower"]: (each["stance"], each["since"]) for each in reply["facts"][0]["knowers"]}


def test_a_fact_shows_what_everybody_and_the_reader_make_of_it_and_since_when(client: TestClient, story: str) -> None:
    tell(client, story)
    found = asked(client, story, fact=WILL, at=3)
    assert stances(found) == {"reader": ("knows", 1), "Tomas": ("knows", 3), "Odran": ("suspects", 2)}
    tomas = next(each for each in found["facts"][0]["knowers"] if each["knower"] == "Tomas")
    assert (tomas["how"], tomas["record"]) == ("Mara told him", "3:k2")
    assert tomas["before"] == [{"stance": "unaware", "since": 1}]
    assert tomas["evidence"][0]["quote"] == THREE
    assert found["facts"][0]["untold"] == ["Mara", "Nell"]


def test_a_fact_is_found_by_the_name_of_a_record_and_by_most_of_its_words(client: TestClient, story: str) -> None:
    tell(client, story)
    for written in ("1:ev1", "Mara burnt THE will!", "who burnt the will?"):
        assert asked(client, story, fact=written, at=2)["facts"][0]["key"] == "mara burnt will"
    reply = client.get(f"/v1/stories/{story}/knowledge", params={"fact": "the ferry sank"})
    assert reply.status_code == 404
    assert reply.json()["type"].endswith("unknown-fact")


def test_one_knower_can_be_asked_for_and_the_reader_is_one(client: TestClient, story: str) -> None:
    tell(client, story)
    assert stances(asked(client, story, who="Odran", at=2)) == {"Odran": ("suspects", 2)}
    assert stances(asked(client, story, who="reader", at=2)) == {"reader": ("knows", 1)}
    assert client.get(f"/v1/stories/{story}/knowledge", params={"who": "Nobody"}).status_code == 404


def test_irony_is_what_the_reader_knows_and_a_character_on_stage_does_not(client: TestClient, story: str) -> None:
    tell(client, story)
    found = asked(client, story, irony=True, at=2)["irony"]
    assert [(each["character"], each["why"]) for each in found] == [("Tomas", "unaware"), ("Nell", "untold")]
    assert found[0]["reader"]["since"] == 1
    assert found[0]["evidence"][0]["quote"] == "Tomas asked for the will, and knew nothing"
    after = asked(client, story, irony=True, fact=WILL)["irony"]
    assert [each["character"] for each in after] == ["Nell"]


def test_what_only_a_dream_reveals_is_known_to_nobody(client: TestClient, story: str) -> None:
    text = "In a dream Mara saw the king drown."
    dream = {"id": "r1", "kind": "revelation", "fact": "the king drowned", "revealed_to": "reader", "modality": "dream"}
    publish(client, story, 1, text, records=[entity("e1", "Mara"), {**dream, "evidence": [{"quote": text}]}])
    assert asked(client, story)["facts"] == []


def test_an_edit_that_takes_the_telling_away_leaves_the_character_ignorant(client: TestClient, story: str) -> None:
    tell(client, story)
    before = asked(client, story, fact=WILL)["position"]
    publish(client, story, 3, "Mara told Tomas nothing.", records=[])
    assert stances(asked(client, story, fact=WILL, at=3))["Tomas"] == ("unaware", 1)
    assert stances(asked(client, story, fact=WILL, at=3, as_recorded=before))["Tomas"] == ("knows", 3)


def test_the_command_prints_what_the_route_answers(
    client: TestClient, story: str, shared_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(client, story)
    for name, value in shared_environment.items():
        monkeypatch.setenv(name, value)
    printed = CliRunner().invoke(cli, ["knowledge", story, WILL, "--at", "2", "--json"]).stdout
    assert json.loads(printed) == asked(client, story, fact=WILL, at=2)
    assert "suspects" in CliRunner().invoke(cli, ["knowledge", story], terminal_width=200).stdout
    assert "unaware" in CliRunner().invoke(cli, ["knowledge", story, "--irony", "--at", "2"], terminal_width=200).stdout
