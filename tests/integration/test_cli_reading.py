"""The command line prints the very document that the HTTP API answers with, and nothing else on standard output."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result
from starlette.testclient import TestClient

from services.cli.main import cli
from tests.serving_fixtures import entity, owns, publish


@pytest.fixture(scope="module")
def told(client: TestClient) -> str:
    """A story with an edit, a thread, a presence and a named checkpoint."""
    story = "told"
    mara = [
        entity("e1", "Mara Voss"),
        owns("o1", "brass key", "Mara Voss", "held the brass key"),
        {
            "id": "p1",
            "kind": "presence",
            "entity": "Mara Voss",
            "location": "the quay",
            "evidence": [{"quote": "on the quay"}],
        },
        {
            "id": "t1",
            "kind": "thread",
            "thread": "the letter",
            "thread_kind": "mystery",
            "status": "opened",
            "evidence": [{"quote": "a letter"}],
        },
    ]
    publish(client, story, 1, "Mara Voss held the brass key on the quay, and a letter.", records=mara)
    publish(
        client,
        story,
        2,
        "Tomas Reyle took it.",
        records=[entity("e1", "Tomas Reyle"), owns("o1", "brass key", "Tomas Reyle", "took it", depends_on=["1:o1"])],
    )
    publish(client, story, 1, "Mara Voss held the brass key on the quay, and no letter.", records=mara[:3])
    client.put(f"/v1/stories/{story}/checkpoints/part one", json={"at": 1})
    return story


@pytest.fixture
def run(shared_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command in this process."""
    for name, value in shared_environment.items():
        monkeypatch.setenv(name, value)

    def run_command(*arguments: str) -> Result:
        return CliRunner().invoke(cli, list(arguments))

    return run_command


@pytest.mark.parametrize(
    ("arguments", "address"),
    [
        (["stories"], "/v1/stories"),
        (["state", "told"], "/v1/stories/told/state"),
        (["state", "told", "--at", "1"], "/v1/stories/told/state?at=1"),
        (["state", "told", "--at", "part one"], "/v1/stories/told/state?at=part one"),
        (["state", "told", "--at", "99"], "/v1/stories/told/state?at=99"),
        (["state", "told", "--entity", "Mara Voss"], "/v1/stories/told/state?entity=Mara Voss"),
        (["state", "told", "--key", "owner("], "/v1/stories/told/state?key=owner("),
        (["state", "told", "--as-recorded", "6"], "/v1/stories/told/state?as_recorded=6"),
        (["history", "told", "owner(brass key)"], "/v1/stories/told/history?key=owner(brass key)"),
        (["history", "told", "owner(brass key)", "--at", "1"], "/v1/stories/told/history?key=owner(brass key)&at=1"),
        (["entity", "told", "Mara Voss"], "/v1/stories/told/entities/Mara Voss"),
        (["entity", "told", "Mara Voss", "--at", "1"], "/v1/stories/told/entities/Mara Voss?at=1"),
        (["threads", "told"], "/v1/stories/told/threads"),
        (["threads", "told", "--status", "open"], "/v1/stories/told/threads?status=open"),
        (["timeline", "told"], "/v1/stories/told/timeline"),
        (["timeline", "told", "--at", "1"], "/v1/stories/told/timeline?at=1"),
        (["diff", "told", "--from", "1", "--to", "2"], "/v1/stories/told/diff?from=1&to=2"),
        (["diff", "told", "--from", "part one", "--to", "2"], "/v1/stories/told/diff?from=part one&to=2"),
        (["diff", "told", "--between-positions", "6", "16"], "/v1/stories/told/diff?between=6,16"),
        (["audit", "told"], "/v1/stories/told/audit"),
        (["audit", "told", "--chapter", "1"], "/v1/stories/told/audit?chapter=1"),
        (["audit", "told", "--record", "1:t1"], "/v1/stories/told/audit?record=1:t1"),
        (["audit", "told", "--at", "1"], "/v1/stories/told/audit?at=1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_and_its_route_give_the_same_bytes(
    client: TestClient, told: str, run: Any, arguments: list[str], address: str
) -> None:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout_bytes == client.get(address).content + b"\n"
    assert result.stderr == ""


@pytest.mark.parametrize("method", ["hybrid", "bm25", "dense", "state", "nwm"])
def test_a_packet_is_the_same_by_command_and_by_route(client: TestClient, told: str, run: Any, method: str) -> None:
    body = {"question": "Who has the brass key?", "at": 2, "method": method, "budget": 1500}
    result = run("packet", told, body["question"], "--at", "2", "--method", method, "--budget", "1500", "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout_bytes == client.post(f"/v1/stories/{told}/packet", json=body).content + b"\n"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["stories"], "told"),
        (["state", "told"], "owner(brass key)"),
        (["history", "told", "owner(brass key)"], "Tomas Reyle"),
        (["entity", "told", "Mara Voss"], "present in 1"),
        (["threads", "told"], "No threads."),
        (["timeline", "told"], "●"),
        (["diff", "told", "--from", "1", "--to", "2"], "~"),
        (["audit", "told"], "RecordInvalidated"),
        (["packet", "told", "Who has the brass key?"], "characters used"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_without_json_a_command_is_readable(told: str, run: Any, arguments: list[str], shown: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    assert shown in result.stdout


def test_the_audit_of_a_record_ends_with_the_chain_of_causes(told: str, run: Any) -> None:
    events = json.loads(run("audit", told, "--json").stdout)["events"]
    fallen = next(each for each in events if each["type"] == "RecordInvalidated")
    steps = run("audit", told, "--record", fallen["record"]).stdout.partition("How it came to the last change:\n")[2]
    assert len(steps.splitlines()) > 1
    assert steps.splitlines()[-1].split()[:2] == [str(fallen["position"]), "RecordInvalidated"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["state", "nowhere"],
        ["state", "told", "--at", "finale"],
        ["state", "told", "--at", "0"],
        ["state", "told", "--as-recorded", "soon"],
        ["state", "told", "--entity", "Nobody"],
        ["history", "told", "no key"],
        ["entity", "told", "Nobody"],
        ["threads", "told", "--status", "sleeping"],
        ["packet", "told", "Who?", "--method", "guess"],
        ["audit", "told", "--chapter", "0"],
        ["replay", "nowhere", "--verify"],
    ],
    ids=" ".join,
)
def test_a_refusal_is_one_message_on_standard_error_and_exit_status_1(
    told: str, run: Any, arguments: list[str]
) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert "Traceback" not in result.stderr


def test_a_refusal_in_json_is_a_problem_document_on_standard_error(told: str, run: Any) -> None:
    result = run("state", "nowhere", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert json.loads(result.stderr)["status"] == 404


@pytest.mark.parametrize(
    "arguments",
    [
        ["diff", "told", "--between-positions", "9" * 25, "1"],
        ["replay", "told", "--until", "9" * 25],
        ["state"],
        ["diff", "told"],
        ["diff", "told", "--from", "1"],
        ["diff", "told", "--from", "1", "--to", "2", "--between-positions", "1", "2"],
        ["state", "told", "--chapter", "1"],
        ["publish", "told", "one", "-"],
        ["publish", "told", "1"],
        ["no-such-command"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_status_2(run: Any, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr


def test_a_replay_finds_every_checkpoint_as_it_is(told: str, run: Any) -> None:
    result = run("replay", told, "--verify", "--json")
    assert result.exit_code == 0, result.stderr
    reply = json.loads(result.stdout)
    assert [each["at"] for each in reply["checkpoints"]] == [1, 2]
    assert reply["differences"] == []


def test_a_replay_up_to_a_position_has_the_digests_of_that_time(client: TestClient, told: str, run: Any) -> None:
    result = run("replay", told, "--until", "9", "--json")
    assert result.exit_code == 0, result.stderr
    reply = json.loads(result.stdout)
    assert reply["position"] <= 9
    for each in reply["checkpoints"]:
        then = client.get(f"/v1/stories/{told}/state?at={each['at']}&as_recorded=9").json()
        assert then["digest"] == each["digest"]
