"""`fabula status`: what is in, what waits and why, what needs somebody; asked at the command line and over HTTP."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from events.errors import UnknownStory
from services.composition import Application
from services.console.api import create_app
from services.extraction.claude.errors import BudgetReached
from services.extraction.status import status, waits_only_for_the_budget
from services.publishing.errors import NotSentYet, PublicationDead
from tests.claude_chapters import ALL, SHORT, long_chapter
from tests.claude_product import Run, document, usual
from tests.messages_server import Answer, MessagesServer, busy, is_follow_up, records, text_of

THREE = "\n\n* * *\n\n".join(f"Part {n}. {long_chapter(150)}" for n in range(3))
"""A chapter of three stretches."""


@pytest.fixture
def text(story: str) -> str:
    """A chapter of this test's own: what was said of the same text before would not be asked for again."""
    return f"{SHORT} So it stands in {story}."


def told(product: Application, story: str) -> dict[str, Any]:
    return status(product.pool, story, product.read_models())


def test_what_is_in_is_counted_and_what_shows_it_is_up_to_date(claude_product: Application, story: str) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    claude_product.publisher.publish(story, 2, "It rained. " + SHORT)
    claude_product.publisher.retract(story, 2)
    found = told(claude_product, story)
    assert found["chapters"] == {"in": 1, "retracted": 1, "waiting": 0, "needs_retry": 0}
    assert (found["waiting"], found["needs_retry"]) == ([], [])
    assert found["position"] == claude_product.ledger.last_position()
    assert {each["name"] for each in found["read_models"]} >= {"story_state", "entities"}
    assert all(each["behind"] == 0 for each in found["read_models"])


def test_a_story_that_nobody_published_to_is_unknown(claude_product: Application, story: str) -> None:
    claude_product.settle()
    with pytest.raises(UnknownStory):
        told(claude_product, story)


def test_s41_a_storm_is_told_with_its_reason_and_its_end(
    claude_product: Application, claude_server: MessagesServer, story: str, text: str
) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    claude_server.script(busy(retry_after="600"))
    before = datetime.now(UTC)
    with pytest.raises(NotSentYet):
        claude_product.publisher.publish(story, 2, text)
    found = told(claude_product, story)
    [waits] = found["waiting"]
    assert found["chapters"] == {"in": 1, "retracted": 0, "waiting": 1, "needs_retry": 0}
    assert (waits["chapter"], waits["reason"]) == (2, "claude-unavailable")
    assert "429" in waits["detail"]
    assert timedelta(seconds=595) < datetime.fromisoformat(waits["until"]) - before < timedelta(seconds=900)
    claude_server.answer = usual
    claude_product.publisher.resend_pending(story=story)
    assert told(claude_product, story)["chapters"]["in"] == 2


def test_s41_a_story_that_waits_does_not_hold_up_another_that_waited_behind_it(
    claude_product: Application, claude_server: MessagesServer, story: str, text: str
) -> None:
    stormy = f"a-{story}"
    claude_server.script(busy(529, "600"))
    for name, own in ((stormy, "Stormy. " + text), (story, text)):
        with pytest.raises(NotSentYet):
            claude_product.publisher.publish(name, 1, own)
    claude_server.answer = lambda body, n: busy(retry_after="600") if "Stormy." in text_of(body) else usual(body, n)
    with pytest.raises(Exception, match="model service"):
        claude_product.publisher.resend_pending()
    assert told(claude_product, story)["chapters"]["in"] == 1
    assert told(claude_product, stormy)["chapters"]["waiting"] == 1
    claude_server.answer = usual
    claude_product.publisher.resend_pending()


def test_s45_of_a_long_chapter_it_is_told_how_much_has_been_read(
    claude_product: Application, claude_server: MessagesServer, story: str, text: str
) -> None:
    claude_server.answer = lambda body, n: busy(retry_after="60") if "Part 2." in text_of(body) else usual(body, n)
    with pytest.raises(NotSentYet):
        claude_product.publisher.publish(story, 1, f"{text}\n\n* * *\n\n{THREE}")
    [waits] = told(claude_product, story)["waiting"]
    assert 0 < waits["read"]["done"] < waits["read"]["stretches"]
    claude_server.answer = usual
    asked = len(claude_server.asked)
    claude_product.publisher.resend_pending(story=story)
    first_looks = [text_of(b) for b in claude_server.asked[asked:] if not is_follow_up(b)]
    assert len(first_looks) == waits["read"]["stretches"] - waits["read"]["done"], (
        "what was read is not asked for again"
    )


def test_s38_a_chapter_whose_reply_is_cut_off_however_small_needs_a_retry_and_is_not_in(
    claude_product: Application, claude_server: MessagesServer, story: str, text: str
) -> None:
    cut = json.dumps({"records": list(ALL)})[:-40]
    claude_server.script(Answer(text=cut, stop="max_tokens"))
    with pytest.raises(PublicationDead):
        claude_product.publisher.publish(story, 1, text)
    found = told(claude_product, story)
    [letter] = found["needs_retry"]
    assert found["chapters"] == {"in": 0, "retracted": 0, "waiting": 0, "needs_retry": 1}
    assert (letter["id"], letter["reason"]) == (f"{story}/1", "reply-truncated")
    assert "cut off" in letter["detail"]
    with claude_product.pool.connection() as connection:
        kept = connection.execute("SELECT reply FROM claude.transcripts WHERE ending = 'truncated'").fetchall()
    assert (cut,) in kept, "the raw reply can be looked at"


def test_a_chapter_without_the_budget_waits_and_goes_on_once_it_is_raised(
    claude_product: Application,
    claude_run: Run,
    claude_server: MessagesServer,
    story: str,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FABULA_CLAUDE_BUDGET", "0.000001")
    with pytest.raises(BudgetReached, match="FABULA_CLAUDE_BUDGET"):
        claude_product.publisher.publish(story, 1, text)
    assert claude_server.asked == []
    found = told(claude_product, story)
    [waits] = found["waiting"]
    assert (waits["reason"], waits["until"]) == ("budget-reached", None)
    assert waits_only_for_the_budget(found)
    claude_product.publisher.publish(story, 2, SHORT, records=[])
    assert told(claude_product, story)["chapters"]["in"] == 1, "what needs no reading goes on"
    monkeypatch.delenv("FABULA_CLAUDE_BUDGET")
    assert document(claude_run("dead-letters", "list", story, "--json"))["dead_letters"] == []
    document(claude_run("publish", story, "1", "-", "--json", stdin=text.encode()))
    assert told(claude_product, story)["chapters"] == {"in": 2, "retracted": 0, "waiting": 0, "needs_retry": 0}


def test_an_import_stops_politely_at_the_budget_and_goes_on_when_it_is_raised(
    claude_run: Run, claude_server: MessagesServer, story: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in (1, 2, 3):
        (tmp_path / f"chapter-{n:03}.txt").write_text(f"Chapter {n}. {SHORT}")
    spent = document(claude_run("usage", "--json"))["total"]["usd"]
    monkeypatch.setenv("FABULA_CLAUDE_BUDGET", f"{spent + 0.05:.6f}")
    claude_server.answer = lambda body, n: Answer(text=usual(body, n).text, output_tokens=1_500)
    stopped = claude_run("import", story, str(tmp_path), "--json")
    reply = document(stopped)
    assert stopped.exit_code == 1
    assert reply["stopped"]["reason"] == "budget-reached"
    assert 0 < reply["published"] < 3
    assert reply["stopped"]["left"] == list(range(reply["published"] + 1, 4))
    shown = document(claude_run("state", story, "--json"))
    assert shown["at"] == reply["published"], "what was read is shown"
    told_ = claude_run("import", story, str(tmp_path))
    assert "Stopped with" in told_.stdout
    monkeypatch.setenv("FABULA_CLAUDE_BUDGET", f"{spent + 100:.6f}")
    done = document(claude_run("import", story, str(tmp_path), "--json"))
    assert done["stopped"] is None
    assert document(claude_run("status", story, "--json"))["chapters"]["in"] == 3
    first_looks = [text_of(b) for b in claude_server.asked if not is_follow_up(b)]
    assert len(first_looks) == len(set(first_looks)) == 3, "nothing is paid for twice"


def test_the_command_tells_it_in_sentences(claude_run: Run, claude_server: MessagesServer, story: str) -> None:
    claude_server.script(records())
    claude_run("publish", story, "1", "-", stdin=long_chapter().encode())
    said = " ".join(claude_run("status", story).stdout.split())
    assert f"{story}: 0 chapters are in, 0 wait, 1 could not be read." in said
    assert "found nothing in a long stretch" in said


def test_the_route_gives_the_same_document(claude_product: Application, claude_run: Run, story: str) -> None:
    claude_product.publisher.publish(story, 1, SHORT)
    with TestClient(create_app(claude_product), raise_server_exceptions=False) as client:
        reply = client.get(f"/v1/stories/{story}/status")
        assert reply.status_code == 200
        assert reply.json() == document(claude_run("status", story, "--json"))
        missing = client.get("/v1/stories/nobody-s/status")
        assert (missing.status_code, missing.json()["type"]) == (404, "urn:fabula:problem:unknown-story")
        assert client.get(f"/v1/stories/{story}/status?at=3").status_code == 422
