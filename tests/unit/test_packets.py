"""Packets over slices in memory: what each method brings, what the budget does, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from events.errors import InvalidInput, UnknownCheckpoint, UnknownStory
from projections.embedding import HashEmbedder
from services.retrieval.packing import rendered_packet
from services.retrieval.retriever import METHODS, Retriever
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns, told

METHOD_NAMES = sorted(METHODS)
FILLER = " ".join(f"Snow fell on roof number {i}." for i in range(120))
KEY = "The brass key lay warm in Mara's palm."
GIFT = "Mara gave the brass key to Tomas at the ferry."


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    telling.publish(
        1, f"{KEY} {FILLER}", [
            told("e1", "entity", "Mara", name="Mara Voss", type="character", aliases=["the courier"], description="A courier"),
            owns("o1", "brass key", "Mara Voss", "The brass key lay warm"),
        ],
    )  # fmt: skip
    telling.publish(2, f"{FILLER} {GIFT}", [owns("o1", "brass key", "Tomas", GIFT)])
    telling.publish(
        3, "The lantern went out. " + FILLER, [told("v1", "event", "lantern", summary="The lantern goes out")]
    )
    return telling


def retriever(telling: Telling) -> Retriever:
    embedder = HashEmbedder()
    return Retriever(None, embedder, slices=MemorySlices(telling, embedder))


def ask(telling: Telling, question: str = "Who has the brass key?", **asked: Any) -> dict[str, Any]:
    return retriever(telling).packet(telling.story, question, **asked)


@pytest.mark.parametrize("method", METHOD_NAMES)
@pytest.mark.parametrize("budget", [1, 60, 150, 700, 3000, 12_000, 10**9])
def test_the_packet_as_rendered_never_exceeds_its_budget(telling: Telling, method: str, budget: int) -> None:
    packet = ask(telling, method=method, budget=budget)
    assert packet["used"] == len(rendered_packet(packet)) <= budget


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_with_room_enough_something_is_found(telling: Telling, method: str) -> None:
    assert ask(telling, method=method)["items"]


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_nothing_after_the_checkpoint_is_in_the_packet(telling: Telling, method: str) -> None:
    packet = ask(telling, method=method, at=1, budget=10**6)
    assert {item["chapter"] for item in packet["items"]} == {1}
    assert "Tomas" not in json.dumps(packet)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_every_item_names_its_source_and_spans_of_the_text(telling: Telling, method: str) -> None:
    texts = {1: f"{KEY} {FILLER}", 2: f"{FILLER} {GIFT}", 3: "The lantern went out. " + FILLER}
    for item in ask(telling, method=method, budget=2500)["items"]:
        assert ("record" in item) != ("passage" in item)
        for span in item["evidence"]:
            quote = texts[span["chapter"]][span["start"] : span["end"]]
            assert quote
            if item["type"] == "passage":
                assert item["text"] == quote


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_ids_are_unique(telling: Telling, method: str) -> None:
    ids = [item["id"] for item in ask(telling, method=method, budget=10**6)["items"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_story_without_chapters_up_to_the_checkpoint_gives_an_empty_packet(method: str) -> None:
    telling = Telling()
    telling.publish(5, "Late.")
    packet = ask(telling, method=method, at=2)
    assert (packet["items"], packet["used"], packet["at"]) == ([], 0, 2)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_chapter_of_white_space_gives_an_empty_packet(method: str) -> None:
    telling = Telling()
    telling.publish(1, " \n ")
    assert ask(telling, method=method)["items"] == []


@pytest.mark.parametrize("method", METHOD_NAMES)
@pytest.mark.parametrize(
    "question",
    [
        "💡", "្ក", "夜", "a", "'; DROP TABLE passages; --", "mara AND (key:* OR \"x\"~2) && !y /re/", "<script>alert(1)</script>",
        "key\0key", "half a \ud83d emoji", "%s %(x)s {} {0}", "x" * 20_000,
    ],
)  # fmt: skip
def test_any_text_with_something_in_it_is_only_a_question(telling: Telling, method: str, question: str) -> None:
    packet = ask(telling, question, method=method)
    json.dumps(packet).encode()
    assert packet["question"].isprintable()


def test_a_story_in_chinese_is_found_by_its_words() -> None:
    telling = Telling()
    telling.publish(1, "玛拉把黄铜钥匙给了托马斯。" * 3)
    telling.publish(2, "灯灭了。" * 200)
    assert [item["chapter"] for item in ask(telling, "谁有钥匙", method="bm25")["items"]] == [1]


@pytest.mark.parametrize("budget", [0, -5, 1.5, "12000", None, True, float("nan")])
def test_a_budget_that_is_no_number_of_characters_is_refused(telling: Telling, budget: Any) -> None:
    with pytest.raises(InvalidInput, match="whole number of characters"):
        ask(telling, budget=budget)


@pytest.mark.parametrize("question", ["", "  \n", "?!", "...", "\0", "—“”", "+++"])
def test_a_question_without_a_word_is_refused(telling: Telling, question: str) -> None:
    with pytest.raises(InvalidInput, match="in words"):
        ask(telling, question)


def test_a_question_of_more_than_20000_characters_is_refused(telling: Telling) -> None:
    with pytest.raises(InvalidInput, match="at most 20000"):
        ask(telling, "x" * 20_001)


@pytest.mark.parametrize("method", ["", "BM25", None, 3, "bm25:fast", "hybrid:"])
def test_an_unknown_method_is_refused_with_those_that_exist(telling: Telling, method: Any) -> None:
    with pytest.raises(InvalidInput, match="hybrid, bm25, dense, state, nwm"):
        ask(telling, method=method)


@pytest.mark.parametrize("at", [0, -1, True, 1.5, "", "0"])
def test_what_is_no_checkpoint_is_refused(telling: Telling, at: Any) -> None:
    with pytest.raises(InvalidInput, match="`at`"):
        ask(telling, at=at)


def test_an_unknown_story_or_checkpoint_is_not_found(telling: Telling) -> None:
    with pytest.raises(UnknownStory):
        retriever(telling).packet("nothing", "who?")
    with pytest.raises(UnknownCheckpoint):
        ask(telling, at="the end")


def test_a_named_checkpoint_reads_as_its_chapter(telling: Telling) -> None:
    telling.checkpoint("cliffhanger", 2)
    assert ask(telling, at="cliffhanger") == ask(telling, at=2)


def test_without_a_checkpoint_the_last_chapter_is_meant(telling: Telling) -> None:
    assert ask(telling) == ask(telling, at=3)


def test_passages_come_in_their_original_order(telling: Telling) -> None:
    packet = ask(telling, "brass key lantern", method="hybrid", budget=10**6)
    places = [(item["chapter"], item["evidence"][0]["start"]) for item in packet["items"]]
    assert places == sorted(places)
    assert len(places) >= 3


def test_bm25_leaves_out_passages_without_any_word_of_the_question(telling: Telling) -> None:
    assert {item["chapter"] for item in ask(telling, "ferry", method="bm25", budget=10**6)["items"]} == {2}


def test_a_cut_passage_ends_with_a_sentence_and_its_span_with_it(telling: Telling) -> None:
    packet = ask(telling, "palm", method="bm25", budget=200, at=1)
    (item,) = packet["items"]
    assert item["text"].startswith(KEY)
    assert item["text"].endswith(".")
    assert item["evidence"] == [{"chapter": 1, "revision": 1, "start": 0, "end": len(item["text"])}]


def test_a_passage_is_never_cut_inside_a_number_or_a_word() -> None:
    telling = Telling()
    telling.publish(1, "The key cost 3.14 crowns and a half. " + "It was dear, they said, and they were right " * 30)
    texts = {i["text"] for b in range(40, 120) for i in ask(telling, "key", method="bm25", budget=b)["items"]}
    assert texts == {"The key cost 3.14 crowns and a half."}


def test_state_gives_the_value_that_holds_as_of_the_checkpoint(telling: Telling) -> None:
    def key_at(chapter: int) -> list[str]:
        return [i["text"] for i in ask(telling, method="state", at=chapter)["items"] if i["type"] == "state"]

    assert key_at(1) == ["owner(brass key) = Mara Voss (since chapter 1)"]
    assert key_at(2) == ["owner(brass key) = Tomas (since chapter 2)"]


def test_nwm_brings_the_records_the_entities_and_the_passages(telling: Telling) -> None:
    packet = ask(telling, method="nwm", budget=6000)
    assert {"object_delta", "entity", "passage"} <= {item["type"] for item in packet["items"]}


def test_nwm_gives_an_entity_once(telling: Telling) -> None:
    ids = [item["id"] for item in ask(telling, "Mara Voss", method="nwm")["items"]]
    assert "entity:person/mara voss" in ids
    assert "1:e1" not in ids


def test_nwm_marks_what_no_longer_holds(telling: Telling) -> None:
    texts = {item["id"]: item["text"] for item in ask(telling, method="nwm", at=2)["items"]}
    assert texts["1:o1"].endswith("(until chapter 2)")
    assert "until" not in texts["2:o1"]


def test_nwm_reaches_a_record_that_shares_no_word_with_the_question_over_an_edge() -> None:
    telling = Telling()
    telling.publish(1, "Odran came.", [told("e1", "entity", "Odran", name="Odran", type="character")])
    telling.publish(
        2, "He limps.", [told("c1", "character_delta", "limps", character="Odran", attribute="injury", value="limps")]
    )
    for chapter in range(3, 80):
        telling.publish(
            chapter, "Noise of day.", [told("v1", "event", "Noise", summary=f"Market day number {chapter}")]
        )
    ids = [item["id"] for item in ask(telling, "Odran", method="nwm", budget=2000)["items"]]
    assert "2:c1" in ids


def test_two_guises_read_as_one_from_the_chapter_that_links_them(telling: Telling) -> None:
    telling.publish(4, "The stranger is Mara.", [owns("o1", "lamp", "the stranger", "stranger")])
    telling.link("the stranger", "Mara Voss", 5)
    telling.publish(5, "So it was.")
    owner = "owner(lamp) = {} (since chapter 4)"
    assert owner.format("the stranger") in [i["text"] for i in ask(telling, method="state", at=4)["items"]]
    assert owner.format("Mara Voss") in [i["text"] for i in ask(telling, method="state", at=5)["items"]]


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_read_as_recorded_shows_what_was_believed_then(telling: Telling, method: str) -> None:
    before, then = ask(telling, method=method, at=3), telling.position
    telling.publish(2, "Nobody ever saw the key again.")
    assert ask(telling, method=method, at=3) != before
    assert ask(telling, method=method, at=3, as_recorded=then) == before


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_an_empty_slice_needs_no_model(method: str) -> None:
    class NoModel(HashEmbedder):
        def embed(self, texts: Any) -> Any:
            assert not texts, "nothing is there to compare with"
            return super().embed(texts)

    telling = Telling()
    telling.publish(5, "Late.")
    slices = MemorySlices(telling, HashEmbedder())
    packet = Retriever(None, NoModel(), slices=slices).packet("lantern", "who?", at=1, method=method)
    assert packet["items"] == []
