"""Who somebody is, has and has become, since when, and who knows a thing in other words: by what holds."""

from __future__ import annotations

import pytest

from projections.embedding import HashEmbedder
from services.answering.naming import names_of
from tests.asking import ask
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns, told

FIRST = (
    "Odran was a ferryman of forty, grey already. Ilse had the brass key. The smugglers dig under the weir, as Ilse overheard. "
    "Odran did not believe the tale of the lamp. Odran promised to row Ilse over. The smugglers' dogs ran about."
)
SECOND = (
    "Odran drowned. Now Mara had the brass key. He had rowed Ilse over. The dogs were gone. Odran's hair was white."
)


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    telling.publish(1, FIRST, [
        *(told(f"n{n}", "entity", "Odran", name=name, type="character", aliases=[]) for n, name in enumerate(("Ilse", "Mara"))),
        told("n8", "entity", "ferryman", name="Odran", type="character", aliases=["the ferryman"], description="a ferryman of forty."),
        told("n9", "entity", "smugglers", name="the smugglers", type="group", aliases=[]),
        told("n10", "entity", "dogs", name="the smugglers' hounds", type="creature", aliases=["the dogs"], description="two lean hounds"),
        told("n11", "entity", "brass key", name="brass key", type="object", aliases=[]),
        owns("o1", "brass key", "Ilse", "Ilse had the brass key"),
        told("k1", "knowledge", "Ilse overheard", knower="Ilse", fact="The smugglers dig under the weir", stance="knows",
             learned_via="overheard at the weir"),
        told("k2", "knowledge", "did not believe", knower="Odran", fact="The tale of the lamp is true", stance="doubts"),
        told("t1", "thread", "promised", thread="Odran rows Ilse over", thread_kind="promise", status="opened"),
        told("c1", "character_delta", "grey", character="Odran", attribute="appearance", value="grey"),
        told("c2", "character_delta", "ferryman", character="Odran", attribute="status", value="alive"),
        told("r1", "relationship_delta", "Odran", source="Odran", target="Ilse", relation="uncle of", symmetric=False),
    ])  # fmt: skip
    telling.publish(2, SECOND, [
        owns("o1", "brass key", "Mara", "Mara had the brass key"),
        told("t1", "thread", "rowed Ilse over", thread="Odran rows Ilse over", thread_kind="promise", status="paid_off"),
        told("c1", "character_delta", "white", character="Odran", attribute="appearance", value="white-haired"),
        told("c2", "character_delta", "drowned", character="Odran", attribute="status", value="drowned"),
        told("c3", "character_delta", "gone", character="the smugglers' hounds", attribute="status", value="gone"),
    ])  # fmt: skip
    return telling


@pytest.mark.parametrize(
    ("question", "at", "answer"),
    [
        ("Who is Odran?", 1, "a ferryman of forty; uncle of Ilse"),
        ("What does Odran look like?", 1, "grey"),
        ("How does Odran look now?", 2, "white-haired"),
        ("What has become of Odran?", 2, "drowned"),
        ("What happened to the ferryman?", 1, "alive"),
        ("What became of the smugglers' dogs after the flood?", 2, "gone"),
        ("What does Mara have?", 2, "brass key"),
        ("Since when has Mara had the key?", 2, "Since chapter 2"),
        ("How long has Ilse had the brass key?", 1, "Since chapter 1"),
        ("Since when does Ilse know that the smugglers dig?", 2, "Since chapter 1: The smugglers dig under the weir"),
        ("How did Ilse learn that the smugglers dig under the weir?", 2, "overheard at the weir"),
        ("Which promises were kept?", 2, "Odran rows Ilse over"),
        ("Who knows that the smugglers are tunnelling?", 2, "Ilse"),
        ("Does Odran believe the tale of the lamp?", 1, "No: doubts"),
        ("What does the reader know that Mara does not know?", 2, None),
        ("What changed for Odran in chapter 2?", 2, "appearance: white-haired; status: drowned"),
    ],
)
def test_what_holds_answers(telling: Telling, question: str, at: int, answer: str | None) -> None:
    reply = ask(telling, question, at)
    assert reply["answer"] == answer
    assert answer is None or reply["support"][0]["source"] == "state"


def test_what_somebody_no_longer_has_is_not_told(telling: Telling) -> None:
    for question in ("What does Ilse have?", "Since when has Ilse had the brass key?"):
        assert ask(telling, question, 2)["answer"] not in ("brass key", "Since chapter 1"), question
    assert ask(telling, "Which promises were kept?", 1)["answer"] != "Odran rows Ilse over"


def test_the_key_of_a_fact_has_no_apostrophes_and_its_words_name_people_all_the_same(telling: Telling) -> None:
    telling.publish(3, "Mara doubted Ilse's story of the weir.", [
        told("k1", "knowledge", "doubted", knower="Mara", fact="Ilse's story of the weir is true", stance="doubts"),
    ])  # fmt: skip
    assert ask(telling, "Does Mara believe Ilse's story?", 3)["answer"] == "No: doubts"


def test_whom_a_possessor_and_a_second_name_mean_is_found_only_where_there_is_one(telling: Telling) -> None:
    slices = MemorySlices(telling, HashEmbedder())
    names = names_of(slices.slice(slices.resolve(telling.story, 2, None)))
    found = names.meant("the smugglers' dogs")
    assert found is not None
    assert names.of(found.id) == "the smugglers' hounds"
    assert names.meant("the smugglers' boats") is None
    assert names.meant("Odran's dogs") is None
