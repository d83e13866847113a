"""Replies and costs in PostgreSQL, estimates, and batches."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from psycopg_pool import ConnectionPool

from services.cli.importing import import_
from services.extraction.claude.account import MemoryAccount, PostgresAccount, usage
from services.extraction.claude.batches import Batches
from services.extraction.claude.client import Claude, Reply
from services.extraction.claude.context import NOTHING, Context
from services.extraction.claude.estimating import estimate
from services.extraction.claude.extractor import ClaudeExtractor
from services.extraction.claude.paying import paying
from services.extraction.claude.pricing import Tokens, cost, prices
from services.extraction.claude.purpose import WHOLE, about
from services.extraction.claude.requests import Requests
from tests.claude_chapters import ALL, SHORT, long_chapter
from tests.messages_server import Answer, MessagesServer, is_follow_up, messages_server, records

Pool = ConnectionPool[Any]
CHAPTERS = [(n, f"Chapter {n}. {long_chapter()}") for n in range(1, 5)]


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[Pool]:
    with ConnectionPool(postgres_dsn, min_size=1, max_size=4) as pool:
        PostgresAccount(pool).migrate()
        yield pool


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as running:
        running.answer = lambda body, _: records() if is_follow_up(body) else records(*ALL)
        yield running


def reader(server: MessagesServer, account: Any, context: Context = NOTHING) -> ClaudeExtractor:
    class Fixed:
        def before(self, story: str, chapter: int, text: str) -> Context:
            return context

    return ClaudeExtractor(server.options(), Claude(server.options()), account, Fixed())


def test_what_one_process_paid_for_another_does_not_pay_again(pool: Pool, server: MessagesServer) -> None:
    first = reader(server, PostgresAccount(pool)).read("tides", SHORT, chapter=1, language="en")
    again = reader(server, PostgresAccount(pool)).read("tides", SHORT, chapter=1, language="en")
    assert (first.calls, again.calls) == (2, 0)
    assert again.records == first.records


def test_usage_tells_calls_tokens_and_dollars_by_story_chapter_prompt_and_model(
    pool: Pool, server: MessagesServer
) -> None:
    extractor = reader(server, PostgresAccount(pool))
    extractor.read("tides", SHORT, chapter=1, language="en")
    extractor.read("tides", f"{SHORT} More.", chapter=2, language="en")
    extractor.read("other", f"{SHORT} Else.", chapter=1, language="en")
    rows = usage(pool, "tides")
    assert [(row["chapter"], row["calls"], row["tokens"]) for row in rows] == [(1, 2, 3_000), (2, 2, 3_000)]
    assert {(row["prompt_version"], row["model"]) for row in rows} == {("extract-2", "claude-sonnet-5-5")}
    assert rows[0]["usd"] == pytest.approx(0.014)
    assert len(usage(pool)) == 3


def test_a_reply_with_what_postgresql_cannot_keep_is_kept(pool: Pool, server: MessagesServer) -> None:
    account = PostgresAccount(pool)
    request = Requests(server.options()).extract(SHORT, NOTHING)
    account.enter(request, Reply("a\0b\ud83d", "complete", Tokens()), "tides", 1, usable=True, batch=False)
    kept = account.recall(request)
    assert kept is not None
    assert kept.text == "ab?"


def test_an_unusable_reply_is_kept_and_not_recalled(pool: Pool, server: MessagesServer) -> None:
    account = PostgresAccount(pool)
    request = Requests(server.options()).extract(SHORT, NOTHING)
    account.enter(request, Reply("no", "complete", Tokens(input=9)), "tides", 1, usable=False, batch=False)
    assert account.recall(request) is None
    assert usage(pool)[0]["tokens"] == 9


def test_a_reply_that_was_discarded_is_not_recalled(pool: Pool, server: MessagesServer) -> None:
    account = PostgresAccount(pool)
    request = Requests(server.options()).extract(SHORT, NOTHING)
    account.enter(request, Reply("{}", "complete", Tokens()), "tides", 1, usable=True, batch=False)
    account.discard(request)
    assert account.recall(request) is None


def test_a_text_that_is_taken_down_takes_its_replies_along(pool: Pool, server: MessagesServer) -> None:
    account = PostgresAccount(pool)
    request = Requests(server.options()).extract(SHORT, NOTHING)
    account.enter(request, Reply("{}", "complete", Tokens()), "tides", 1, usable=True, batch=False)
    assert account.forget(request.text_digest) == 1
    assert account.recall(request) is None


def test_an_answer_goes_with_any_chapter_that_it_was_shown_and_a_plan_with_any_of_the_story(
    pool: Pool, server: MessagesServer
) -> None:
    server.script(Answer(text='{"said": "yes"}'))
    model = paying(server.options(), pool, "answer")
    account = PostgresAccount(pool)
    for text, chapters in (("shown two", (1, 2)), ("shown the story", (WHOLE,))):
        with about("tides", 3, chapters):
            assert model.ask(asking(text)).text == model.ask(asking(text)).text  # the second is recalled
    assert len(server.asked) == 2
    assert account.forget_story("tides", 4) == 1
    assert account.forget_story("tides", 2) == 1
    assert account.forget_story("tides") == 0


def test_a_reply_that_is_not_of_the_form_is_paid_for_and_not_recalled(pool: Pool, server: MessagesServer) -> None:
    server.script(Answer(text="I would rather not"), Answer(text='{"said": "yes"}'))
    model = paying(server.options(), pool, "answer")
    assert [model.ask(asking("a question of its own")).text for _ in range(3)] == [
        "I would rather not", '{"said": "yes"}', '{"said": "yes"}'
    ]  # fmt: skip
    assert len(server.asked) == 2


def asking(text: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
    return {
        "model": "claude-sonnet-5-5",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "You answer."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}],
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    }


def test_several_may_migrate_at_once(pool: Pool) -> None:
    failures: list[BaseException] = []

    def migrate() -> None:
        try:
            PostgresAccount(pool).migrate()
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=migrate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# --- estimates ---


def test_an_estimate_asks_nothing_and_covers_what_reading_takes(server: MessagesServer) -> None:
    found = estimate([text for _, text in CHAPTERS], server.options())
    assert server.asked == []
    assert (found.chapters, found.calls) == (4, 8)
    assert 0 < found.usd_batch < found.usd


def test_without_the_second_look_an_estimate_is_smaller(server: MessagesServer) -> None:
    texts = [text for _, text in CHAPTERS]
    assert estimate(texts, server.options(second_look=False)).usd < estimate(texts, server.options()).usd


def test_a_model_without_a_known_price_is_taken_for_the_dearest() -> None:
    assert prices("claude-someday-9").output >= max(prices(m).output for m in ("claude-opus-5", "claude-sonnet-5-5"))


def test_a_batch_costs_half() -> None:
    tokens = Tokens(input=10, output=10)
    assert cost(tokens, "claude-sonnet-5-5", batch=True) == cost(tokens, "claude-sonnet-5-5") / 2


def test_import_estimate_publishes_nothing_and_needs_no_key(tmp_path: Path) -> None:
    for number, text in CHAPTERS:
        (tmp_path / f"chapter-{number:03}.txt").write_text(text)
    reply = CliRunner(env={"ANTHROPIC_API_KEY": ""}).invoke(import_, ["tides", str(tmp_path), "--estimate", "--json"])
    assert reply.exit_code == 0, reply.output
    told = json.loads(reply.output)
    assert (told["chapters"], told["calls"], told["model"]) == (4, 8, "claude-sonnet-5-5")
    assert told["usd"] > 0


def test_import_estimate_says_the_cost_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "chapter-001.txt").write_text(SHORT)
    reply = CliRunner().invoke(import_, ["tides", str(tmp_path), "--estimate"])
    assert "1 chapters would be read with claude-sonnet-5-5: about 2 calls" in " ".join(reply.output.split())


# --- batches ---


def batches(server: MessagesServer, account: Any) -> Batches:
    return Batches(server.options(), Claude(server.options()), account)


def test_a_batch_pays_for_the_first_look_of_every_chapter(pool: Pool, server: MessagesServer) -> None:
    account = PostgresAccount(pool)
    back = batches(server, account)
    batch = back.send(back.plan(CHAPTERS, 1.0))
    collected = back.collect(batch, "tides", CHAPTERS)
    assert collected is not None
    assert (collected.stored, collected.failed) == (4, ())
    reading = reader(server, account).read("tides", CHAPTERS[0][1], chapter=1, language="en")
    assert (reading.calls, reading.recalled) == (1, 1)


def test_a_chapter_of_a_batch_is_not_asked_for_again_once_there_is_a_state_to_show(server: MessagesServer) -> None:
    account = MemoryAccount()
    back = batches(server, account)
    back.collect(back.send(back.plan(CHAPTERS, 1.0)), "tides", CHAPTERS)
    known = Context(entities=(("Mara Voss", "character", ()),))
    reading = reader(server, account, known).read("tides", CHAPTERS[1][1], chapter=2, language="en")
    assert reading.recalled == 1


def test_a_budget_stops_before_it_is_spent_and_says_what_is_left(server: MessagesServer) -> None:
    back = batches(server, MemoryAccount())
    whole = back.plan(CHAPTERS, 100.0)
    half = back.plan(CHAPTERS, whole.usd / 2)
    assert half.usd <= whole.usd / 2
    assert half.left == (3, 4)
    assert whole.left == ()


def test_what_has_been_read_is_not_planned_again(server: MessagesServer) -> None:
    account = MemoryAccount()
    back = batches(server, account)
    back.collect(back.send(back.plan(CHAPTERS[:2], 1.0)), "tides", CHAPTERS[:2])
    assert [chapter for chapter, _ in back.plan(CHAPTERS, 1.0).requests] == [3, 4]


def test_a_batch_that_is_not_at_its_end_has_nothing_yet(server: MessagesServer) -> None:
    server.batch_ended = False
    back = batches(server, MemoryAccount())
    assert back.collect(back.send(back.plan(CHAPTERS, 1.0)), "tides", CHAPTERS) is None


def test_collecting_twice_stores_once(server: MessagesServer) -> None:
    account = MemoryAccount()
    back = batches(server, account)
    batch = back.send(back.plan(CHAPTERS, 1.0))
    back.collect(batch, "tides", CHAPTERS)
    again = back.collect(batch, "tides", CHAPTERS)
    assert again is not None
    assert (again.stored, len(account.calls)) == (0, 4)


@pytest.mark.parametrize(
    "answer", [Answer(status=500), Answer(text="no"), Answer(stop="refusal"), records()],
    ids=["errored", "prose", "refusal", "nothing"],
)  # fmt: skip
def test_a_chapter_that_failed_in_a_batch_is_named_and_asked_for_when_published(
    server: MessagesServer, answer: Answer
) -> None:
    account = MemoryAccount()
    back = batches(server, account)
    usual = server.answer
    server.answer = lambda body, n: answer if "Chapter 2." in str(body["messages"]) else usual(body, n)
    collected = back.collect(back.send(back.plan(CHAPTERS, 1.0)), "tides", CHAPTERS)
    assert collected is not None
    assert (collected.stored, collected.failed) == (3, (2,))
    server.answer = usual
    assert reader(server, account).read("tides", CHAPTERS[1][1], chapter=2, language="en").records
