"""Promise debt over HTTP and by command: ages, due chapters, stages, and payoffs that are edited away."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from services.cli.main import cli
from tests.serving_fixtures import publish

OATH = "Mara's oath"


def thread(local: str, status: str, quote: str, name: str = OATH, **more: Any) -> dict[str, Any]:
    record = {"id": local, "kind": "thread", "thread": name, "status": status, "evidence": [{"quote": quote}]}
    return {**record, **more}


def tell(client: TestClient, story: str) -> None:
    swears = "Mara swore to light the tower."
    publish(client, story, 1, swears, records=[thread("t1", "opened", swears, thread_kind="promise")])
    letter = "A letter came without a name."
    told = "Who wrote it is to be told by chapter 3."
    publish(client, story, 2, letter, records=[thread("t1", "opened", letter, "the letter", description=told)])
    stairs = "She climbed the stairs of the tower and found no oil."
    publish(client, story, 3, stairs, records=[thread("t1", "advanced", stairs)])
    publish(client, story, 5, "It rained.", records=[])


def owed(client: TestClient, story: str, **query: Any) -> list[dict[str, Any]]:
    reply = client.get(f"/v1/stories/{story}/promises", params=query)
    assert reply.status_code == 200, reply.text
    found: list[dict[str, Any]] = reply.json()["promises"]
    return found


def plan(client: TestClient, story: str, name: str, chapter: int | None) -> int:
    return client.put(f"/v1/stories/{story}/threads/{name}/due", json={"chapter": chapter}).status_code


def test_open_threads_have_an_age_and_stages_and_the_late_come_first(client: TestClient, story: str) -> None:
    tell(client, story)
    letter, oath = owed(client, story, at=5)
    assert (letter["thread"], letter["due"], letter["overdue_by"]) == ("the letter", {"chapter": 3, "by": "2:t1"}, 2)
    assert (oath["thread"], oath["age"], oath["silent"], oath["due"], oath["overdue"]) == (OATH, 4, 2, None, False)
    assert [(step["chapter"], step["status"]) for step in oath["steps"]] == [(1, "opened"), (3, "advanced")]
    assert oath["steps"][1]["evidence"][0]["quote"].startswith("She climbed")
    assert client.get(f"/v1/stories/{story}/promises", params={"at": 5}).json()["debt"] == 4 + 3


def test_before_the_chapter_in_which_it_is_due_nothing_is_late(client: TestClient, story: str) -> None:
    tell(client, story)
    assert owed(client, story, at=3, overdue=True) == []
    assert [each["thread"] for each in owed(client, story, at=4, overdue=True)] == ["the letter"]


def test_an_editor_plans_a_due_chapter_moves_it_and_lifts_it(client: TestClient, story: str) -> None:
    tell(client, story)
    assert plan(client, story, "mara's  OATH", 4) == 200
    position = client.get(f"/v1/stories/{story}/promises").json()["position"]
    oath = next(each for each in owed(client, story, at=5) if each["thread"] == OATH)
    assert (oath["due"], oath["overdue_by"]) == ({"chapter": 4, "by": "editor"}, 1)
    assert plan(client, story, OATH, 9) == 200
    assert [each["thread"] for each in owed(client, story, overdue=True)] == ["the letter"]
    assert plan(client, story, OATH, None) == 200
    assert next(each for each in owed(client, story) if each["thread"] == OATH)["due"] is None
    then = next(each for each in owed(client, story, as_recorded=position) if each["thread"] == OATH)
    assert then["due"] == {"chapter": 4, "by": "editor"}


def test_a_plan_for_a_thread_nobody_opened_or_no_chapter_is_refused(client: TestClient, story: str) -> None:
    tell(client, story)
    reply = client.put(f"/v1/stories/{story}/threads/maras oath/due", json={"chapter": 4})
    assert (reply.status_code, reply.json()["type"]) == (404, "urn:fabula:problem:unknown-thread")
    assert "mara's oath" in reply.json()["detail"]
    assert plan(client, story, OATH, 0) == 422


def test_a_payoff_that_is_edited_away_leaves_the_promise_open_again(client: TestClient, story: str) -> None:
    tell(client, story)
    paid = "At last the tower burned bright."
    publish(client, story, 6, paid, records=[thread("t1", "paid_off", paid)])
    assert [each["thread"] for each in owed(client, story)] == ["the letter"]
    believed = client.get(f"/v1/stories/{story}/promises").json()["position"]
    publish(client, story, 6, "The tower stayed dark.", records=[])
    oath = next(each for each in owed(client, story) if each["thread"] == OATH)
    assert (oath["status"], oath["age"]) == ("advanced", 5)
    assert (oath["reopened"]["record"], oath["reopened"]["revision"]) == ("6:t1", 1)
    assert oath["reopened"]["evidence"][0]["quote"] == paid
    assert [each["thread"] for each in owed(client, story, as_recorded=believed)] == ["the letter"]
    assert next(each for each in owed(client, story, at=5) if each["thread"] == OATH)["reopened"] is None


def test_the_commands_plan_and_print_what_the_routes_answer(
    client: TestClient, story: str, shared_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(client, story)
    for name, value in shared_environment.items():
        monkeypatch.setenv(name, value)
    assert CliRunner().invoke(cli, ["due", story, OATH]).exit_code == 2
    assert "is due by chapter 2" in CliRunner().invoke(cli, ["due", story, OATH, "2"]).stdout
    printed = CliRunner().invoke(cli, ["promises", story, "--overdue", "--json"]).stdout
    assert json.loads(printed) == client.get(f"/v1/stories/{story}/promises", params={"overdue": True}).json()
    assert "overdue by 3" in CliRunner().invoke(cli, ["promises", story], terminal_width=200).stdout
