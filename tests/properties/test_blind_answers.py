"""An answer at chapter n is the same, byte for byte, whatever happens after n; and so is the request that leaves for a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.embedding import HashEmbedder
from services.answering.answering import Answering
from services.answering.planning import ClaudePlanner
from services.answering.readers.claude import ClaudeReader
from services.answering.readers.offline import OfflineReader
from services.extraction.claude.account import MemoryAccount
from services.extraction.claude.client import Reply
from services.extraction.claude.paying import Paying
from services.extraction.claude.pricing import Tokens
from services.retrieval.retriever import METHODS, Retriever
from tests.memory_slices import MemorySlices
from tests.properties.test_blind_packets import Step, steps, tell
from tests.storytelling import Telling

FIRST: Final[Step] = ("publish", 2, "letter", "Mara", "Odran", ("snow", "ferry", "Mara", "burnt"))
QUESTIONS: Final = (
    "Who has the letter?",
    "Where is Mara?",
    "What is Mara's goal?",
    "Why does Mara have the letter, and whom does she meet?",
    "What did Mara do after Odran burnt the letter?",
    "Does Tomas know that Mara has the letter?",
    "How did the snow come to the ferry?",
)
OPTIONS: Final[Sequence[Sequence[str]]] = ((), ("Mara", "Tomas", "Odran"), ("True", "False"))


class Listening:
    """A model that notes each request, plans nothing and cites the first item that it is shown."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    def ask(self, body: dict[str, Any]) -> Reply:
        self.asked.append(orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
        if "parts" in body["output_config"]["format"]["schema"]["properties"]:
            return Reply(json.dumps({"parts": ["Who has the letter?"], "skills": []}), "complete", Tokens())
        shown = body["messages"][0]["content"][0]["text"]
        ids = [line.split(" | ")[0][1:] for line in shown.splitlines() if line.startswith("[")][:1]
        return Reply(
            json.dumps({"abstained": False, "answer": "Mara", "evidence_ids": ids}), "complete", Tokens(input=10)
        )


def answered(
    telling: Telling, method: str, question: str, options: Sequence[str], model: Listening | None
) -> tuple[bytes, list[bytes]]:
    embedder = HashEmbedder()
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
    if model is None:
        answering = Answering(retriever, OfflineReader())
    else:
        paid = Paying(model, MemoryAccount())
        answering = Answering(retriever, ClaudeReader(paid, "m"), planner=ClaudePlanner(paid, "m"), lexical=False)
    reply = answering.ask(telling.story, question, at=3, method=method, budget=2_000, options=options or None)
    return orjson.dumps(reply), model.asked if model else []


@pytest.mark.parametrize("with_model", [False, True], ids=["offline", "with a model"])
@pytest.mark.parametrize("method", sorted(METHODS))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    past=steps(1, 3),
    future=steps(4, 9),
    question=st.sampled_from(QUESTIONS),
    options=st.sampled_from(OPTIONS),
)
def test_the_future_changes_no_byte_of_an_answer_nor_of_what_a_model_is_asked(
    method: str, with_model: bool, past: list[Step], future: list[Step], question: str, options: Sequence[str]
) -> None:
    telling = Telling()
    tell(telling, [*past, FIRST])
    before = answered(telling, method, question, options, Listening() if with_model else None)
    tell(telling, [*future, ("publish", 4, "letter", "Tomas", "Odran", ("夜道", "snow"))])
    assert answered(telling, method, question, options, Listening() if with_model else None) == before


def test_the_past_does_change_it() -> None:
    telling = Telling()
    tell(telling, [FIRST])
    before = answered(telling, "weave", "Who has the letter?", (), None)
    tell(telling, [("publish", 3, "letter", "Tomas", "Odran", ("snow",))])
    assert answered(telling, "weave", "Who has the letter?", (), None) != before
