"""Continuity chains: proposed from what scenes share, audited, and kept, split or dropped; by rules and by a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from services.auditing.asking import Adviser
from services.auditing.auditor import Auditor
from services.cli.main import cli
from services.composition import Application
from services.extraction.claude.account import PostgresAccount
from tests.messages_server import Answer, MessagesServer, messages_server, text_of
from tests.serving_fixtures import entity, publish

FIELDS = ["coherence_score", "confidence", "decision", "weak_edges", "suggested_splits", "rationale"]


def scene(place: str, *people: str, summary: str, **more: Any) -> dict[str, Any]:
    located = {"location": place} if place else {}
    return {
        "id": "s1", "kind": "situation", "summary": summary, "participants": list(people), **located,
        "evidence": [{"quote": summary}], **more,
    }  # fmt: skip


def tell(
    client: TestClient, story: str, *scenes: dict[str, Any], extra: dict[int, list[dict[str, Any]]] | None = None
) -> None:
    for chapter, told in enumerate(scenes, start=1):
        cast = [entity("e1", "Mara"), entity("e2", "Odran")] if chapter == 1 else []
        text = f"Mara and Odran. {told['summary']} The mill burnt down."
        publish(client, story, chapter, text, records=[*cast, told, *(extra or {}).get(chapter, [])])


def asked(client: TestClient, story: str, **query: Any) -> dict[str, Any]:
    reply = client.get(f"/v1/stories/{story}/chains", params=query)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def paths(found: dict[str, Any]) -> list[list[str]]:
    return [[each["scene"] for each in chain["scenes"]] for chain in found["chains"]]


IN_THE_MILL = [
    scene("mill", "Mara", "Odran", summary="Mara and Odran grind the corn in the mill."),
    scene("quay", "Nell", summary="Nell mends a net on the quay."),
    scene("mill", "Mara", "Odran", summary="Mara and Odran count the sacks in the mill."),
    scene("mill", "Mara", "Odran", summary="Mara and Odran quarrel over the sacks in the mill."),
]


def test_scenes_of_one_place_and_cast_make_a_chain_with_the_paper_s_audit(client: TestClient, story: str) -> None:
    tell(client, story, *IN_THE_MILL)
    found = asked(client, story)
    assert paths(found) == [["1.1", "3.1", "4.1"]]
    (chain,) = found["chains"]
    assert list(chain["audit"]) == FIELDS
    assert (chain["audit"]["decision"], chain["audit"]["weak_edges"], chain["audit"]["confidence"]) == ("keep", [], 1.0)
    assert 0 < chain["audit"]["coherence_score"] <= 1
    assert [edge["places"] for edge in chain["edges"]] == [["mill"], ["mill"]]
    assert chain["scenes"][1]["evidence"][0]["quote"] == IN_THE_MILL[2]["summary"]


def test_scenes_that_share_nothing_are_never_compared(client: TestClient, story: str) -> None:
    tell(client, story, *IN_THE_MILL)
    found = asked(client, story)
    assert (found["scenes"], found["pairs"], found["candidates"]) == (4, 6, 3)


def test_a_chain_is_split_where_its_setting_is_changed_for_good(client: TestClient, story: str) -> None:
    burnt = {
        "id": "o1", "kind": "object_delta", "object": "mill", "state": "burnt down",
        "evidence": [{"quote": "The mill burnt down"}],
    }  # fmt: skip
    mill = {"id": "e9", "kind": "entity", "type": "object", "name": "mill", "evidence": [{"quote": "The mill"}]}
    died = {
        "id": "c1", "kind": "character_delta", "character": "Odran", "attribute": "status", "value": "dead",
        "evidence": [{"quote": "The mill burnt down"}],
    }  # fmt: skip
    rest = scene("mill", "Mara", "Odran", summary="Mara weeps for Odran among the sacks in the mill.")
    tell(client, story, *IN_THE_MILL, rest, extra={4: [died, mill, burnt]})
    found = asked(client, story)
    (proposed,) = found["proposed"]
    assert proposed["audit"]["decision"] == "split"
    assert proposed["audit"]["weak_edges"] == [["4.1", "5.1"]]
    assert proposed["audit"]["suggested_splits"] == [["1.1", "3.1", "4.1"], ["5.1"]]
    assert "changed for good in between (4:" in proposed["audit"]["rationale"]
    assert paths(found) == [["1.1", "3.1", "4.1"]]
    assert found["chains"][0]["audit"]["decision"] == "keep"


def test_a_chain_that_hangs_on_people_alone_is_dropped(client: TestClient, story: str) -> None:
    tell(
        client,
        story,
        scene("", "Mara", "Odran", summary="Mara and Odran quarrel about the sacks."),
        scene("", "Mara", "Odran", summary="Mara and Odran quarrel about the sacks again."),
    )
    found = asked(client, story)
    assert [each["audit"]["decision"] for each in found["proposed"]] == ["drop"]
    assert found["chains"] == []


@pytest.fixture
def model() -> Iterator[MessagesServer]:
    with messages_server() as server:
        yield server


def test_a_model_s_audit_is_applied_and_one_that_does_not_fit_the_chain_is_not_believed(
    application: Application, client: TestClient, story: str, model: MessagesServer
) -> None:
    tell(client, story, *IN_THE_MILL)
    auditor = Auditor(application.pool, lambda: Adviser.over(model.options(), application.pool))
    audit = {
        "coherence_score": 0.4, "confidence": 0.9, "decision": "split", "weak_edges": [["1.1", "3.1"], ["1.1", "4.1"]],
        "suggested_splits": [["1.1"], ["3.1", "4.1"]], "rationale": "a week lies between",
    }  # fmt: skip
    model.script(Answer(text=json.dumps(audit)))
    found = auditor.chains(story)
    assert found["proposed"][0]["auditor"] == "claude"
    assert found["proposed"][0]["audit"] == audit | {"weak_edges": [["1.1", "3.1"]]}
    assert paths(found) == [["3.1", "4.1"]]
    assert "Mara and Odran grind the corn" in text_of(model.asked[0])
    PostgresAccount(application.pool).forget_story(story)  # what was paid for is not asked again
    model.script(Answer(text=json.dumps(audit | {"coherence_score": 7})))
    again = auditor.chains(story)
    assert again["proposed"][0]["auditor"] == "rules"
    assert paths(again) == [["1.1", "3.1", "4.1"]]


def test_the_command_prints_what_the_route_answers(
    client: TestClient, story: str, shared_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(client, story, *IN_THE_MILL)
    for name, value in shared_environment.items():
        monkeypatch.setenv(name, value)
    printed = CliRunner().invoke(cli, ["chains", story, "--at", "3", "--json"]).stdout
    assert json.loads(printed) == asked(client, story, at=3)
    assert "1.1 → 3.1 → 4.1" in CliRunner().invoke(cli, ["chains", story], terminal_width=200).stdout
