"""A packet at chapter n is the same, byte for byte, whatever happens in chapters after n."""

from __future__ import annotations

from typing import TypeAlias

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.embedding import HashEmbedder
from services.retrieval.retriever import METHODS, Retriever
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns, told

NAMES = ("Mara", "Tomas", "Odran", "the stranger")
THINGS = ("brass key", "lantern", "letter")
WORDS = ("key", "lantern", "snow", "ferry", "letter", "palm", "burnt", "Mara", "Tomas", "夜道")

Step: TypeAlias = tuple[str, int, str, str, str, tuple[str, ...]]
"""(action, chapter, thing, owner, other name, words of the text)."""


def steps(first: int, last: int) -> st.SearchStrategy[list[Step]]:
    return st.lists(
        st.tuples(
            st.sampled_from(["publish", "publish", "publish", "retract", "link", "checkpoint"]),
            st.integers(first, last),
            st.sampled_from(THINGS),
            st.sampled_from(NAMES),
            st.sampled_from(NAMES),
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=500).map(tuple),
        ),
        max_size=6,
    )


def tell(telling: Telling, story: list[Step]) -> None:
    for action, chapter, thing, owner, other, words in story:
        if action == "publish":
            text = f"{owner} has the {thing} now. {' '.join(words)}."
            records = [
                told("e1", "entity", owner, name=owner, type="character", aliases=[other]),
                owns("o1", thing, owner, f"{owner} has the {thing}"),
                told("c1", "character_delta", "now", character=owner, attribute="goal", value=words[0]),
                told("v1", "event", "now", summary=f"{owner} meets {other}", participants=[owner, other]),
            ]
            telling.publish(chapter, text, records)
        elif action == "retract":
            telling.retract(chapter)
        elif action == "link" and owner != other:
            telling.link(owner, other, chapter)
        elif action == "checkpoint":
            telling.checkpoint(thing, chapter)


def packet(telling: Telling, method: str, at: int, question: str, budget: int) -> bytes:
    embedder = HashEmbedder()
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
    return orjson.dumps(retriever.packet(telling.story, question, at=at, method=method, budget=budget))


@pytest.mark.parametrize("method", sorted(METHODS))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    past=steps(1, 3),
    future=steps(4, 9),
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    budget=st.integers(1, 20_000),
)
def test_the_future_changes_no_byte_of_a_packet(
    method: str, past: list[Step], future: list[Step], words: list[str], budget: int
) -> None:
    telling = Telling()
    tell(telling, [*past, ("publish", 2, "letter", "Mara", "Odran", ("snow",))])
    question = "Who has the " + " ".join(words)
    before = packet(telling, method, 3, question, budget)
    tell(telling, future)
    assert packet(telling, method, 3, question, budget) == before


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_past_does_change_it(method: str) -> None:
    telling = Telling()
    tell(telling, [("publish", 2, "letter", "Mara", "Odran", ("snow",))])
    before = packet(telling, method, 3, "Who has the letter", 5_000)
    tell(telling, [("publish", 3, "letter", "Tomas", "Odran", ("snow",))])
    assert packet(telling, method, 3, "Who has the letter", 5_000) != before
