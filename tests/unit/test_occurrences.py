"""Questions about what happened, answered by the records that tell it: who did what to whom, when, where and why."""

from __future__ import annotations

from typing import Any

import pytest

from projections.embedding import HashEmbedder
from services.answering.naming import names_of
from services.answering.occurrences.agreeing import agreement
from services.answering.occurrences.verbs import base_of, done_by, held_alike, same_deed, third_person
from tests.asking import ask
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, told

NAMES = ("Mara", "Tomas", "Odran", "Ilse", "the watch")
FIRST = (
    "In the mill Mara gave Tomas the brass key. Odran had Ilse locked in the cellar, because she knew too much. The rain began. "
    "Ilse is afraid. Odran wants the mill."
)
SECOND = (
    "Tomas heard her call. He broke the door and let her out. An arrow struck Tomas. The watch took him for a thief. "
    "He promised Ilse a boat. He put the key under a stone. Odran saw no boat. Mara was told all by Tomas."
)


def event(local: str, quote: str, summary: str, *parts: str | tuple[str, str], **fields: Any) -> dict[str, Any]:
    there = [{"entity": part[0], "role": part[1]} if isinstance(part, tuple) else {"entity": part} for part in parts]
    return told(local, "event", quote, summary=summary, participants=there, **fields)


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    telling.publish(1, FIRST, [
        *(told(f"n{n}", "entity", "the mill", name=name, type="character", aliases=[]) for n, name in enumerate(NAMES)),
        told("n8", "entity", "brass key", name="the brass key", type="object", aliases=["the key"]),
        told("n9", "entity", "the mill", name="the mill", type="location", aliases=[]),
        told("n10", "entity", "the cellar", name="the cellar", type="location", aliases=[]),
        event("e1", "Mara gave Tomas the brass key", "Mara gives Tomas the brass key.", "Mara", "Tomas", location="the mill"),
        told("i1", "interaction", "locked in the cellar", source="Odran", target="Ilse", type="imprisons",
             summary="He shuts her up in the cellar, because she knows too much."),
    ])  # fmt: skip
    telling.publish(2, SECOND, [
        event("e1", "heard her call", "Tomas hears a call from the cellar.", "Tomas", location="the mill"),
        event("e2", "let her out", "Tomas breaks the cellar door and lets Ilse out.", ("Tomas", "rescuer"), ("Ilse", "captive"),
              location="the cellar", causes=["2:e1"]),
        event("e3", "An arrow struck Tomas", "An arrow strikes Tomas as he runs.", ("the watch", "shooter"), ("Tomas", "victim")),
        told("f1", "fact", "took him for a thief", subject="Tomas", predicate="was shot because", object="he was taken for a thief"),
        event("e4", "promised Ilse a boat", "Tomas promises Ilse a boat.", "Tomas", "Ilse"),
        event("e5", "put the key under a stone", "Tomas puts the brass key under a stone.", "Tomas", location="the cellar"),
        event("e6", "saw no boat", "Odran sees no Ilse there.", "Odran", "Ilse"),
        told("k1", "knowledge", "told all", knower="Mara", fact="Tomas let Ilse out of the cellar", stance="knows",
             learned_via="told by Tomas"),
    ])  # fmt: skip
    return telling


@pytest.mark.parametrize(
    ("question", "at", "answer"),
    [
        ("Who gave Tomas the brass key?", 2, "Mara"),
        ("From whom did Tomas get the key?", 2, "Mara"),
        ("To whom did Mara give the key?", 1, "Tomas"),
        ("What did Mara give Tomas?", 1, "Mara gives Tomas the brass key."),
        ("Who imprisoned Ilse?", 1, "Odran"),
        ("By whom was Ilse imprisoned?", 1, "Odran"),
        ("Why did Odran imprison Ilse?", 1, "Odran shuts Ilse up in the cellar, because she knows too much."),
        ("How did Ilse get out of the cellar?", 2, "Tomas breaks the cellar door and lets Ilse out."),
        ("Who rescued Ilse?", 2, "Tomas"),
        ("Did Tomas rescue Ilse?", 2, "Yes: Tomas breaks the cellar door and lets Ilse out."),
        ("Why did Tomas let Ilse out?", 2, "Tomas hears a call from the cellar. Tomas breaks the cellar door and lets Ilse out."),
        ("Who shot Tomas?", 2, "the watch"),
        ("Why was Tomas shot?", 2, "Tomas was shot because he was taken for a thief."),
        ("What did Tomas promise Ilse?", 2, "Tomas promises Ilse a boat."),
        ("Where did Tomas put the key?", 2, "under a stone"),
        ("When did Tomas rescue Ilse?", 2, "In chapter 2: Tomas breaks the cellar door and lets Ilse out."),
        ("When did Tomas first meet Mara?", 2, "In chapter 1: Mara gives Tomas the brass key."),
        ("Did Odran see Ilse?", 2, "No: Odran sees no Ilse there."),
        ("Who told Mara about the cellar?", 2, "Tomas"),
    ],
)  # fmt: skip
def test_the_records_of_what_happened_answer(telling: Telling, question: str, at: int, answer: str) -> None:
    reply = ask(telling, question, at)
    assert reply["answer"] == answer
    assert reply["support"][0]["source"] == "records"
    cited = [item for item in reply["packet"]["items"] if item["id"] in reply["evidence_ids"]]
    assert cited
    assert all(item["chapter"] <= at for item in cited)


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ("How did Ilse get out of the cellar?", 1),
        ("Who rescued Ilse?", 1),
        ("Who gave Mara the brass key?", 2),  # she gave it
        ("Did Ilse rescue Tomas?", 2),  # he did
        ("Did Odran promise Ilse a boat?", 2),
        ("Who imprisoned Tomas?", 2),
        ("Why did Tomas meet Odran?", 2),
    ],
)
def test_what_no_record_tells_is_not_answered(telling: Telling, question: str, at: int) -> None:
    assert ask(telling, question, at)["abstained"], question


def test_a_withdrawn_record_answers_no_more(telling: Telling) -> None:
    telling.publish(1, "Nothing of the sort.", [])
    assert ask(telling, "Who gave Tomas the brass key?", 2)["answer"] != "Mara"


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Tomas freed Ilse.", "agrees"),
        ("He freed her at once.", "may agree"),
        ("Ilse was freed by Tomas.", "agrees"),
        ("Ilse freed Tomas.", "of others"),
        ("Odran freed Ilse.", "of others"),
        ("Tomas freed Odran.", "of others"),
        ("Tomas saw Ilse.", "not told"),
    ],
)
def test_a_sentence_of_others_is_told_from_one_of_those_who_are_asked_about(
    telling: Telling, sentence: str, found: str
) -> None:
    slices = MemorySlices(telling, HashEmbedder())
    names = names_of(slices.slice(slices.resolve(telling.story, 2, None)))
    assert agreement(names, "How did Tomas free Ilse?", sentence) == found


def test_verbs_of_one_deed() -> None:
    rescued, got, kissed = same_deed("rescue", "free"), same_deed("get", "give"), same_deed("kiss", "give")
    assert rescued is not None
    assert not rescued.turned
    assert got is not None
    assert got.turned
    assert kissed is None
    assert [done_by(role) for role in ("rescuer", "giver", "one who waits", "river")] == ["rescue", "give", "", ""]
    assert [base_of(word) for word in ("shot", "frightened", "trapped", "stone")] == [
        "shoot",
        "frighten",
        "trapp",
        "stone",
    ]
    assert [third_person(word) for word in ("terrifies", "rescues", "imprisons", "lens")] == [
        "terrify", "rescue", "imprison", "lens",
    ]  # fmt: skip
    assert held_alike("the goblins are tunnelling", "the goblins dig new houses") == 1.0
    assert held_alike("the goblins are singing", "the goblins dig new houses") == 0.5


def test_who_gets_to_a_place_is_given_nothing(telling: Telling) -> None:
    telling.publish(3, "Mara got to the mill before Tomas.", [
        event("e1", "Mara got to the mill", "Mara got to the mill before Tomas.", "Mara", "Tomas"),
    ])  # fmt: skip
    assert ask(telling, "What did Tomas give Mara?", 3)["abstained"]


def test_of_several_happenings_the_last_answers_and_the_first_where_that_is_asked_for(telling: Telling) -> None:
    telling.publish(3, "In the cellar Mara gave Tomas a coat.", [
        event("e1", "Mara gave Tomas a coat", "Mara gives Tomas a coat.", "Mara", "Tomas", location="the cellar"),
    ])  # fmt: skip
    assert ask(telling, "What did Mara give Tomas?", 3)["answer"] == "Mara gives Tomas a coat."
    assert ask(telling, "What did Mara first give Tomas?", 3)["answer"] == "Mara gives Tomas the brass key."
    assert ask(telling, "What did Mara give Tomas?", 2)["answer"] == "Mara gives Tomas the brass key."
