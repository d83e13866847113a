"""What an editor asks before publishing, over HTTP and at the terminal: checks, constraints, exemptions, impact, questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from events.errors import InvalidInput
from projections.embedding import HashEmbedder
from services.auditing.desk import Desk
from services.composition import Application
from tests.serving_fixtures import entity, fabula, owns, publish

FIRST = "Mara Voss kept the brass key on a cord. Tomas Reyle was her friend, and Ilse their enemy."
SECOND = "At the ferry Tomas Reyle died of the cold. Mara Voss took the brass key to the lamp house."
DRAFT = "Tomas Reyle opened the door of the lamp house and poured himself tea. Nobody was surprised."
ACT = {
    "id": "d1",
    "kind": "event",
    "summary": "Tomas Reyle opens the door.",
    "participants": ["Tomas Reyle"],
    "evidence": [{"quote": "Tomas Reyle opened the door"}],
}


def told(client: TestClient, story: str) -> None:
    publish(
        client, story, 1, FIRST,
        records=[
            entity("e1", "Mara Voss"),
            entity("e2", "Tomas Reyle"),
            entity("e3", "brass key", "object"),
            owns("o1", "brass key", "Mara Voss", "kept the brass key"),
        ],
    )  # fmt: skip
    status = {"id": "c1", "kind": "character_delta", "character": "Tomas Reyle", "attribute": "status", "value": "dead"}
    publish(client, story, 2, SECOND, records=[{**status, "evidence": [{"quote": "Tomas Reyle died"}]}])


def asked(client: TestClient, path: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
    reply = client.post(path, json=body)
    assert reply.status_code == status, reply.text
    document: dict[str, Any] = reply.json()
    return document


def check(client: TestClient, story: str, text: str = DRAFT, **body: Any) -> dict[str, Any]:
    return asked(client, f"/v1/stories/{story}/check", {"text": text, "records": [ACT], **body})


def test_the_dead_who_act_are_shown_with_both_quotes(client: TestClient, story: str) -> None:
    told(client, story)
    found = check(client, story, after=2)
    [violation] = found["violations"]
    assert (violation["kind"], violation["severity"]) == ("dead_act", "error")
    assert violation["draft_span"]["quote"] == "Tomas Reyle opened the door"
    assert violation["evidence"][0]["quote"] == "Tomas Reyle died"
    assert violation["state"] == {"key": "character(Tomas Reyle,status)", "value": "dead", "since": 2, "record": "2:c1"}
    assert any(c["kind"] == "dead" for c in found["constraints"])
    assert check(client, story, after=1)["violations"] == []


def test_a_dream_of_the_dead_is_no_contradiction(client: TestClient, story: str) -> None:
    told(client, story)
    assert check(client, story, after=2, records=[{**ACT, "modality": "dream"}])["violations"] == []


def test_a_check_is_blind_to_what_comes_later_and_writes_nothing(
    client: TestClient, application: Application, story: str
) -> None:
    told(client, story)
    before = check(client, story, after=2)
    publish(client, story, 4, "Tomas Reyle was alive.", records=[])
    publish(client, story, 3, DRAFT, records=[ACT])
    position = application.ledger.last_position()
    assert check(client, story, after=2) == before
    assert application.ledger.last_position() == position


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"text": FIRST, "after": 2}, 422, "the text of chapter 1"),
        ({"text": SECOND}, 422, "the text of chapter 2"),
        ({"text": ""}, 422, "character"),
        ({"text": " \n "}, 422, "no word"),
        ({"text": DRAFT, "after": 0}, 422, "chapter"),
        ({"text": DRAFT, "after": 1.5}, 422, "after"),
        ({"text": DRAFT, "after": "nowhere"}, 404, "no checkpoint 'nowhere'"),
        ({"text": DRAFT, "after": []}, 422, "after"),
    ],
)
def test_a_draft_that_cannot_be_checked_is_refused_and_read_by_nobody(
    client: TestClient, application: Application, story: str, body: dict[str, Any], status: int, said: str
) -> None:
    told(client, story)
    before = application.ledger.last_position()
    problem = asked(client, f"/v1/stories/{story}/check", body, status)
    assert said in problem["detail"]

    assert application.ledger.last_position() == before


class Nobody:
    """An extractor that must not be asked."""

    name = "nobody"

    def extract(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]:
        raise AssertionError(f"the draft was read: {text[:40]!r}")


def test_a_draft_that_is_a_chapter_already_costs_no_call_of_a_model(
    client: TestClient, application: Application, story: str
) -> None:
    told(client, story)
    desk = Desk(application.ledger, application.pool, Nobody(), lambda: HashEmbedder())
    with pytest.raises(InvalidInput, match="`impact` of an edit of chapter 1"):
        desk.check(story, FIRST, after=2)
    with pytest.raises(AssertionError, match="was read"):
        desk.check(story, DRAFT, after=2)


def test_the_text_of_the_next_chapter_may_be_checked_as_a_draft(client: TestClient, story: str) -> None:
    told(client, story)
    assert check(client, story, SECOND, after=1, records=[])["violations"] == []


def test_an_exemption_stands_until_its_evidence_changes(client: TestClient, story: str) -> None:
    told(client, story)
    [violation] = check(client, story)["violations"]
    path = f"/v1/stories/{story}/exemptions"
    asked(client, path, {"finding": violation["id"], "reason": "He is a ghost."}, 201)
    found = check(client, story)
    assert found["violations"] == []
    assert found["exempted"][0]["exemption"]["reason"] == "He is a ghost."
    assert client.get(path).json()["exemptions"][0]["finding"] == violation["id"]
    drowned = {"id": "c9", "kind": "character_delta", "character": "Tomas Reyle", "attribute": "status"}
    quote = [{"quote": "Tomas Reyle drowned"}]
    publish(client, story, 2, "Tomas Reyle drowned.", records=[{**drowned, "value": "drowned", "evidence": quote}])
    [again] = check(client, story)["violations"]
    assert again["lapsed"]["reason"] == "He is a ghost."
    assert again["id"] != violation["id"]


@pytest.mark.parametrize(
    "body",
    [{"finding": "nonsense", "reason": "x"}, {"finding": "3-dead_act-0123456789-0123456789", "reason": " "}],
)
def test_an_exemption_without_a_finding_or_a_reason_is_refused(
    client: TestClient, story: str, body: dict[str, Any]
) -> None:
    told(client, story)
    asked(client, f"/v1/stories/{story}/exemptions", body, 422)


def test_constraints_are_ranked_for_the_scaffold(client: TestClient, story: str) -> None:
    told(client, story)
    path = f"/v1/stories/{story}/constraints"
    assert asked(client, path, {"at": 2})["constraints"][0]["kind"] == "dead"
    ranked = asked(client, path, {"at": 2, "scaffold": "Mara loses the brass key."})["constraints"]
    assert (ranked[0]["kind"], ranked[0]["key"]) == ("ownership", "owner(brass key)")


def test_impact_tells_what_falls_and_which_questions_are_answered_differently(
    client: TestClient, application: Application, story: str
) -> None:
    told(client, story)
    use = {**ACT, "participants": ["Mara Voss"], "summary": "Mara opens it with the brass key."}
    needs = {
        **use,
        "evidence": [{"quote": "lamp house"}],
        "requires": [{"key": "owner(brass key)", "value": "Mara Voss"}],
    }
    publish(client, story, 3, "She opened the lamp house.", records=[needs])
    client.put(f"/v1/stories/{story}/checkpoints/midway", json={"at": 2})
    asked(client, f"/v1/stories/{story}/questions", {"question": "Who keeps the brass key?"}, 201)
    asked(client, f"/v1/stories/{story}/questions", {"question": "Where did Tomas Reyle die?"}, 201)
    position = application.ledger.last_position()
    edited = "Ilse kept the brass key on a cord. Tomas Reyle was her friend, and Mara Voss hated them both."
    records = [entity("e1", "Ilse"), entity("e2", "Tomas Reyle"), entity("e3", "brass key", "object")]
    records.append(entity("e4", "Mara Voss"))
    records.append(owns("o1", "brass key", "Ilse", "Ilse kept the brass key"))
    found = asked(client, f"/v1/stories/{story}/chapters/1/impact", {"text": edited, "records": records})
    assert application.ledger.last_position() == position
    fallen = {(r["record"], r["reason"], r["because"]) for r in found["records"]["invalidated"]}
    assert ("3:d1", "precondition_failed", "1:o1") in fallen
    owner = next(each for each in found["intervals"] if each["key"] == "owner(brass key)")
    assert (owner["before"][0]["value"], owner["after"][0]["value"]) == ("Mara Voss", "Ilse")
    assert owner["after"][0]["evidence"][0]["quote"] == "Ilse kept the brass key"
    assert [(c["name"], c["changed"]) for c in found["checkpoints"]] == [("midway", True)]
    assert [q["differs"] for q in found["questions"]] == [True, False]


def test_withdrawing_is_foreseen_too(client: TestClient, story: str) -> None:
    told(client, story)
    found = asked(client, f"/v1/stories/{story}/chapters/2/impact", {"retract": True, "questions": []})
    assert [r["reason"] for r in found["records"]["invalidated"]] == ["chapter_retracted"]
    asked(client, f"/v1/stories/{story}/chapters/9/impact", {"retract": True}, 404)
    asked(client, f"/v1/stories/{story}/chapters/2/impact", {}, 422)


def test_the_same_at_a_terminal(
    shared_environment: dict[str, str], client: TestClient, story: str, tmp_path: Path
) -> None:
    told(client, story)
    draft, records = tmp_path / "draft.txt", tmp_path / "draft.json"
    draft.write_text(DRAFT, "utf-8")
    records.write_text(json.dumps([ACT]), "utf-8")
    given = ("--file", str(draft), "--records", str(records), "--json")
    done = fabula("check", story, "--after", "2", *given, environment=shared_environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == check(client, story, after=2)
    done = fabula("impact", story, "2", *given, environment=shared_environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["records"]["invalidated"][0]["record"] == "2:c1"
