"""What somebody knows or feels, who is whose kin, and where somebody was when: answered by records before any words are read."""

from __future__ import annotations

from typing import Any

import pytest

from projections.embedding import HashEmbedder
from services.answering.answering import Answering
from services.answering.readers import Answer
from services.answering.readers.offline import OfflineReader
from services.retrieval.retriever import Retriever
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, told

FIRST = (
    "Peter and his son Curdie came to the mill. Orla was there. Peter was proud of Curdie. Curdie overheard that the bridge is sawn "
    "through. Hugh is nobody's father. Orla did not know it. Orla liked Curdie. Curdie was cheerful. At the forge Orla broke the lamp."
)
SECOND = "Peter trusted his son. Curdie was gloomy. Orla found out that the lamp is cracked."


def related(local: str, quote: str, source: str, target: str, relation: str, symmetric: bool = False) -> dict[str, Any]:
    return told(
        local, "relationship_delta", quote, source=source, target=target, relation=relation, symmetric=symmetric
    )


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    names = ("Peter", "Curdie", "Orla", "Hugh")
    telling.publish(1, FIRST, [
        *(told(f"n{n}", "entity", name, name=name, type="character", aliases=[]) for n, name in enumerate(names)),
        told("n8", "entity", "mill", name="the mill", type="location", aliases=[]),
        told("n9", "entity", "forge", name="the forge", type="location", aliases=[]),
        related("r1", "Peter and his son", "Peter", "Curdie", "father of"),
        related("r2", "Orla liked Curdie", "Orla", "Curdie", "friend of"),
        told("k1", "knowledge", "Curdie overheard", knower="Curdie", fact="The bridge is sawn through", stance="knows"),
        told("k2", "knowledge", "Orla did not know it", knower="Orla", fact="The bridge is sawn through", stance="unaware"),
        told("c1", "character_delta", "Curdie was cheerful", character="Curdie", attribute="emotion", value="cheerful"),
        told("v1", "event", "At the forge Orla broke the lamp", summary="Orla breaks the lamp", participants=["Orla"],
             location="the forge"),
    ])  # fmt: skip
    telling.publish(2, SECOND, [
        related("r1", "Peter trusted his son", "Peter", "Curdie", "trusting father of"),
        told("c1", "character_delta", "Curdie was gloomy", character="Curdie", attribute="emotion", value="gloomy"),
        told("k1", "knowledge", "Orla found out", knower="Orla", fact="The lamp is cracked", stance="knows"),
    ])  # fmt: skip
    return telling


class Silent:
    """A reader that must not be asked."""

    name = "silent"

    def answer(self, *_: Any) -> Answer:
        raise AssertionError("the state answers")

    guided = answer


def ask(telling: Telling, question: str, reader: Any = None, **asked: Any) -> dict[str, Any]:
    embedder = HashEmbedder()
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
    return Answering(retriever, reader or Silent(), lexical=reader is not None).ask(telling.story, question, **asked)


@pytest.mark.parametrize(
    ("question", "at", "answer"),
    [
        ("Who is Curdie's father?", 1, "Peter"),
        ("Who is the father of Curdie?", 2, "Peter"),
        ("Who are Curdie's parents?", 2, "Peter"),
        ("Is Peter Curdie's father?", 2, "Yes"),
        ("Is Hugh Curdie's father?", 2, "No: Peter"),
        ("What does Curdie know?", 2, "The bridge is sawn through"),
        ("What does Orla know about the lamp?", 2, "The lamp is cracked"),
        ("What does Orla not know?", 2, "The bridge is sawn through"),
        ("How does Curdie feel?", 1, "cheerful"),
        ("How does Curdie feel now?", 2, "gloomy"),
        ("How does Orla feel about Curdie?", 2, "friend of"),
        ("Where was Orla when she broke the lamp?", 2, "the forge"),
    ],
)
def test_the_records_answer(telling: Telling, question: str, at: int, answer: str) -> None:
    reply = ask(telling, question, at=at)
    assert (reply["answer"], reply["abstained"]) == (answer, False)
    assert reply["evidence_ids"]
    assert reply["audit"]["passed"]


def test_what_was_learned_since_in_other_words_is_not_unknown(telling: Telling) -> None:
    telling.publish(3, "Orla saw that the bridge is sawn through by Hugh.", [
        told("k1", "knowledge", "Orla saw", knower="Orla", fact="The bridge is sawn through by Hugh", stance="knows"),
    ])  # fmt: skip
    assert ask(telling, "What does Orla not know?", at=2)["answer"] == "The bridge is sawn through"
    assert ask(telling, "What does Orla not know?", OfflineReader(), at=3)["answer"] != "The bridge is sawn through"


def test_two_who_are_brothers_are_each_the_other_s(telling: Telling) -> None:
    telling.publish(3, "Hugh and Peter are brothers.", [
        related("r1", "are brothers", "Hugh", "Peter", "brothers", symmetric=True),
        related("r2", "Hugh and Peter", "Orla", "Hugh", "mother and son", symmetric=True),
    ])  # fmt: skip
    asked = {
        "Who is Hugh's brother?": "Peter",
        "Who is Peter's brother?": "Hugh",
        "Who is Hugh's mother?": "Orla",
        "Who is Orla's son?": "Hugh",
    }
    assert {question: ask(telling, question, at=3)["answer"] for question in asked} == asked


def test_an_option_is_held_against_who_is_recorded_to_be_the_kin(telling: Telling) -> None:
    question = "Who is Curdie's father?"
    assert ask(telling, question, at=2, options=["Hugh", "Orla", "Peter"])["answer"] == "Peter"


def test_nobody_s_kin_is_made_up(telling: Telling) -> None:
    reader = OfflineReader()
    for question in ("Who is Orla's father?", "Who is Curdie's mother?", "Who is Peter's father?"):
        reply = ask(telling, question, reader, at=2)
        assert [step["source"] for step in reply["support"]][:1] != ["state"], question


def test_a_kin_who_is_withdrawn_is_no_longer_told(telling: Telling) -> None:
    telling.publish(1, "Nothing of the sort.", [])
    telling.publish(2, "Nor here.", [])
    assert ask(telling, "Who is Curdie's father?", OfflineReader(), at=2)["abstained"]


def test_a_feeling_is_told_beside_what_it_is_felt_at() -> None:
    texts = "The miller saw the light in the wood. He was filled with astonishment. The wolf was angry."
    packet = {"items": [{"id": "p1", "type": "passage", "passage": "1:0-90", "chapter": 1, "text": texts}]}
    answer = OfflineReader().answer("How did the miller feel when he saw the light in the wood?", packet)
    assert answer.text == "astonishment"


def test_a_wife_who_does_something_is_a_wife(telling: Telling) -> None:
    telling.publish(3, "Orla ruled her husband Hugh.", [
        related("r1", "Orla ruled", "Orla", "Hugh", "wife who rules her husband"),
    ])  # fmt: skip
    assert ask(telling, "Who is Hugh's wife?", at=3)["answer"] == "Orla"


def test_who_knows_something_of_somebody_does_not_know_everything_of_him(telling: Telling) -> None:
    telling.publish(3, "Orla knew that old Peter Dale had made Hugh his heir.", [
        told("n1", "entity", "Peter Dale", name="Peter Dale", type="character", aliases=[]),
        told("k1", "knowledge", "Orla knew", knower="Orla", fact="Peter Dale had made Hugh his heir", stance="knows"),
    ])  # fmt: skip
    reply = ask(telling, "Who knows that Peter Dale is dead?", OfflineReader(), at=3)
    assert [step["source"] for step in reply["support"]][:1] != ["state"]
    assert ask(telling, "Who knows that Peter Dale made Hugh his heir?", at=3)["answer"] == "Orla"


def test_one_fears_whom_one_knows_to_be_a_danger(telling: Telling) -> None:
    telling.publish(3, "Orla knew what Hugh was, and that he sings.", [
        told("k1", "knowledge", "Orla knew", knower="Orla", fact="Hugh is a danger to the mill", stance="knows"),
        told("k2", "knowledge", "he sings", knower="Orla", fact="Hugh sings at night", stance="knows"),
    ])  # fmt: skip
    assert ask(telling, "Why does Orla fear Hugh?", at=3)["answer"] == "Orla knows that Hugh is a danger to the mill"
    assert ask(telling, "Why is Orla afraid of Peter?", OfflineReader(), at=3)["abstained"]


@pytest.mark.parametrize("options", [["Hugh", "Orla"], ["Hugh", "Odran"], ["Odran", "Tibb Marsh"]])
def test_where_the_state_has_another_none_of_the_options_is_taken(telling: Telling, options: list[str]) -> None:
    reply = ask(telling, "Who is Curdie's father?", OfflineReader(), at=2, options=options)
    assert (reply["answer"], reply["abstained"], reply["evidence_ids"]) == (None, True, [])
    assert "Peter" in reply["support"][0]["why"]


def test_an_option_in_other_words_may_be_who_the_state_has(telling: Telling) -> None:
    reply = ask(
        telling, "Who is Curdie's father?", OfflineReader(), at=2, options=["Hugh", "the man at the mill with his son"]
    )
    assert "none of the options" not in reply["support"][0]["why"]


def test_a_feeling_ends_no_marriage_and_another_tie_ends_kin(telling: Telling) -> None:
    telling.publish(3, "Orla was Hugh's wife.", [related("r1", "Orla was Hugh's wife", "Orla", "Hugh", "wife")])
    telling.publish(4, "Orla loved Hugh. Peter was Curdie's guardian only.", [
        related("r1", "Orla loved Hugh", "Orla", "Hugh", "loves"),
        related("r2", "Peter was Curdie's guardian", "Peter", "Curdie", "guardian"),
    ])  # fmt: skip
    assert ask(telling, "Who is Hugh's wife?", at=4)["answer"] == "Orla"
    assert ask(telling, "How does Orla feel about Hugh?", at=4)["answer"] == "loves"
    reply = ask(telling, "Who is Curdie's father?", OfflineReader(), at=4)
    assert [step["source"] for step in reply["support"]][:1] != ["state"]
    towards = ask(telling, "How does Orla feel about Hugh?", OfflineReader(), at=3)
    assert towards["answer"] != "wife"


@pytest.mark.parametrize("relation", ["former wife", "not the wife", "like a wife"])
def test_a_tie_that_is_none_makes_nobody_kin(telling: Telling, relation: str) -> None:
    telling.publish(3, "Orla and Hugh met.", [related("r1", "Orla and Hugh", "Orla", "Hugh", relation)])
    reply = ask(telling, "Who is Hugh's wife?", OfflineReader(), at=3)
    assert [step["source"] for step in reply["support"]][:1] != ["state"]


@pytest.mark.parametrize(
    ("fact", "same"),
    [
        ("Orla stole Hugh's ring", True),
        ("Orla did not steal Hugh's ring", False),
        ("Hugh stole Orla's ring", False),
        ("Hugh's ring was stolen by Orla", True),
    ],
)
def test_a_fact_is_another_where_it_is_denied_or_turned_about(telling: Telling, fact: str, same: bool) -> None:
    telling.publish(3, "Curdie knew that Orla stole Hugh's ring.", [
        told("k1", "knowledge", "Curdie knew", knower="Curdie", fact="Orla stole Hugh's ring", stance="knows"),
    ])  # fmt: skip
    reply = ask(telling, f"Does Curdie know that {fact}?", OfflineReader(), at=3)
    assert (reply["answer"] == "Yes") is same
