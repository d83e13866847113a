"""A packet of `nwm` or `weave` that gives a value which holds no more gives the one that holds as well, whatever the budget."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from projections.embedding import HashEmbedder
from services.retrieval.entries import Entry
from services.retrieval.past import BY_WORDS
from services.retrieval.retriever import Retriever
from services.retrieval.slices import Slice
from services.retrieval.wording import content_terms
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns, told

NAMES: Final = ("Mara Voss", "Tomas Reyle", "Odran")
PLACES: Final = ("the old mill", "the quay", "the lamp house by the weir")
GOALS: Final = ("find the ledger of the ferry", "leave the island", "marry Ilse in the spring")
QUESTIONS: Final = (
    "Who has the brass key, and where is Odran?",
    "What does Odran want?",
    "Where had Odran been when Mara Voss had the brass key?",
)

Chapter = tuple[int, int, int, bool]
"""The owner of the key, the place of Odran, what he wants (past the last: no more), and whether the text only hints at it."""
CHAPTERS: Final = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3), st.booleans()), min_size=2, max_size=6
)


def tell(chapters: list[Chapter]) -> Telling:
    telling, wanted = Telling(), GOALS[0]
    for number, (owner, place, goal, hints) in enumerate(chapters, 1):
        has = "It was hers now, and warm." if hints else f"{NAMES[owner]} has the brass key."
        wants = "He wanted nothing any more." if goal == len(GOALS) else f"Odran wants to {GOALS[goal]}."
        text = f"{has} It rained on the roofs. Odran is at {PLACES[place]}. The day was long. {wants} So ended day {number}."
        ended = {"value": wanted, "op": "remove"} if goal == len(GOALS) else {"value": GOALS[goal], "op": "add"}
        wanted = GOALS[goal % len(GOALS)]
        telling.publish(number, text, [
            *(told(f"e{n}", "entity", text, name=name, type="character", aliases=[]) for n, name in enumerate(NAMES)),
            owns("o1", "brass key", NAMES[owner], has),
            told("p1", "presence", f"Odran is at {PLACES[place]}", entity="Odran", location=PLACES[place]),
            told("c1", "character_delta", wants, character="Odran", attribute="goal", **ended),
        ])  # fmt: skip
    return telling


def given_alone(slice_: Slice, items: list[dict[str, Any]]) -> list[str]:
    """The keys of which the items give a past value and neither what holds nor that nothing does."""
    stated = [item["text"] for item in items if item["type"] == "state"]
    found = []
    for entry in (entry for entry in slice_.entries if not entry.holds and gives(slice_, items, entry)):
        now = [other for other in slice_.entries_by_key[entry.key] if other.holds]
        said = any(text.startswith(f"{entry.key} = ") and "until" not in text for text in stated)
        ended = any(text.startswith(f"{entry.key} = ") and "not any more" in text for text in stated)
        if not (said or any(gives(slice_, items, other) for other in now) if now else ended):
            found.append(entry.key)
    return found


def gives(slice_: Slice, items: list[dict[str, Any]], entry: Entry) -> bool:
    wanted = set(content_terms(entry.value))
    for record in (slice_.records[index] for index in entry.support):
        for item in items:
            if item.get("record") == record.name and item["type"] != "state":
                return True
            touches = any(
                span["chapter"] == record.chapter and span["start"] < end and start < span["end"]
                for span in item["evidence"]
                for start, end in record.evidence
            )
            if "passage" in item and touches and 2 * len(wanted & set(content_terms(item["text"]))) >= len(wanted):
                return True
    return False


@pytest.mark.parametrize("method", ["nwm", "weave"])
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(chapters=CHAPTERS, which=st.integers(0, 2), budget=st.integers(1, 4_000), at=st.integers(1, 6))
@example(chapters=[(0, 0, 0, False), (1, 1, 1, False)], which=0, budget=150, at=2)
@example(chapters=[(0, 0, 0, False), (0, 0, 3, False)], which=1, budget=600, at=2)
def test_a_value_that_holds_no_more_is_never_alone(
    method: str, chapters: list[Chapter], which: int, budget: int, at: int
) -> None:
    telling, embedder = tell(chapters), HashEmbedder()
    slices = MemorySlices(telling, embedder)
    packet = Retriever(None, embedder, slices=slices).packet(
        telling.story, QUESTIONS[which], at=at, method=method, budget=budget
    )
    assert packet["used"] <= budget
    assert len({item["id"] for item in packet["items"]}) == len(packet["items"])
    slice_ = slices.slice(slices.resolve(telling.story, at, None))
    assert given_alone(slice_, packet["items"]) == []


@pytest.mark.parametrize("method", ["nwm", "weave"])
def test_a_look_seen_again_in_passing_has_what_the_look_is_now_beside_it(method: str) -> None:
    """No record says so where the old dress is seen again; its words do, and who is there."""
    telling = Telling()
    look, now = "a black velvet dress with white lace", "a pale blue gown"
    again = "Odran sat in the black dress of velvet, its white lace in the moonlight."
    assert len(set(content_terms(look)) & set(content_terms(again))) >= BY_WORDS
    telling.publish(1, f"Odran wore {look}.", [
        told("e1", "entity", "Odran", name="Odran", type="character", aliases=[]),
        told("c1", "character_delta", f"wore {look}", character="Odran", attribute="appearance", value=look),
    ])  # fmt: skip
    telling.publish(2, f"Nobody spoke. {again} It was late.", [
        told("p1", "presence", "Odran sat", entity="Odran", location="the moonlight"),
    ])  # fmt: skip
    telling.publish(3, f"Today it was {now} that Odran wore.", [
        told("c1", "character_delta", now, character="Odran", attribute="appearance", value=now),
    ])  # fmt: skip
    embedder = HashEmbedder()
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
    found = retriever.packet(telling.story, "Who sat in the moonlight?", method=method, budget=330)["items"]
    assert any(item["chapter"] == 2 for item in found)
    assert any(now in item["text"] for item in found)
    before = retriever.packet(telling.story, "Who sat in the moonlight?", at=2, method=method, budget=330)["items"]
    assert not [item for item in before if item["type"] == "state"]
