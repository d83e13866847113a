"""Planning with a model, against a local server that speaks the Messages API: what is believed, what rules do instead, what is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from projections.embedding import HashEmbedder
from services.composition import Application
from services.extraction.claude.account import MemoryAccount
from services.extraction.claude.budget import Budget
from services.extraction.claude.client import Claude
from services.extraction.claude.paying import Paying
from services.retrieval.planning.claude import PATIENCE, ClaudePlanning
from services.retrieval.planning.prompts import VERSION
from services.retrieval.retriever import Retriever
from services.settings import InvalidSetting, Settings
from tests.memory_slices import MemorySlices
from tests.messages_server import Answer, Body, MessagesServer, messages_server, text_of
from tests.storytelling import Telling, owns, told

GIFT = "Mara gave the brass key to Tomas at the ferry."
TOWER = "Tomas opened the tower with it before dawn."
FUTURE = "Odran drowned the lantern in the harbour."
QUESTION = "How did the key come to the tower?"


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as running:
        yield running


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    telling.publish(
        1, f"{GIFT} Snow fell.", [
            told("e1", "entity", "Mara", name="Mara", type="character"),
            owns("o1", "brass key", "Tomas", GIFT),
            told("v1", "event", GIFT, summary="Mara gives Tomas the brass key", participants=["Mara", "Tomas"]),
        ],
    )  # fmt: skip
    telling.publish(
        2, f"{TOWER} Nobody saw it.",
        [told("v1", "event", TOWER, summary="Tomas opens the tower with the key", participants=["Tomas"])],
    )  # fmt: skip
    return telling


class Desk:
    """A retriever over a telling that plans with the server; `account` says what it paid for."""

    def __init__(self, server: MessagesServer, telling: Telling, **options: Any) -> None:
        chosen = replace(server.options(**options), **PATIENCE)
        self.account = MemoryAccount()
        self._telling = telling
        model = Paying(Claude(chosen, sleep=lambda _: None), self.account, chosen.budget, version=VERSION)
        planning = ClaudePlanning(model, chosen.model)
        embedder = HashEmbedder()
        self.retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder), planning=planning)

    def packet(self, method: str = "weave", question: str = QUESTION, at: int = 2, **asked: Any) -> dict[str, Any]:
        return self.retriever.packet(self._telling.story, question, at=at, method=method, **asked)


def by_rules(telling: Telling, method: str) -> dict[str, Any]:
    embedder = HashEmbedder()
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
    return retriever.packet(telling.story, QUESTION, at=2, method=method)


def says(**reply: Any) -> Answer:
    return Answer(text=json.dumps(reply))


def step(packet: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(s for s in packet["trace"] if s["step"] == name)
    return found


def test_weave_asks_the_intents_that_the_model_names(server: MessagesServer, telling: Telling) -> None:
    server.script(says(intents=["Mara gave Tomas the key", "Tomas opened the tower"]))
    packet = Desk(server, telling).packet()
    assert step(packet, "intents")["asked"] == ["Mara gave Tomas the key", "Tomas opened the tower"]
    assert step(packet, "planning") == {"step": "planning", "asked": "intents", "by": "claude"}


def test_an_intent_that_names_what_is_not_in_the_story_is_not_believed(
    server: MessagesServer, telling: Telling
) -> None:
    server.script(says(intents=["Gandalf gave the key", "Tomas opened the tower"]))
    assert step(Desk(server, telling).packet(), "intents")["asked"] == ["Tomas opened the tower"]


def test_a_plan_of_which_nothing_is_believed_leaves_it_to_the_rules_and_says_so(
    server: MessagesServer, telling: Telling
) -> None:
    server.script(says(intents=["Gandalf fought the Balrog"]))
    packet = Desk(server, telling).packet()
    note = step(packet, "planning")
    assert note["by"] == "rules"
    assert "words of the question or of the story" in note["because"]
    assert packet["items"] == by_rules(telling, "weave")["items"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=529),
        Answer(status=401),
        Answer(text="I would rather not"),
        Answer(text='{"plans": []}'),
        Answer(text="{", stop="max_tokens"),
        Answer(text="", stop="refusal"),
    ],
    ids=["busy", "no key", "prose", "another form", "cut off", "refused"],
)
@pytest.mark.parametrize("method", ["weave", "pons", "pons:steps"])
def test_where_the_model_fails_rules_give_their_packet_and_the_trace_says_why(
    server: MessagesServer, telling: Telling, answer: Answer, method: str
) -> None:
    server.script(answer)
    packet = Desk(server, telling).packet(method)
    notes = [s for s in packet["trace"] if s["step"] == "planning"]
    assert notes
    assert all(note["by"] == "rules" and note["because"] for note in notes)
    assert packet["items"] == by_rules(telling, method)["items"]


def test_after_a_failure_the_rest_of_the_question_waits_for_no_model(server: MessagesServer, telling: Telling) -> None:
    server.script(Answer(status=401))
    Desk(server, telling).packet("pons:steps", budget_tokens=50)
    assert len(server.asked) == 1


def test_pons_keeps_the_threads_that_the_model_chose(server: MessagesServer, telling: Telling) -> None:
    server.answer = lambda body, _: says(kept=[n for n, line in enumerate(lines(body)) if "opens the tower" in line])
    packet = Desk(server, telling).packet("pons:pairs-only+tau=0+plot-only")
    assert step(packet, "flow") == {"step": "flow", "filter": "model", "threads": 1}
    assert {item["chapter"] for item in packet["items"]} == {2}


@pytest.mark.parametrize("kept", [[99], [-1], [], [True], ["0"]])
def test_a_choice_of_what_was_not_shown_is_no_choice(server: MessagesServer, telling: Telling, kept: list[Any]) -> None:
    server.script(says(kept=kept))
    packet = Desk(server, telling).packet("pons")
    assert step(packet, "planning")["by"] == "rules"
    assert packet["items"] == by_rules(telling, "pons")["items"]


def test_pons_goes_on_with_the_question_that_the_model_asks_next(server: MessagesServer, telling: Telling) -> None:
    replies = {"next": says(next="Who opened the tower?"), "kept": says(kept=list(range(9)))}
    server.answer = lambda body, _: replies[field(body)]
    packet = Desk(server, telling).packet("pons:steps")
    assert step(packet, "follow-up")["question"] == "Who opened the tower?"


def test_pons_asks_no_further_where_the_model_knows_enough(server: MessagesServer, telling: Telling) -> None:
    replies = {"next": says(next=""), "kept": says(kept=[0])}
    server.answer = lambda body, _: replies[field(body)]
    packet = Desk(server, telling).packet("pons:steps")
    assert not [s for s in packet["trace"] if s["step"] == "follow-up"]


def test_the_same_question_is_paid_for_once(server: MessagesServer, telling: Telling) -> None:
    server.script(says(intents=["Tomas opened the tower"]))
    desk = Desk(server, telling)
    assert desk.packet() == desk.packet()
    assert len(server.asked) == len(desk.account.calls) == 1


def test_a_reply_of_another_form_is_paid_for_and_asked_for_again(server: MessagesServer, telling: Telling) -> None:
    server.script(says(thoughts="many"), says(intents=["Tomas opened the tower"]))
    desk = Desk(server, telling)
    assert [step(desk.packet(), "planning")["by"] for _ in range(2)] == ["rules", "claude"]
    assert len(desk.account.calls) == 2


def test_the_account_says_for_which_story_and_chapter_was_paid(server: MessagesServer, telling: Telling) -> None:
    server.script(says(intents=["Tomas opened the tower"]))
    desk = Desk(server, telling)
    desk.packet()
    ((story, chapter, request, _),) = desk.account.calls
    assert (story, chapter, request.prompt_version) == (telling.story, 2, VERSION)
    assert desk.account.usd > 0


def test_a_spent_budget_asks_nothing(server: MessagesServer, telling: Telling) -> None:
    desk = Desk(server, telling, budget=Budget(0.0))
    packet = desk.packet()
    assert not server.asked
    assert step(packet, "planning")["by"] == "rules"


@pytest.mark.parametrize("method", ["weave", "pons:steps"])
def test_the_model_is_shown_nothing_that_comes_later(server: MessagesServer, telling: Telling, method: str) -> None:
    replies = {"intents": says(intents=[]), "next": says(next="Who opened the tower?"), "kept": says(kept=[0])}
    server.answer = lambda body, _: replies[field(body)]
    before, asked = Desk(server, telling).packet(method), list(server.asked)
    telling.publish(
        3, FUTURE,
        [told("v1", "event", FUTURE, summary="Odran drowns the lantern", participants=["Odran"])],
    )  # fmt: skip
    server.asked.clear()
    assert Desk(server, telling).packet(method) == before
    assert server.asked == asked


def test_a_name_of_a_later_chapter_is_not_believed(server: MessagesServer, telling: Telling) -> None:
    telling.publish(3, FUTURE, [])
    server.script(says(intents=["Odran drowned the lantern", "Tomas opened the tower"]))
    assert step(Desk(server, telling).packet(at=2), "intents")["asked"] == ["Tomas opened the tower"]


def test_planning_with_claude_wants_a_key(tmp_path: Any) -> None:
    settings = Settings(home=tmp_path, cache=tmp_path, planner="claude", embedder="hash", postgres="host=nowhere")
    with Application(settings) as application, pytest.raises(InvalidSetting, match="ANTHROPIC_API_KEY"):
        _ = application.retriever


def lines(body: Body) -> list[str]:
    """The numbered pieces of evidence that a request shows."""
    return text_of(body).splitlines()[1:-1]


def field(body: Body) -> str:
    """What a request wants to have told."""
    (wanted,) = body["output_config"]["format"]["schema"]["properties"]
    return str(wanted)
