"""Graphiti in the harness: what its stand-in for a model answers, and one story read by the package itself where it is installed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from projections.embedding import HashEmbedder
from services.evaluation.retrieval.peers.graphiti import Graphiti
from services.evaluation.retrieval.peers.graphiti_model import Model, part
from services.evaluation.retrieval.peers.peer import TEXT, Evidence, Reading
from services.evaluation.retrieval.peers.reading_aloud import ReadingAloud
from services.evaluation.retrieval.questions import Chapter, Question, Story

FIRST = "Mara Voss hid the brass key. Mara knew that the ferry would burn."
SECOND = "At the ferry the courier gave the key away, and Tomas took it."
THIRD = "Snow fell on Ilse and Tomas."
STORY = Story(
    "lamp",
    (
        Chapter(1, FIRST, None, [
            {"id": "e1", "kind": "entity", "type": "character", "name": "Mara Voss", "aliases": ["the courier"],
             "evidence": [{"quote": "Mara Voss hid"}]},
            {"id": "o1", "kind": "object_delta", "object": "brass key", "owner": "Mara Voss",
             "evidence": [{"quote": "hid the brass key"}]},
            {"id": "k1", "kind": "knowledge", "knower": "Mara Voss", "fact": "the ferry will burn",
             "evidence": [{"quote": "Mara knew"}]},
        ]),
        Chapter(2, SECOND, None, [
            {"id": "e1", "kind": "entity", "type": "location", "name": "the ferry",
             "evidence": [{"quote": "At the ferry"}]},
            {"id": "o1", "kind": "object_delta", "object": "brass key", "owner": "Tomas",
             "evidence": [{"quote": "Tomas took it"}]},
        ]),
        Chapter(3, THIRD),
    ),
)  # fmt: skip
OWNED, GIVEN = "brass key: owner Mara Voss.", "brass key: owner Tomas."


@pytest.fixture
def answer() -> Any:
    model = Model(ReadingAloud(STORY))

    def asked(name: str, prompt: str) -> Any:
        return asyncio.run(model.generate_response([SimpleNamespace(content=prompt)], prompt_name=name))

    return asked


def tagged(**parts: Any) -> str:
    told = {
        tag.replace("_", " "): value if isinstance(value, str) else json.dumps(value) for tag, value in parts.items()
    }
    return "\n".join(f"<{tag}>\n{value}\n</{tag}>" for tag, value in told.items())


def test_entities_are_those_of_the_episode(answer: Any) -> None:
    found = answer("extract_nodes.extract_text", tagged(TEXT=FIRST))["extracted_entities"]
    assert [entity["name"] for entity in found] == ["Mara Voss", "brass key"]


def test_a_fact_of_one_figure_stands_beside_the_entity_that_its_words_name(answer: Any) -> None:
    prompt = tagged(ENTITIES=[{"name": "Mara Voss"}, {"name": "the ferry"}]) + (
        f"\n<CURRENT_MESSAGE>\n{FIRST}\n</CURRENT_MESSAGE>\n"
        "<REFERENCE_TIME>\n2000-01-02 00:00:00+00:00  # ISO 8601 (UTC)\n</REFERENCE_TIME>"
    )
    facts = answer("extract_edges.edge", prompt)["edges"]
    assert [(f["source_entity_name"], f["target_entity_name"]) for f in facts] == [
        ("brass key", "Mara Voss"),
        ("Mara Voss", "the ferry"),
    ]
    assert facts[0]["fact"] == OWNED
    assert {f["valid_at"] for f in facts} == {"2000-01-02T00:00:00+00:00"}


def test_a_name_is_another_of_somebody_where_the_episodes_say_so(answer: Any) -> None:
    known = [{"candidate_id": 0, "name": "Tomas"}, {"candidate_id": 1, "name": "Mara Voss"}]

    def resolved(*before: str) -> int:
        previous = [{"content": text} for text in before]
        prompt = tagged(PREVIOUS_MESSAGES=previous, CURRENT_MESSAGE=SECOND, EXISTING_ENTITIES=known) + tagged(
            ENTITIES=[{"id": 0, "name": "The courier"}]
        )
        (found,) = answer("dedupe_nodes.nodes", prompt)["entity_resolutions"]
        return int(found["duplicate_candidate_id"])

    assert resolved(FIRST) == 1
    assert resolved(THIRD) == -1


@pytest.mark.parametrize(
    ("new", "duplicates", "contradicted"),
    [(GIVEN, [], [2]), (OWNED, [0], [1]), ("Something that no record says.", [], [])],
)
def test_a_fact_ends_what_its_key_was_before(
    new: str, duplicates: list[int], contradicted: list[int], answer: Any
) -> None:
    shared, others = ([OWNED], [GIVEN]) if new != GIVEN else (["Mara left."], ["Mara ran.", OWNED])
    facts = [{"idx": place, "fact": fact} for place, fact in enumerate([*shared, *others])]
    prompt = tagged(EXISTING_FACTS=str(facts[: len(shared)]), FACT_INVALIDATION_CANDIDATES=str(facts[len(shared) :]))
    found = answer("dedupe_edges.resolve_edge", prompt + tagged(NEW_FACT=new))
    assert found == {"duplicate_facts": duplicates, "contradicted_facts": contradicted}


def test_a_summary_keeps_the_newest_lines_that_it_has_room_for(answer: Any) -> None:
    old = "\n".join(f"{number} {'long ago ' * 10}" for number in range(12))
    prompt = f"<MESSAGES>\n[]\n{json.dumps(FIRST)}\n</MESSAGES>\n" + tagged(
        ENTITIES=[{"name": "Mara Voss", "summary": old}, {"name": "Ilse", "summary": "Ilse left."}]
    )
    mara, ilse = answer("extract_nodes.extract_summaries_batch", prompt)["summaries"]
    assert len(mara["summary"]) <= 1_000
    assert not mara["summary"].startswith("0 ")
    assert OWNED in mara["summary"].splitlines()
    assert ilse["summary"] == "Ilse left."


def test_where_an_episode_has_no_records_its_names_stand_for_them() -> None:
    told = ReadingAloud(STORY)
    (fact,) = told.facts(THIRD, ["Ilse", "Tomas"])
    assert (fact.source, fact.target, fact.description) == ("Ilse", "Tomas", "Snow fell on Ilse and Tomas.")
    assert told.about(THIRD) == {"Ilse": [THIRD], "Tomas": [THIRD]}


def test_a_prompt_that_is_not_known_is_not_answered(answer: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"eval\.qa_prompt"):
        answer("eval.qa_prompt", "Who?")
    with pytest.raises(ValueError, match="no part TEXT"):
        part("<ENTITIES>\n[]\n</ENTITIES>", "TEXT")


@pytest.fixture
def graphiti() -> Iterator[Graphiti]:
    pytest.importorskip("graphiti_core", reason="graphiti_core is no dependency, but of a system to compare with")
    pytest.importorskip("kuzu", reason="kuzu is no dependency, but of a system to compare with")
    peer = Graphiti(STORY, HashEmbedder())
    yield peer
    peer.close()


def test_graphiti_reads_a_story_and_says_until_when_a_fact_held(graphiti: Graphiti) -> None:
    def texts(kind: str, found: list[Evidence]) -> list[str]:
        return [evidence.text for evidence in found if evidence.kind == kind]

    graphiti.read(1, FIRST)
    before = list(graphiti.evidence("Who owns the brass key?"))
    assert OWNED in texts("relation", before)
    assert texts(TEXT, before) == [FIRST]
    assert {evidence.chapter for evidence in before} == {1}
    graphiti.read(2, SECOND)
    after = list(graphiti.evidence("Who owns the brass key?"))
    assert {GIVEN, f"{OWNED[:-1]}. (until chapter 2)"} <= set(texts("relation", after))
    assert any(text.startswith("brass key: ") for text in texts("entity", after))


def test_graphitis_packets_keep_to_the_checkpoint(graphiti: Graphiti) -> None:
    reading = Reading(graphiti, STORY, "graphiti")
    for checkpoint in (1, 3):
        asked = Question(suite="recorded", story="lamp", id="q1", text="Who owns the brass key?", checkpoint=checkpoint)
        packet = reading.packet(asked, 1_000)
        assert max(item["chapter"] for item in packet["items"]) <= checkpoint
        assert {item["type"] for item in packet["items"]} == {"relation", "entity", TEXT}
