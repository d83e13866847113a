"""An answer in sentences never tells a replaced value alone: what holds stands beside it, or the sentence is not told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.embedding import HashEmbedder
from services.answering.answering import Answering
from services.answering.readers import ABSTAINED, Answer
from services.answering.readers.offline import OfflineReader
from services.answering.readers.reader import Manner
from services.answering.readers.sentences import is_entry, sentences
from services.retrieval.retriever import METHODS, Retriever
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns, told

NAMES: Final = ("Mara Voss", "Tomas Reyle", "Ilse")
PLACES: Final = ("the old mill", "the quay", "the lamp house by the weir")
GOALS: Final = ("find the ledger of the ferry", "leave the island", "marry Ilse in the spring")
QUESTIONS: Final = (
    "Tell me of Odran and the brass key: what did he want, and who had the key while he was about?",
    "What does Odran want, and why does he want it?",
    "How did the day go, and where was Odran when it rained?",
    "Why was Odran at the quay?",
    "What did Odran do in the rain?",
)
Chapter = tuple[int, int, int]
"""The owner of the key, the place of Odran, and what he wants."""
CHAPTERS: Final = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=5)


class TellingAll:
    """A reader that tells every sentence of its packet, and cites all of it."""

    name = "telling-all"

    def answer(self, question: str, packet: Mapping[str, Any], options: Sequence[str] = ()) -> Answer:
        return self.guided(question, packet, options, Manner())

    def guided(self, question: str, packet: Mapping[str, Any], options: Sequence[str], manner: Manner) -> Answer:
        told_ = [s.text for s in sentences(packet) if not is_entry(s.text)]
        return Answer(" ".join(told_), False, tuple(i["id"] for i in packet["items"])) if told_ else ABSTAINED


def tell(chapters: list[Chapter]) -> Telling:
    telling = Telling()
    for number, (owner, place, goal) in enumerate(chapters, 1):
        has, wants = f"{NAMES[owner]} has the brass key.", f"Odran wants to {GOALS[goal]}."
        text = f"{has} It rained on the roofs. Odran is at {PLACES[place]}. The day was long. {wants} So ended day {number}."
        telling.publish(number, text, [
            *(told(f"e{n}", "entity", text, name=name, type="character", aliases=[]) for n, name in enumerate((*NAMES, "Odran"))),
            owns("o1", "brass key", NAMES[owner], has),
            told("p1", "presence", f"Odran is at {PLACES[place]}", entity="Odran", location=PLACES[place]),
            told("c1", "character_delta", wants, character="Odran", attribute="goal", value=GOALS[goal]),
        ])  # fmt: skip
    return telling


def told_alone(chapters: list[Chapter], at: int, said: str) -> list[str]:
    """The sentences of an answer that tell what held in an earlier chapter, and what holds at `at` is not told with them."""
    last = chapters[at - 1]
    found = []
    for owner, place, goal in chapters[:at]:
        for sentence, was, now in (
            (f"{NAMES[owner]} has the brass key.", owner != last[0], NAMES[last[0]]),
            (f"Odran is at {PLACES[place]}.", place != last[1], PLACES[last[1]]),
            (f"Odran wants to {GOALS[goal]}.", goal != last[2], GOALS[last[2]]),
        ):
            if was and sentence in said and now.removeprefix("the ") not in said:
                found.append(sentence)
    return found


@pytest.mark.parametrize("method", sorted(METHODS))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    chapters=CHAPTERS,
    which=st.integers(0, len(QUESTIONS) - 1),
    back=st.integers(0, 2),
    budget=st.integers(120, 3_000),
    lexical=st.booleans(),
)
def test_an_answer_in_sentences_never_tells_a_replaced_value_alone(
    method: str, chapters: list[Chapter], which: int, back: int, budget: int, lexical: bool
) -> None:
    telling, embedder = tell(chapters), HashEmbedder()
    at = max(1, len(chapters) - back)
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
    for reader in (OfflineReader(), TellingAll()):
        reply = Answering(retriever, reader, lexical=lexical).ask(
            telling.story, QUESTIONS[which], at=at, method=method, budget=budget
        )
        said = reply["answer"] or ""
        assert told_alone(chapters, at, said) == [], (reader.name, said)
        there = {item["id"] for item in reply["packet"]["items"]}
        assert set(reply["evidence_ids"]) <= there
        assert reply["packet"]["used"] <= budget
        assert bool(said) == bool(reply["evidence_ids"])


@pytest.mark.parametrize("method", ["bm25", "weave"])
def test_what_holds_is_cited_with_the_sentence_that_tells_what_held(method: str) -> None:
    chapters = [(0, 0, 0), (1, 1, 1)]
    telling, embedder = tell(chapters), HashEmbedder()
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
    ask = Answering(retriever, TellingAll(), lexical=False).ask
    reply = ask(telling.story, QUESTIONS[0], method=method, budget=3_000)
    assert (
        "[owner(brass key) = Tomas Reyle (since chapter 2)]" in reply["answer"] or "Tomas Reyle has" in reply["answer"]
    )
    assert reply["audit"]["verdict"] in ("changed", "kept")
    before = ask(telling.story, QUESTIONS[0], method=method, budget=3_000, at=1)
    assert "Tomas" not in before["answer"]
    assert before["audit"]["verdict"] == "kept"
