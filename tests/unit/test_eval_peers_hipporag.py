"""HippoRAG in the harness: what its stand-in for a model answers, and one story read by the package itself where it is installed."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from projections.embedding import HashEmbedder
from services.evaluation.retrieval.peers.hipporag import HippoRag, Model, Vectors
from services.evaluation.retrieval.peers.peer import TEXT, Reading
from services.evaluation.retrieval.peers.reading_aloud import ReadingAloud
from services.evaluation.retrieval.questions import Chapter, Question, Story

FIRST = "Mara Voss hid the brass key. Mara knew that the {old} ferry would burn."
RECORDS = [
    {"id": "e1", "kind": "entity", "type": "character", "name": "Mara Voss", "evidence": [{"quote": "Mara Voss hid"}]},
    {"id": "o1", "kind": "object_delta", "object": "brass key", "owner": "Mara Voss", "evidence": [{"quote": "hid the brass key"}]},
    {"id": "k1", "kind": "knowledge", "knower": "Mara Voss", "fact": "the {old} ferry will burn", "evidence": [{"quote": "Mara knew"}]},
    {"id": "e2", "kind": "entity", "type": "location", "name": "the {old} ferry", "evidence": [{"quote": "ferry would burn"}]},
]  # fmt: skip
SECOND = "Snow fell on Ilse and Tomas. At noon Ilse gave Tomas a lamp, and Tomas left Mara Voss."
STORY = Story("lamp", (Chapter(1, FIRST, None, RECORDS), Chapter(2, SECOND)))


def answered(prompt: str) -> str:
    answer, spent, kept = Model(ReadingAloud(STORY)).infer([{"role": "user", "content": prompt}])
    assert (spent, kept) == ({"finish_reason": "stop"}, False)
    return answer


def test_entities_and_triples_are_read_aloud_without_the_braces_that_would_end_them() -> None:
    entities = json.loads(answered(FIRST))["named_entities"]
    assert entities == ["Mara Voss", "brass key", "the (old) ferry"]
    prompt = f"Paragraph:\n```\n{FIRST}\n```\n\n{json.dumps({'named_entities': entities})}\n"
    triples = json.loads(answered(prompt))["triples"]
    assert ["brass key", "brass key: owner Mara Voss.", "Mara Voss"] in triples
    assert ["Mara Voss", "Mara Voss knows that the (old) ferry will burn.", "the (old) ferry"] in triples


def test_of_the_nearest_facts_those_bear_on_a_question_that_share_a_word_with_it() -> None:
    facts = [["mara", "hid", "key"], ["snow", "fell on", "the"]]
    prompt = (
        "[[ ## question ## ]]\nWhere is the key?\n\n"
        f"[[ ## fact_before_filter ## ]]\n{json.dumps({'fact': facts})}\n\nRespond with the fields"
    )
    lines = answered(prompt).splitlines()
    assert lines[0] == "[[ ## fact_after_filter ## ]]"
    assert json.loads(lines[1]) == {"fact": [["mara", "hid", "key"]]}


def test_a_text_is_embedded_once() -> None:
    class Counting(HashEmbedder):
        asked: list[str]

        def embed(self, texts: Any) -> Any:
            self.asked = [*getattr(self, "asked", []), *texts]
            return super().embed(texts)

    embedder = Counting()
    vectors = Vectors(embedder)
    first = vectors.batch_encode(["key", "lamp", "key"], instruction="Find the key.", norm=True)
    assert first.shape == (3, embedder.dimensions)
    assert (vectors.batch_encode("key") == first[2]).all()
    assert embedder.asked == ["key", "lamp"]


@pytest.fixture
def hipporag() -> Iterator[HippoRag]:
    pytest.importorskip("torch", reason="torch is no dependency, but of a system to compare with")
    pytest.importorskip("igraph", reason="igraph is no dependency, but of a system to compare with")
    if importlib.util.find_spec("hipporag") is None:  # what imports it has to come before
        pytest.skip("hipporag is no dependency, but a system to compare with")
    with closing(HippoRag(STORY, HashEmbedder())) as peer:
        yield peer


def test_hipporag_gives_the_passages_of_the_chapters_that_it_has_read(hipporag: HippoRag) -> None:
    reading = Reading(hipporag, STORY, "hipporag")
    asked = Question(suite="recorded", story="lamp", id="q1", text="Who gave Tomas a lamp?", checkpoint=2)
    items = reading.packet(asked, 1_000)["items"]
    assert {item["text"] for item in items} == {FIRST, SECOND}
    assert {item["type"] for item in items} == {TEXT}
    assert items[0]["evidence"]
