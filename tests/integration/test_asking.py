"""`ask` as a user has it: from the command line and over HTTP, the same reply."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result
from starlette.testclient import TestClient

from services.cli.main import cli
from services.composition import Application
from services.settings import Settings

FIRST = "Mara Voss kept the brass key in her coat. Mara hid the ledger under the third stair of the lamp house."
SECOND = "Mara gave the brass key to Tomas on the quay."
RECORDS = {
    1: [
        {
            "id": "e1",
            "kind": "entity",
            "type": "character",
            "name": "Mara Voss",
            "aliases": ["Mara"],
            "evidence": [{"quote": "Mara Voss"}],
        },
        {
            "id": "o1",
            "kind": "object_delta",
            "object": "brass key",
            "owner": "Mara Voss",
            "evidence": [{"quote": "kept the brass key"}],
        },
    ],
    2: [
        {
            "id": "o1",
            "kind": "object_delta",
            "object": "brass key",
            "owner": "Tomas",
            "evidence": [{"quote": "gave the brass key to Tomas"}],
        }
    ],
}


@pytest.fixture(scope="module")
def lantern(shared_environment: dict[str, str]) -> str:
    with Application(Settings.from_env(shared_environment)) as built:
        for number, text in ((1, FIRST), (2, SECOND)):
            built.publisher.publish("asked-lantern", number, text, records=RECORDS[number], wait=True)
    return "asked-lantern"


def run(environment: dict[str, str], *arguments: str) -> Result:
    return CliRunner(env=environment).invoke(cli, list(arguments))


def test_the_command_and_the_route_give_the_same_reply(
    lantern: str, shared_environment: dict[str, str], client: TestClient
) -> None:
    for question, at, answer in (
        ("Who owns the brass key?", 1, "Mara Voss"),
        ("Who owns the brass key?", 2, "Tomas"),
        ("Where did Mara hide the ledger?", 2, "under the third stair of the lamp house"),
    ):
        said = json.loads(run(shared_environment, "ask", lantern, question, "--at", str(at), "--json").stdout)
        over = client.post(f"/v1/stories/{lantern}/ask", json={"question": question, "at": at})
        assert over.status_code == 200, over.text
        assert over.json() == said
        assert said["answer"] == answer
        assert {"answer", "abstained", "evidence_ids", "support", "audit", "packet", "skills"} <= said.keys()


def test_options_follow_one_another(lantern: str, shared_environment: dict[str, str]) -> None:
    given = ("--options", "on the roof", "under the third stair", "in the well", "--json")
    reply = json.loads(run(shared_environment, "ask", lantern, "Where did Mara hide the ledger?", *given).stdout)
    assert reply["answer"] == "under the third stair"


def test_a_person_is_shown_the_answer_and_what_it_rests_on(lantern: str, shared_environment: dict[str, str]) -> None:
    shown = run(shared_environment, "ask", lantern, "Who owns the brass key?").stdout
    assert "Tomas" in shown
    assert "owner(brass key) = Tomas" in shown
    nothing = run(shared_environment, "ask", lantern, "Who besieged Vienna?")
    assert (nothing.exit_code, "does not support an answer" in nothing.stdout) == (0, True)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"question": "?"}, 422, "no word"),
        ({"question": "Who? " * 10_000}, 422, "at most 20000"),
        ({"question": "Who owns it?", "options": ["a", "a"]}, 422, "the same"),
        ({"question": "Who owns it?", "options": "a"}, 422, "options"),
        ({"question": "Who owns it?", "at": "nowhere"}, 404, "checkpoint"),
        ({"question": "Who owns it?", "at": 0}, 422, "checkpoint"),
    ],
)
def test_what_cannot_be_asked_is_a_problem_that_says_why(
    lantern: str, client: TestClient, body: dict[str, object], status: int, said: str
) -> None:
    reply = client.post(f"/v1/stories/{lantern}/ask", json=body)
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    assert said in reply.json()["detail"]


def test_the_page_of_a_story_asks_and_shows_the_answer_with_its_grounds(lantern: str, client: TestClient) -> None:
    assert f'action="/stories/{lantern}/ask"' in client.get(f"/stories/{lantern}?at=1").text
    page = client.get(f"/stories/{lantern}/ask", params={"question": "Who owns the brass key?", "at": 1})
    assert page.status_code == 200
    assert "Mara Voss" in page.text
    assert "the latest valid value" in page.text
    evil = client.get(f"/stories/{lantern}/ask", params={"question": "Who is <script>alert(1)</script>?"})
    assert "<script" not in evil.text
    assert client.get(f"/stories/{lantern}/ask", params={"question": "?"}).status_code == 422
