"""A packet at chapter n is the same, byte for byte, whatever happens in chapters after n."""

from __future__ import annotations

from typing import TypeAlias

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.embedding import HashEmbedder
from services.retrieval.lexicon import Vocabulary
from services.retrieval.pons.options import ABLATIONS
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


# those that read the slice in another way than `pons` itself; tau=0 keeps every edge, and so every tie
PONS = [
    f"pons:{name}"
    for name in ("mention", "semantic+tau=0", "one-to-many+tau=0", "no-flow", "steps", "cosine+pairs-only")
]


def test_every_variant_that_is_checked_exists() -> None:
    names = {part.partition("=")[0] for method in PONS for part in method.removeprefix("pons:").split("+")}
    assert names - {"tau"} <= set(ABLATIONS)


@pytest.mark.parametrize("method", PONS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(past=steps(1, 3), future=steps(4, 9), words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_the_future_changes_no_byte_of_a_variant(
    method: str, past: list[Step], future: list[Step], words: list[str]
) -> None:
    telling = Telling()
    tell(telling, [*past, ("publish", 2, "letter", "Mara", "Odran", ("snow",))])
    question = "Who has the " + " ".join(words)
    before = packet(telling, method, 3, question, 3_000)
    tell(telling, future)
    assert packet(telling, method, 3, question, 3_000) == before


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(story=steps(1, 4), order=st.permutations(range(1, 5)), budget=st.integers(200, 6_000))
def test_chapters_may_arrive_in_any_order(story: list[Step], order: list[int], budget: int) -> None:
    last = {step[1]: step for step in story if step[0] == "publish"}
    packets = []
    for chapters in (sorted(last), [chapter for chapter in order if chapter in last]):
        telling = Telling()
        tell(telling, [last[chapter] for chapter in chapters] or [("publish", 1, "letter", "Mara", "Odran", ("snow",))])
        packets.append(packet(telling, "pons", 4, "Who has the letter, and where is the lantern?", budget))
    assert packets[0] == packets[1]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(past=steps(1, 3), future=steps(4, 6))
def test_slices_that_share_what_they_made_answer_as_those_that_do_not(past: list[Step], future: list[Step]) -> None:
    telling = Telling()
    tell(telling, [*past, ("publish", 2, "letter", "Mara", "Odran", ("snow",)), *future])
    alone = packet(telling, "pons", 3, "Who has the letter", 3_000)
    embedder = HashEmbedder()
    shared = Retriever(None, embedder, slices=MemorySlices(telling, embedder, vocabulary=Vocabulary()))
    for at in (6, 3, 5, 3):
        answer = orjson.dumps(shared.packet(telling.story, "Who has the letter", at=at, method="pons", budget=3_000))
        if at == 3:
            assert answer == alone
