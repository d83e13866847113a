"""The story so far: from live records only, traced, at a length given, and in a model's words only where records bear them out."""

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
from services.extraction.claude.account import PostgresAccount, usage
from services.extraction.claude.budget import Budget
from services.extraction.claude.errors import BudgetReached
from tests.messages_server import Answer, MessagesServer, messages_server
from tests.serving_fixtures import entity, owns, publish

ONE = "Mara took the brass key from the wall. She swore to find her brother before winter."
TWO = "Tomas stole the key while Mara slept. Old Hob died in the night."
THREE = "Mara chased Tomas to the ferry. Somewhere a bell rang."


def said(local: str, kind: str, quote: str, **fields: Any) -> dict[str, Any]:
    return {"id": local, "kind": kind, "evidence": [{"quote": quote}], **fields}


def tell(client: TestClient, story: str) -> None:
    took = said("ev1", "event", "Mara took the brass key", summary="Mara takes the brass key", participants=["Mara"])
    oath = said(
        "t1", "thread", "She swore to find her brother", thread="the brother", thread_kind="promise", status="opened",
        description="Mara has sworn to find her brother before winter",
    )  # fmt: skip
    lies = said("t2", "thread", "from the wall", thread="the wall", thread_kind="setup", status="opened")
    cast = [
        entity("e1", "Mara"),
        entity("e2", "brass key", "object"),
        owns("o1", "brass key", "Mara", "Mara took the brass key"),
    ]
    publish(client, story, 1, ONE, records=[*cast, took, oath, lies])
    stole = said("ev1", "event", "Tomas stole the key", summary="Tomas steals the key", participants=["Tomas", "Mara"])
    died = said("c1", "character_delta", "Old Hob died", character="Old Hob", attribute="status", value="dead")
    dream = said("ev2", "event", "while Mara slept", summary="Mara flies over the sea", modality="dream")
    cast = [entity("e1", "Tomas"), entity("e2", "Old Hob"), owns("o1", "brass key", "Tomas", "Tomas stole the key")]
    publish(client, story, 2, TWO, records=[*cast, stole, died, dream])
    chase = said("ev1", "event", "Mara chased Tomas", summary="Mara chases Tomas to the ferry", participants=["Mara"])
    publish(client, story, 3, THREE, records=[chase])


def recap(client: TestClient, story: str, **query: Any) -> dict[str, Any]:
    reply = client.get(f"/v1/stories/{story}/recap", params=query)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def test_a_recap_tells_what_happened_and_ends_with_what_is_open(client: TestClient, story: str) -> None:
    tell(client, story)
    found = recap(client, story, at=3)
    assert found["text"] == (
        "Mara takes the brass key. Tomas steals the key. Tomas has the brass key. Old Hob is dead. Mara chases Tomas to the "
        "ferry.\n\nA promise is still to be kept: Mara has sworn to find her brother before winter."
    )
    assert found["used"] == len(found["text"])


def test_what_one_does_in_a_row_is_one_sentence_that_every_record_of_it_is_named_under(
    client: TestClient, story: str
) -> None:
    text = "Mara took the key. Mara left the house. Tomas slept. He is well."
    records = [
        entity("e1", "Mara", quote="Mara"), entity("e2", "Tomas", quote="Tomas"),
        said("ev1", "event", "Mara took the key", summary="Mara takes the key", participants=["Mara"]),
        said("ev2", "event", "Mara left the house", summary="Mara leaves the house", participants=["Mara"]),
        said("ev3", "event", "Tomas slept", summary="Tomas sleeps", participants=["Tomas"]),
    ]  # fmt: skip
    publish(client, story, 1, text, records=records)
    found = recap(client, story)
    assert found["text"] == "Mara takes the key and leaves the house. Tomas sleeps."
    assert [each["records"] for each in found["sentences"]] == [["1:ev1", "1:ev2"], ["1:ev3"]]
    assert [span["quote"] for span in found["sentences"][0]["evidence"]] == ["Mara took the key", "Mara left the house"]


def test_who_learns_what_is_told_and_what_only_the_reader_learns_is_told_as_it_is(
    client: TestClient, story: str
) -> None:
    learnt = said("r1", "revelation", "Mara took", fact="The lamp is false", revealed_to=["reader", "Mara"])
    alone = said("r2", "revelation", "from the wall", fact="The wall is hollow", revealed_to=["reader"])
    publish(client, story, 1, ONE, records=[entity("e1", "Mara"), learnt, alone])
    assert recap(client, story)["text"] == "Mara learns that the lamp is false. The wall is hollow."


def test_every_sentence_has_its_records_and_the_words_of_the_text(client: TestClient, story: str) -> None:
    tell(client, story)
    for each in recap(client, story)["sentences"]:
        assert each["records"]
        assert all(span["quote"] in ONE + TWO + THREE for span in each["evidence"])
    hob = next(each for each in recap(client, story)["sentences"] if "Hob" in each["text"])
    assert (hob["records"], hob["evidence"][0]["quote"]) == (["2:c1"], "Old Hob died")


def test_state_that_has_passed_is_left_out_and_an_edit_brings_it_back(client: TestClient, story: str) -> None:
    tell(client, story)
    assert "Mara has the brass key" not in recap(client, story)["text"]
    publish(client, story, 1, "Mara had a key.", records=[owns("o1", "brass key", "Mara", "Mara had a key")])
    assert "Mara has the brass key" not in recap(client, story)["text"]
    publish(client, story, 2, "Nothing happened.", records=[])
    found = recap(client, story)["text"]
    assert "Mara has the brass key" in found
    assert "Tomas steals" not in found
    assert "dead" not in found


@pytest.mark.parametrize("length", [80, 120, 200, 400])
def test_a_recap_keeps_to_its_length_and_drops_the_least_first(client: TestClient, story: str, length: int) -> None:
    tell(client, story)
    found = recap(client, story, length=length)
    assert 0 < len(found["text"]) <= length
    assert "Old Hob is dead." in found["text"]
    assert found["left_out"] == 6 - sum(len(each["records"]) for each in found["sentences"])


def test_a_writer_is_told_what_was_laid_and_one_who_read_on_what_is_new(client: TestClient, story: str) -> None:
    tell(client, story)
    assert "laid and not yet used" in recap(client, story, **{"for": "writer"})["text"]
    assert "laid and not yet used" not in recap(client, story)["text"]
    new = recap(client, story, since=2, length=120)["text"]
    assert new.startswith("Mara chases Tomas")
    assert "Old Hob" not in new


def test_a_length_or_an_audience_that_cannot_be_is_refused(client: TestClient, story: str) -> None:
    tell(client, story)
    assert client.get(f"/v1/stories/{story}/recap", params={"length": 10}).status_code == 422
    assert client.get(f"/v1/stories/{story}/recap", params={"for": "cat"}).json()["type"].endswith("invalid-input")


@pytest.fixture
def model() -> Iterator[MessagesServer]:
    with messages_server() as server:
        yield server


def test_a_model_s_sentence_counts_only_where_the_records_it_cites_bear_it_out(
    application: Application, client: TestClient, story: str, model: MessagesServer
) -> None:
    tell(client, story)
    sentences = [
        {"text": "The key is stolen by Tomas.", "records": ["2:ev1"]},
        {"text": "Hob was murdered by Sir Bertram.", "records": ["2:c1"]},
        {"text": "Mara chases Tomas to the ferry.", "records": ["9:ev9"]},
    ]
    model.script(Answer(text=json.dumps({"sentences": sentences})))
    auditor = Auditor(application.pool, lambda: Adviser.over(model.options(), application.pool))
    found = auditor.recap(story)
    assert (found["by"], found["text"], found["unsupported"]) == (
        "claude",
        "The key is stolen by Tomas.",
        2,
    )
    assert found["sentences"][0]["evidence"][0]["quote"] == "Tomas stole the key"
    model.script(Answer(text=json.dumps({"sentences": sentences[1:]})))
    assert auditor.recap(story, audience="writer")["by"] == "templates"


def test_a_recap_is_paid_for_once_on_the_account_until_what_it_tells_is_taken_down(
    application: Application, client: TestClient, story: str, model: MessagesServer
) -> None:
    tell(client, story)
    said = {"sentences": [{"text": "The key is stolen by Tomas.", "records": ["2:ev1"]}]}
    model.answer = lambda _body, _number: Answer(text=json.dumps(said))
    auditor = Auditor(application.pool, lambda: Adviser.over(model.options(), application.pool))
    assert auditor.recap(story, length=437) == auditor.recap(story, length=437)
    assert len(model.asked) == 1
    (row,) = usage(application.pool, story)
    assert (row["chapter"], row["prompt_version"], row["calls"]) == (3, "audit-1", 1)
    assert PostgresAccount(application.pool).forget_story(story, 2) == 1
    auditor.recap(story, length=437)
    assert len(model.asked) == 2


def test_no_recap_is_asked_for_beyond_the_budget(
    application: Application, client: TestClient, story: str, model: MessagesServer
) -> None:
    tell(client, story)
    options = model.options(budget=Budget(0.000001))
    with pytest.raises(BudgetReached):
        Auditor(application.pool, lambda: Adviser.over(options, application.pool)).recap(story, length=438)
    assert model.asked == []


def test_the_command_prints_what_the_route_answers(
    client: TestClient, story: str, shared_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(client, story)
    for name, value in shared_environment.items():
        monkeypatch.setenv(name, value)
    arguments = ["recap", story, "--at", "2", "--length", "300", "--for", "writer"]
    printed = CliRunner().invoke(cli, [*arguments, "--json"]).stdout
    assert json.loads(printed) == recap(client, story, at=2, length=300, **{"for": "writer"})
    assert "Old Hob is dead." in CliRunner().invoke(cli, arguments, terminal_width=200).stdout


def test_the_page_tells_the_story_so_far_and_what_it_owes_as_of_the_chapter(client: TestClient, story: str) -> None:
    tell(client, story)
    page = client.get(f"/stories/{story}/so-far", params={"at": 1})
    assert page.status_code == 200
    assert "Mara takes the brass key." in page.text
    assert "the brother" in page.text
    assert "Tomas" not in page.text
    assert f"/stories/{story}/so-far?at=3" in client.get(f"/stories/{story}").text
    assert client.get("/stories/no-such-story/so-far").status_code == 404


def test_a_sentence_names_whom_it_is_about_and_a_thread_is_told_by_what_it_is(client: TestClient, story: str) -> None:
    text = "Mara's hand swelled in the night. A bell rang. The debt grew. “Come,” said Mara. Mara fancied. She swore to pay."
    publish(client, story, 1, text, records=[
        entity("e1", "Mara Voss"),
        said("ev1", "event", "Mara's hand swelled", summary="Her hand swells and is bound", participants=["Mara Voss"]),
        said("ev2", "event", "A bell rang", summary="It rings from the quay all night"),
        said("ev3", "event", "Mara fancied", summary="Mara fancied", participants=["Mara Voss"], confidence=0.7),
        said("i1", "interaction", "“Come,” said Mara", source="Mara Voss", target="Tomas", type="speaks",
             summary="Mara Voss speaks to Tomas: “Come,”"),
        said("s1", "situation", "A bell rang", summary="Mara Voss, Tomas: A bell rang in the night"),
        said("t1", "thread", "She swore to pay", thread="the debt to the ferryman", thread_kind="goal", status="opened"),
        said("t2", "thread", "The debt grew", thread="the debt to the ferryman", thread_kind="goal", status="advanced",
             description="A night goes in earning it"),
    ])  # fmt: skip
    assert recap(client, story)["text"] == (
        "Mara Voss’s hand swells and is bound.\n\nOne aim is not yet reached: the debt to the ferryman."
    )
