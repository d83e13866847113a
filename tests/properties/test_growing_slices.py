"""A slice that shares what earlier slices of its story analysed gives the packets of one made from nothing, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.embedding import HashEmbedder
from services.retrieval.lexicon import Ids, Vocabulary
from services.retrieval.retriever import METHODS, Retriever
from tests.memory_slices import MemorySlices
from tests.properties.test_blind_packets import Step, steps, tell
from tests.storytelling import Telling

QUESTION = "Who has the brass key, and what does Mara want?"


def packet(telling: Telling, vocabulary: Vocabulary, method: str, at: int, budget: int) -> bytes:
    embedder = HashEmbedder()
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder, vocabulary))
    return orjson.dumps(retriever.packet(telling.story, QUESTION, at=at, method=method, budget=budget))


@pytest.mark.parametrize("method", [*sorted(METHODS), "pons:summary-only"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    story=steps(1, 5), asked=st.lists(st.integers(1, 5), min_size=1, max_size=3), budget=st.sampled_from([300, 3_000])
)
def test_growing_chapter_by_chapter_and_edit_by_edit_is_as_good_as_starting_anew(
    method: str, story: list[Step], asked: list[int], budget: int
) -> None:
    """Chapters come, are edited, retracted and linked in any order; after each step some checkpoints are asked about."""
    telling, grown = Telling(), Vocabulary()
    for step in [("publish", 1, "lantern", "Tomas", "Odran", ("snow",)), *story]:
        tell(telling, [step])
        for at in asked:
            fresh = packet(telling, Vocabulary(), method, at, budget)
            assert packet(telling, grown, method, at, budget) == fresh


@pytest.mark.parametrize("method", ["nwm", "pons", "weave"])
def test_a_new_chapter_is_all_that_is_analysed(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    telling, grown = Telling(), Vocabulary()
    for chapter in range(1, 6):
        tell(telling, [("publish", chapter, "letter", "Mara", "Tomas", ("ferry", f"pier{chapter}"))])
        packet(telling, grown, method, chapter, 1_000)
    read: list[str] = []
    counted = Vocabulary.counted

    def reading(self: Vocabulary, texts: Sequence[str]) -> tuple[Ids, Ids, Ids]:
        read.extend(texts)
        return counted(self, texts)

    monkeypatch.setattr(Vocabulary, "counted", reading)
    tell(telling, [("publish", 6, "lantern", "Odran", "Tomas", ("ferry", "pier6"))])
    packet(telling, grown, method, 6, 1_000)
    assert any("pier6" in text for text in read)
    assert not [text for text in read if any(f"pier{chapter}" in text for chapter in range(1, 6))]
