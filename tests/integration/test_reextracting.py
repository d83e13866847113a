"""`fabula reextract`: what reading anew would change is shown before it is published, and nothing else is published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from events.errors import Conflict, UnknownChapter, UnknownStory
from services.composition import Application
from services.extraction.extractors import NoExtractor, extractor
from services.extraction.reextracting import propose
from tests.claude_chapters import ALL, MARA, PRESENCE, SHORT, TOMAS, said
from tests.claude_product import Run, document, usual
from tests.messages_server import MessagesServer, busy, is_follow_up, records
from tests.serving_fixtures import entity, owns

AT_THE_QUAY = said("o9", "object_delta", "gave him the key", object="brass key", owner="Mara Voss", location="")


def finds(server: MessagesServer, *said_: dict[str, object]) -> None:
    server.answer = lambda body, _: records() if is_follow_up(body) else records(*said_)


def owner(product: Application, story: str) -> list[str]:
    return [entry["value"] for entry in product.reading().state(story, key="owner")["state"]]


def test_a_preview_tells_records_and_keys_and_writes_nothing(
    claude_product: Application, claude_run: Run, claude_server: MessagesServer, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    claude_product.publisher.publish(story, 2, "It rained. " + SHORT)
    before = claude_product.ledger.last_position()
    finds(claude_server, MARA, TOMAS, PRESENCE, AT_THE_QUAY)
    told = document(
        claude_run("reextract", story, "--chapters", "1", "--model", "claude-opus-5-5", "--preview", "--json")
    )
    [first] = [each for each in told["chapters"] if each["read"]]
    assert {each["says"]["kind"] for each in first["gone"]} == {"object_delta", "thread"}
    assert [each["says"]["owner"] for each in first["new"]] == ["Mara Voss"]
    assert first["kept"] == 3
    assert {"key": "owner(brass key)", "before": "Tomas Reed", "after": "Mara Voss"} in first["keys"]
    assert told["extractor"].startswith("claude/claude-opus-5-5/extract-2+")
    assert told["published"] == []
    assert claude_product.ledger.last_position() == before
    assert claude_product.ledger.statuses(story) == {"appended": 2}


def test_what_was_shown_is_what_is_published_and_nobody_reads_it_again(
    claude_product: Application, claude_run: Run, claude_server: MessagesServer, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    finds(claude_server, MARA, TOMAS, AT_THE_QUAY)
    shown = document(claude_run("reextract", story, "--prompt", "1", "--dry-run", "--json"))
    asked = len(claude_server.asked)
    done = document(claude_run("reextract", story, "--prompt", "1", "--yes", "--json"))
    assert len(claude_server.asked) == asked
    assert done["chapters"] == shown["chapters"]
    assert done["published"] == [{"chapter": 1, "revision": 2, "position": claude_product.ledger.last_position()}]
    assert owner(claude_product, story) == ["Mara Voss"]
    [interval] = document(claude_run("history", story, "owner(brass key)", "--json"))["intervals"][:1]
    assert interval["provenance"]["prompt"] == "extract-1"


def test_publishing_the_text_again_leaves_what_was_read_anew_alone(
    claude_product: Application, claude_run: Run, claude_server: MessagesServer, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    finds(claude_server, MARA, TOMAS, AT_THE_QUAY)
    document(claude_run("reextract", story, "--model", "claude-opus-5-5", "--yes", "--json"))
    assert claude_product.publisher.publish(story, 1, SHORT)["unchanged"]
    assert owner(claude_product, story) == ["Mara Voss"]


def test_reading_with_the_same_prompt_and_model_changes_nothing_and_costs_nothing(
    claude_product: Application, claude_run: Run, claude_server: MessagesServer, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    asked, before = len(claude_server.asked), claude_product.ledger.last_position()
    told = claude_run("reextract", story, "--yes")
    assert "Nothing changes." in told.stdout
    assert (len(claude_server.asked), claude_product.ledger.last_position()) == (asked, before)


def test_the_offline_extractor_reads_anew_too(claude_product: Application, claude_run: Run, story: str) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    told = document(claude_run("reextract", story, "--extractor", "offline", "--yes", "--json"))
    assert told["extractor"] == "offline"
    events = document(claude_run("audit", story, "--json"))["events"]
    again = [e for e in events if e["revision"] == 2]
    assert again[0]["detail"]["rereads"] == 1
    assert {e["reason"] for e in events if e["type"] == "RecordInvalidated"} == {"superseded_extraction"}
    stamps = [e["detail"]["provenance"] for e in again if e["type"] in ("RecordAsserted", "RecordCarried")]
    assert stamps
    assert all(stamp == {"extractor": "offline"} for stamp in stamps)


def test_a_chapter_downstream_that_loses_its_ground_is_shown(
    claude_product: Application, claude_server: MessagesServer, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    gives = owns(
        "o1", "brass key", "Ilse", "Ilse took it", requires=[{"key": "owner(brass key)", "value": "Tomas Reed"}]
    )
    claude_product.publisher.publish(story, 2, "Ilse took it.", records=[entity("e1", "Ilse"), gives])
    claude_product.settle()
    finds(claude_server, MARA, TOMAS, AT_THE_QUAY)
    reads = extractor("claude", claude_product.pool, model="claude-opus-5-5")
    told = propose(claude_product.ledger, reads, story, [1]).to_json()
    second = next(each for each in told["chapters"] if each["chapter"] == 2)
    assert [(each["record"], each["reason"]) for each in second["lost"]] == [("2:o1", "precondition_failed")]
    assert second["keys"] == [{"key": "owner(brass key)", "before": "Ilse", "after": "Mara Voss"}]
    assert not second["read"]


def test_what_cannot_be_read_anew_is_left_out_with_its_reason(
    claude_product: Application, claude_server: MessagesServer, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    claude_product.publisher.publish(story, 2, SHORT, records=[])
    claude_product.publisher.publish(story, 3, SHORT)
    claude_product.publisher.retract(story, 3)
    proposal = propose(claude_product.ledger, NoExtractor(), story, [1, 2, 3])
    assert [each.base.chapter for each in proposal.rereads] == [1]
    assert "handed in" in proposal.skipped[2]
    assert "withdrawn" in proposal.skipped[3]
    assert propose(claude_product.ledger, NoExtractor(), story, None).skipped == {}


def test_a_chapter_or_story_that_is_not_there_is_said(claude_product: Application, story: str) -> None:
    with pytest.raises(UnknownStory):
        propose(claude_product.ledger, NoExtractor(), story, None)
    claude_product.publisher.publish(story, 1, SHORT)
    with pytest.raises(UnknownChapter, match="no chapter 7"):
        propose(claude_product.ledger, NoExtractor(), story, [1, 7])


def test_an_edit_that_came_meanwhile_is_not_undone(
    claude_product: Application, claude_server: MessagesServer, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    proposal = propose(claude_product.ledger, NoExtractor(), story, [1])
    claude_product.publisher.publish(story, 1, SHORT + " It rained.")
    with pytest.raises(Conflict, match="meanwhile"):
        claude_product.publisher.reread(proposal.requests()[0])


def test_an_outage_in_the_middle_publishes_nothing_and_going_on_pays_nothing_twice(
    claude_product: Application, claude_run: Run, claude_server: MessagesServer, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    claude_product.publisher.publish(story, 2, "It rained. " + SHORT)
    before = claude_product.ledger.last_position()
    claude_server.answer = lambda body, n: (
        busy(retry_after="1") if "It rained" in str(body["messages"]) else usual(body, n)
    )
    again = ("reextract", story, "--model", "claude-opus-5-5", "--yes", "--json")
    broken = claude_run(*again)
    assert broken.exit_code == 1
    assert json.loads(broken.stderr.splitlines()[-1])["type"].endswith("claude-unavailable")
    assert claude_product.ledger.last_position() == before
    finds(claude_server, *ALL[:4])
    paid = len(claude_server.asked)
    document(claude_run(*again))
    assert not any("It rained" not in str(body["messages"]) for body in claude_server.asked[paid:])


@pytest.mark.parametrize("chapters", ["x", "0", "5-3", "1,,2", "1-", "-2", "٣"])
def test_chapters_that_make_no_sense_are_wrong_usage(claude_run: Run, story: str, chapters: str) -> None:
    assert claude_run("reextract", story, f"--chapters={chapters}", "--preview").exit_code == 2


def test_where_nobody_can_be_asked_one_says_what_is_wanted(claude_run: Run, story: str) -> None:
    told = claude_run("reextract", story)
    assert told.exit_code == 2
    assert "--preview" in told.stderr


@pytest.mark.parametrize(("answer", "published"), [(b"n\n", 0), (b"y\n", 1)])
def test_at_a_terminal_the_change_is_shown_and_published_only_if_one_agrees(
    claude_product: Application,
    claude_run: Run,
    claude_server: MessagesServer,
    story: str,
    answer: bytes,
    published: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.cli.reextracting._somebody_is_there", lambda: True)
    claude_product.publisher.publish(story, 1, SHORT)
    finds(claude_server, MARA, TOMAS, AT_THE_QUAY)
    asked = claude_run("reextract", story, "--model", "claude-opus-5-5", stdin=answer)
    assert "owner(brass key): Tomas Reed → Mara Voss" in asked.stderr
    assert "Publish this?" in asked.stderr
    assert claude_product.ledger.statuses(story) == {"appended": 1 + published}


def test_a_prompt_that_is_not_there_is_said_with_those_that_are(
    claude_product: Application, claude_run: Run, story: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    told = claude_run("reextract", story, "--prompt", "77", "--preview")
    assert told.exit_code == 1
    assert "extract-1, extract-2" in told.stderr.replace("\n", " ")


def test_a_model_for_an_extractor_that_asks_none_is_refused(claude_run: Run, story: str, tmp_path: Path) -> None:
    told = claude_run("reextract", story, "--extractor", "offline", "--model", "m", "--preview")
    assert told.exit_code == 1
    assert "asks no model" in told.stderr
