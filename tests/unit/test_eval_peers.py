"""Systems of others in the harness: what they are given, how their evidence is packed, and what is said where they are missing."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Mapping, Sequence
from contextlib import closing

import pytest

from events.errors import InvalidInput
from projections.embedding import HashEmbedder
from services.evaluation.retrieval.peers import lightrag
from services.evaluation.retrieval.peers.peer import TEXT, Evidence, Reading, packed
from services.evaluation.retrieval.peers.reading_aloud import ReadingAloud, keywords
from services.evaluation.retrieval.questions import Chapter, Question, Story
from services.evaluation.retrieval.running import PEERS, Plan

FIRST = "Mara Voss hid the brass key. Nobody in the lamp house saw Mara do it."
SECOND = "At the ferry Tomas gave the key to Ilse. She threw it into the harbour."
RECORDS = [
    {"id": "e1", "kind": "entity", "type": "character", "name": "Mara Voss", "evidence": [{"quote": "Mara Voss hid"}]},
    {"id": "o1", "kind": "object_delta", "object": "brass key", "owner": "Mara Voss", "evidence": [{"quote": "hid the brass key"}]},
]  # fmt: skip
STORY = Story("lamp", (Chapter(1, FIRST, None, RECORDS), Chapter(2, SECOND)))
ASKED = Question(suite="recorded", story="lamp", id="q1", text="Who hid the brass key?", checkpoint=1)


class Remembering:
    """A peer that shows all it has read, and one thing of its own making."""

    shares: Mapping[str, float] = {"relation": 0.5, TEXT: 1.0}

    def __init__(self) -> None:
        self.chapters: list[int] = []
        self.texts: list[str] = []
        self.asked = 0
        self.closed = False

    def read(self, chapter: int, text: str) -> None:
        self.chapters.append(chapter)
        self.texts.append(text)

    def evidence(self, question: str) -> Sequence[Evidence]:
        self.asked += 1
        texts = [Evidence(TEXT, c, t) for c, t in zip(self.chapters, self.texts, strict=True)]
        return [*texts, Evidence("relation", self.chapters[-1], "Mara, key: she has it")]

    def close(self) -> None:
        self.closed = True


def test_a_peer_reads_up_to_the_checkpoint_and_no_chapter_twice() -> None:
    peer = Remembering()
    reading = Reading(peer, STORY, "other")
    first = reading.packet(ASKED, 1_000)
    assert {item["chapter"] for item in first["items"]} == {1}
    reading.packet(Question(suite="recorded", story="lamp", id="q2", text="Who?", checkpoint=2), 1_000)
    assert peer.chapters == [1, 2]


def test_a_peer_is_asked_once_for_all_budgets() -> None:
    peer = Remembering()
    reading = Reading(peer, STORY, "other")
    for budget in (100, 200, 1_000):
        assert reading.packet(ASKED, budget)["used"] <= budget
    assert peer.asked == 1


def test_a_peer_cannot_unread() -> None:
    reading = Reading(Remembering(), STORY, "other")
    reading.packet(Question(suite="recorded", story="lamp", id="q2", text="Who?", checkpoint=2), 1_000)
    with pytest.raises(ValueError, match="cannot answer as of 1"):
        reading.packet(ASKED, 1_000)


def test_text_of_a_chapter_has_its_span_and_what_a_peer_wrote_has_none() -> None:
    text, own = packed(
        [Evidence(TEXT, 2, "She threw it into the harbour."), Evidence("relation", 2, "Ilse, harbour: she threw it")],
        {TEXT: 0.5, "relation": 1.0}, STORY, "other", 1_000,
    )  # fmt: skip
    (span,) = text.evidence
    assert SECOND[span.start : span.end] == text.text
    assert own.evidence == ()


@pytest.mark.parametrize("budget", [1, 40, 80, 120, 200, 500])
def test_a_peers_packet_keeps_to_its_budget(budget: int) -> None:
    assert Reading(Remembering(), STORY, "other").packet(ASKED, budget)["used"] <= budget


def test_the_model_of_peers_reads_what_records_say_of_the_piece_it_is_shown() -> None:
    model = ReadingAloud(STORY)
    entities, relations = model.extract(FIRST)
    assert [e.name for e in entities] == ["Mara Voss", "brass key"]
    assert [(r.source, r.target) for r in relations] == [("brass key", "Mara Voss")]
    assert "brass key" not in {e.name for e in model.extract("Mara Voss hid something.")[0]}


def test_where_a_chapter_has_no_records_names_stand_for_them() -> None:
    entities, relations = ReadingAloud(STORY).extract(SECOND)
    assert [e.name for e in entities] == ["Tomas", "Ilse"]
    assert relations[0].description == "At the ferry Tomas gave the key to Ilse."


def test_the_first_word_of_a_sentence_is_a_name_only_with_another() -> None:
    entities, _ = ReadingAloud(STORY).extract(
        "Mara Voss left. Snow fell on Mara. The Old Ferry sank, and “Ilse” with it."
    )
    assert [e.name for e in entities] == ["Mara Voss", "Mara", "Old Ferry", "Ilse"]


def test_keywords_are_the_names_and_words_of_a_question() -> None:
    assert keywords("What did Mara Voss hide?") == ["Mara Voss", "Mara", "Voss", "hide"]


def test_a_tokenizer_of_pieces_gives_the_text_back() -> None:
    pieces = lightrag.Pieces()
    text = "  Mara's extraordinary\n\nkey  "
    assert pieces.decode(pieces.encode(text)) == text


def test_the_stand_in_model_answers_each_of_lightrags_prompts_in_its_form() -> None:
    model = lightrag.model(ReadingAloud(STORY))

    async def answered(prompt: str) -> str:
        return await model(prompt)

    def said(prompt: str) -> str:
        return asyncio.run(answered(prompt))

    rows = said(f"---Task---\n---Input Text---\n```\n{FIRST}\n```\n---Output---").splitlines()
    assert rows[0].split("<|#|>")[:2] == ["entity", "Mara Voss"]
    assert rows[-1] == "<|COMPLETE|>"
    asked = json.loads(said('{"high_level_keywords": []}\nUser Query: Who hid it?\n\n---Output---\nOutput:'))
    assert asked == {"high_level_keywords": ["Who hid it?"], "low_level_keywords": ["hid"]}
    assert said('{"Description": "She hid it."}\n{"Description": "She left."}') == "She hid it. She left."


@pytest.mark.parametrize(
    ("name", "module", "package"),
    [
        ("lightrag", "lightrag", "lightrag-hku"),
        ("graphiti", "graphiti_core", "graphiti-core"),
        ("hipporag", "torch", "torch"),
    ],
)
def test_a_peer_that_is_not_installed_is_named_with_what_to_install(
    name: str, module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == module else found(name, *a))
    with pytest.raises(InvalidInput, match=package):
        Plan(methods=("bm25", name))
    with pytest.raises(InvalidInput, match=package):
        PEERS[name](STORY, HashEmbedder())


def test_lightrag_gives_what_it_made_of_a_chapter_and_the_chapter() -> None:
    pytest.importorskip("lightrag", reason="lightrag is no dependency, but a system to compare with")
    with closing(lightrag.LightRag(STORY, HashEmbedder())) as peer:
        peer.read(1, FIRST)
        found = peer.evidence("Who hid the brass key?")
    assert {evidence.kind for evidence in found} == {"entity", "relation", TEXT}
    assert {evidence.chapter for evidence in found} == {1}
    assert FIRST in {evidence.text for evidence in found}
