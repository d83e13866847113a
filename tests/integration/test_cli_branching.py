"""Branches from the command line and over HTTP, with the Python client against a real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.client import Conflict, Fabula, InvalidName, NotFound, UnknownStory
from tests.serving_fixtures import entity, fabula, owns, served

MARA = [entity("e1", "Mara Voss"), owns("o1", "brass key", "Mara Voss", "held the brass key")]
ILSE = [entity("e1", "Ilse Brandt"), owns("o1", "brass key", "Ilse Brandt", "dived for the brass key")]
FIRST = "Mara Voss held the brass key."
SECOND = "Ilse Brandt dived for the brass key."


def test_a_writer_forks_publishes_compares_promotes_and_drops(environment: dict[str, str], tmp_path: Path) -> None:
    text, records = tmp_path / "chapter.txt", tmp_path / "records.json"

    def run(*arguments: str, status: int = 0) -> str:
        done = fabula(*arguments, environment=environment)
        assert done.returncode == status, done.stderr.decode()
        return (done.stdout if status == 0 else done.stderr).decode()

    def publish(story: str, chapter: int, what: str, found: object) -> None:
        text.write_text(what)
        records.write_text(json.dumps(found))
        run("publish", story, str(chapter), "--file", str(text), "--records", str(records))

    publish("lantern", 1, FIRST, MARA)
    assert "fabula publish lantern.drowned 2" in run("branch", "lantern", "drowned", "--at", "1")
    publish("lantern.drowned", 2, SECOND, ILSE)
    assert "its own: 2" in run("branches", "lantern")
    compared = run("diff-branches", "lantern", "lantern", "drowned")
    assert "owner(brass key): Mara Voss (since chapter 1) -> Ilse Brandt (since chapter 2)" in compared
    assert "a new chapter" in run("promote", "lantern", "drowned", "--dry-run")
    assert "--yes" in run("promote", "lantern", "drowned", status=2)
    assert "chapter 2, revision 1 is published" in run("promote", "lantern", "drowned", "--yes")
    assert "thrown away" in run("branch", "lantern", "drowned", "--drop", "--yes")
    run("replay", "lantern.drowned", "--verify")
    state = json.loads(run("state", "lantern", "--key", "owner(", "--json"))
    assert [each["value"] for each in state["state"]] == ["Ilse Brandt"]


def test_the_client_drives_a_server_from_publishing_to_promoting(environment: dict[str, str]) -> None:
    with served(environment) as url, Fabula(url) as client:
        assert client.publish("lantern", 1, FIRST, records=MARA)["revision"] == 1
        assert client.publish("lantern", 1, FIRST, records=MARA)["unchanged"]
        assert client.state("lantern", key="owner(")["state"][0]["value"] == "Mara Voss"
        assert client.history("lantern", "owner(brass key)")["intervals"][0]["valid_to"] is None
        assert client.entity("lantern", "Mara Voss", at=1)["name"] == "Mara Voss"
        assert client.packet("lantern", "Who has the key?", at=1)["used"] > 0
        assert client.ready()["status"] == "ready"
        assert "fabula_http_request_seconds" in client.metrics()

        forked = client.branch("lantern", "drowned")
        client.publish(forked["branch"], 2, SECOND, records=ILSE)
        assert [each["name"] for each in client.branches("lantern")["branches"]] == ["drowned"]
        assert client.diff_branches("lantern", "lantern", "drowned")["changed"][0]["key"] == "owner(brass key)"
        assert client.preview_promotion("lantern", "drowned")["chapters"][0]["new"]
        client.publish("lantern", 2, "Nothing came of it.", records=[])
        with pytest.raises(Conflict, match="Since the fork") as refused:
            client.promote("lantern", "drowned")
        assert refused.value.kind == "parent-moved-on"
        client.promote("lantern", "drowned", force=True)
        assert client.state("lantern", key="owner(")["state"][0]["value"] == "Ilse Brandt"
        assert client.drop_branch("lantern", "drowned")["withdrawn"] == [1, 2]

        with pytest.raises(UnknownStory, match="fabula stories"):
            client.state("nobodys")
        with pytest.raises(NotFound):
            client.branches("nobodys")
        with pytest.raises(InvalidName):
            client.branch("lantern", "a.b")
