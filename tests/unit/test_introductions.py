"""Who somebody is, as the state answers it: by another name, occupation and ties that hold, or a description."""

from __future__ import annotations

import pytest

from services.answering.readers.offline import OfflineReader
from tests.storytelling import Telling, told
from tests.unit.test_minds_and_kin import ask, related

FIRST = (
    "Orla the ferrywoman met the Grey Rider at the mill. Her friend Hugh was there, and Peter, and Mr. Dale with Mrs. Dale. "
    "Orla loved Hugh."
)
SECOND = "Orla was a smith now. The Grey Rider was Peter all along."


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    names = ("Orla", "Grey Rider", "Hugh", "Peter", "Mr. Dale", "Mrs. Dale")
    telling.publish(1, FIRST, [
        *(told(f"n{n}", "entity", name, name=name, type="character", aliases=[]) for n, name in enumerate(names)),
        told("n6", "entity", "mill", name="the mill", type="location", aliases=[], description="a mill by the ford"),
        told("n7", "entity", "Peter", name="Peter", type="character", aliases=[], description="the miller's quiet lodger"),
        told("c1", "character_delta", "Orla the ferrywoman", character="Orla", attribute="occupation", value="ferrywoman"),
        related("r1", "Her friend Hugh", "Hugh", "Orla", "friend"),
        related("r2", "Mr. Dale with Mrs. Dale", "Mr. Dale", "Mrs. Dale", "married", symmetric=True),
        related("r3", "Orla loved Hugh", "Orla", "Hugh", "loves"),
    ])  # fmt: skip
    telling.publish(2, SECOND, [
        told("c1", "character_delta", "Orla was a smith now", character="Orla", attribute="occupation", value="smith"),
        told("i1", "identity", "The Grey Rider was Peter all along", a="Grey Rider", b="Peter", known_to=["reader"]),
    ])  # fmt: skip
    telling.link("Grey Rider", "Peter", 2)
    return telling


@pytest.mark.parametrize(
    ("question", "at", "answer"),
    [
        ("Who is Orla?", 1, "ferrywoman"),
        ("Who is Orla?", 2, "smith"),
        ("Who is Hugh?", 2, "friend of Orla"),
        ("Who is Mrs. Dale?", 2, "married to Mr. Dale"),
        ("Who is Peter?", 1, "the miller's quiet lodger"),
        ("What is the mill?", 1, "a mill by the ford"),
        ("Who is the Grey Rider really?", 2, "Peter; the miller's quiet lodger"),
        ("What does Orla do for a living?", 1, "ferrywoman"),
        ("What was Orla's trade?", 2, "smith"),
    ],
)
def test_who_somebody_is_holds_after_the_chapter(telling: Telling, question: str, at: int, answer: str) -> None:
    reply = ask(telling, question, at=at)
    assert (reply["answer"], reply["abstained"]) == (answer, False)
    assert reply["evidence_ids"]


def test_nobody_is_made_up(telling: Telling) -> None:
    reply = ask(telling, "Who is the Grey Rider?", OfflineReader(), at=1)
    assert [step["source"] for step in reply["support"]][:1] != ["state"]
    assert reply["answer"] != "Peter"
