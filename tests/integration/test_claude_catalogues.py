"""Back catalogues as batches: across restarts nothing is sent or paid for twice, and what failed is asked for again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from services.extraction.claude.account import PostgresAccount, usage
from services.extraction.claude.budget import Budget
from services.extraction.claude.catalogues import BackCatalogue
from services.extraction.claude.client import Claude
from services.extraction.claude.errors import ClaudeUnavailable
from tests.claude_chapters import long_chapter
from tests.claude_product import Run, document, usual
from tests.messages_server import Answer, MessagesServer, is_follow_up

Pool = ConnectionPool[Any]
CHAPTERS = [(n, f"Chapter {n}. {long_chapter()}") for n in range(1, 5)]


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[Pool]:
    with ConnectionPool(postgres_dsn, min_size=1, max_size=4) as pool:
        yield pool


def catalogue(server: MessagesServer, pool: Pool, **options: Any) -> BackCatalogue:
    chosen = server.options(attempts=1, **options)
    return BackCatalogue(chosen, Claude(chosen, sleep=lambda _: None), pool)


def test_a_batch_is_collected_by_another_process_than_sent_it(pool: Pool, claude_server: MessagesServer) -> None:
    _, sent = catalogue(claude_server, pool).submit("tides", CHAPTERS)
    assert sent is not None
    assert ([sent.batch], sent.requests, sent.status) == (list(claude_server.batches), 4, "sent")
    [entry] = catalogue(claude_server, pool).collect("tides")
    assert (entry.stored, entry.failed, entry.status) == (4, {}, "collected")
    assert entry.usd == pytest.approx(sum(row["usd"] for row in usage(pool, "tides")))


def test_what_is_on_its_way_is_not_sent_again(pool: Pool, claude_server: MessagesServer) -> None:
    claude_server.batch_ended = False
    catalogue(claude_server, pool).submit("tides", CHAPTERS[:3])
    plan, _ = catalogue(claude_server, pool).submit("tides", CHAPTERS)
    assert plan.chapters == [4]
    plan, nothing = catalogue(claude_server, pool).submit("tides", CHAPTERS)
    assert (plan.requests, nothing) == ((), None)
    assert catalogue(claude_server, pool).collect("tides") == []
    assert [len(batch) for batch in claude_server.batches.values()] == [3, 1]


def test_a_batch_whose_answer_was_lost_is_found_again_and_not_paid_twice(
    pool: Pool, claude_server: MessagesServer
) -> None:
    claude_server.breaks = "after the batch"
    with pytest.raises(ClaudeUnavailable):
        catalogue(claude_server, pool).submit("tides", CHAPTERS)
    claude_server.breaks = ""
    plan, nothing = catalogue(claude_server, pool).submit("tides", CHAPTERS)
    assert (plan.requests, nothing) == ((), None)
    [entry] = catalogue(claude_server, pool).collect("tides")
    assert ([entry.batch], entry.stored) == (list(claude_server.batches), 4)
    assert len(claude_server.batches) == 1


def test_a_batch_that_never_arrived_is_sent_again(pool: Pool, claude_server: MessagesServer) -> None:
    claude_server.breaks = "before the batch"
    with pytest.raises(ClaudeUnavailable):
        catalogue(claude_server, pool).submit("tides", CHAPTERS)
    claude_server.breaks = ""
    _, sent = catalogue(claude_server, pool).submit("tides", CHAPTERS)
    assert sent is not None
    assert [entry.status for entry in catalogue(claude_server, pool).book.entries("tides")] == ["lost", "sent"]
    assert len(claude_server.batches) == 1


def test_collecting_again_changes_nothing(pool: Pool, claude_server: MessagesServer) -> None:
    catalogue(claude_server, pool).submit("tides", CHAPTERS)
    catalogue(claude_server, pool).collect()
    before = usage(pool)
    assert catalogue(claude_server, pool).collect() == []
    assert usage(pool) == before


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(item="errored"), "errored"),
        (Answer(item="expired"), "expired"),
        (Answer(item="canceled"), "canceled"),
        (Answer(text="", stop="refusal"), "refused"),
        (Answer(text="No."), "unreadable"),
    ],
)
def test_what_failed_in_a_batch_is_told_with_its_reason_and_sent_again(
    pool: Pool, claude_server: MessagesServer, answer: Answer, reason: str
) -> None:
    claude_server.answer = lambda body, n: answer if "Chapter 2." in str(body["messages"]) else usual(body, n)
    catalogue(claude_server, pool).submit("tides", CHAPTERS)
    [entry] = catalogue(claude_server, pool).collect("tides")
    assert (entry.stored, entry.failed) == (3, {"2": reason})
    claude_server.answer = usual
    plan, _ = catalogue(claude_server, pool).submit("tides", CHAPTERS)
    assert plan.chapters == [2]
    [again] = catalogue(claude_server, pool).collect("tides")
    assert (again.stored, again.failed) == (1, {})


def test_a_reply_of_a_batch_in_the_shape_of_a_tool_is_taken(pool: Pool, claude_server: MessagesServer) -> None:
    claude_server.answer = lambda body, n: Answer(text=usual(body, n).text, tool=True, stop="tool_use")
    catalogue(claude_server, pool).submit("tides", CHAPTERS)
    assert catalogue(claude_server, pool).collect("tides")[0].stored == 4


def test_what_is_on_its_way_counts_as_spent(pool: Pool, claude_server: MessagesServer) -> None:
    claude_server.batch_ended = False
    whole, _ = catalogue(claude_server, pool).submit("other", CHAPTERS)
    account = PostgresAccount(pool)
    assert account.spent(None) == pytest.approx(whole.usd)
    more = [(n, f"More. {text}") for n, text in CHAPTERS]
    plan, _ = catalogue(claude_server, pool, budget=Budget(whole.usd * 1.5)).submit("tides", more)
    assert 0 < len(plan.chapters) < 4
    assert plan.left
    plan, sent = catalogue(claude_server, pool, budget=Budget(whole.usd)).submit("late", [(1, long_chapter(30))])
    assert (plan.left, sent) == ((1,), None)


# --- from the command line ---


@pytest.fixture
def folder(tmp_path: Path, story: str) -> Path:
    for n in (1, 2, 3):
        (tmp_path / f"chapter-{n:03}.txt").write_text(f"Chapter {n} of {story}. {long_chapter()}")
    return tmp_path


def test_an_import_as_a_batch_is_run_again_until_it_is_done(
    claude_run: Run, claude_server: MessagesServer, story: str, folder: Path
) -> None:
    claude_server.batch_ended = False
    sent = document(claude_run("import", story, str(folder), "--batch", "--json"))
    assert sent["submitted"]["chapters"] == [1, 2, 3]
    waiting = claude_run("import", story, str(folder), "--batch")
    assert "Nothing is published yet" in waiting.stdout
    assert len(claude_server.batches) == 1
    claude_server.batch_ended = True
    done = document(claude_run("import", story, str(folder), "--batch", "--json"))
    assert (done["published"], done["stopped"]) == (3, None)
    live = [body for body in claude_server.asked if body.get("stream")]
    assert live
    assert all(is_follow_up(body) for body in live), "the first looks came from the batch"
    state = document(claude_run("state", story, "--key", "owner", "--json"))["state"]
    assert [entry["value"] for entry in state] == ["Tomas Reed"]


def test_the_commands_submit_show_and_collect(
    claude_run: Run, claude_server: MessagesServer, story: str, folder: Path
) -> None:
    submitted = document(claude_run("batches", "submit", story, str(folder), "--json"))
    assert submitted["batch"]["requests"] == 3
    assert "sent" in claude_run("batches", "status", story).stdout
    collected = document(claude_run("batches", "collect", story, "--json"))
    assert [each["stored"] for each in collected["collected"]] == [3]
    assert collected["on_their_way"] == []
    assert "No batch is on its way." in claude_run("batches", "collect", story).stdout
    [listed] = document(claude_run("batches", "status", story, "--json"))["batches"]
    assert (listed["status"], listed["stored"]) == ("collected", 3)


def test_a_batch_for_chapters_that_another_extractor_reads_is_refused(
    claude_run: Run, story: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_EXTRACTOR", "offline")
    refused = claude_run("import", story, str(folder), "--batch", "--json")
    assert refused.exit_code == 1
    assert json.loads(refused.stderr)["detail"].startswith("A batch is read by Claude")


def test_usage_tells_what_each_chapter_prompt_and_model_took(
    claude_run: Run, claude_server: MessagesServer, story: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_run("publish", story, "1", "-", stdin=f"One of {story}. {long_chapter()}".encode())
    claude_run("publish", story, "2", "-", stdin=f"Two of {story}. {long_chapter()}".encode())
    claude_run("reextract", story, "--chapters", "1", "--model", "claude-opus-5-5", "--prompt", "extract-1", "--yes")
    told = document(claude_run("usage", story, "--json"))
    assert [(row["chapter"], row["prompt_version"], row["model"], row["calls"]) for row in told["usage"]] == [
        (1, "extract-1", "claude-opus-5-5", 2), (1, "extract-2", "claude-sonnet-5-5", 2),
        (2, "extract-2", "claude-sonnet-5-5", 2),
    ]  # fmt: skip
    assert (told["total"]["calls"], told["total"]["tokens"], told["budget"]) == (6, 9_000, None)
    assert told["total"]["usd"] == pytest.approx(sum(row["usd"] for row in told["usage"]))
    monkeypatch.setenv("FABULA_CLAUDE_BUDGET", "1000/month")
    said = " ".join(claude_run("usage", story).stdout.split())
    assert "6 calls, 9,000 tokens" in said
    assert "Budget $1000.00 a month" in said


def test_usage_where_nobody_asked_anything_says_so(claude_run: Run, story: str) -> None:
    assert "not asked anything" in claude_run("usage", story).stdout


def test_a_takedown_of_a_chapter_takes_its_replies_and_leaves_what_they_cost(
    pool: Pool, claude_server: MessagesServer
) -> None:
    account = PostgresAccount(pool)
    back = catalogue(claude_server, pool)
    back.submit("tides", CHAPTERS)
    back.collect()
    cost = account.spent(None)
    assert account.forget_story("tides", 2) == 1
    assert account.forget_story("tides", 2) == 0
    plan, _ = back.submit("tides", CHAPTERS)
    assert plan.chapters == [2]
    back.collect()
    assert account.forget_story("tides") == 4
    assert account.spent(None) >= cost > 0
