"""What weave does beyond ranking: intents, provenance, refinement, the board, and a trace that says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from events.errors import InvalidInput
from projections.embedding import HashEmbedder
from services.retrieval.packing import render, rendered_packet
from services.retrieval.passages import Asked
from services.retrieval.retriever import Retriever
from services.retrieval.slices import Slice
from services.retrieval.tokens import tokens
from services.retrieval.weave.intents import RulePlanner, decomposed
from services.retrieval.weave.method import weave
from services.retrieval.weave.recall import first_recall
from services.retrieval.weave.refining import found_gaps
from services.retrieval.weave.selecting import Selection
from services.retrieval.weave.tools import Tools
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns, told

FILLER = " ".join(f"Snow fell on roof number {i} of the town." for i in range(90))
GIFT = "Mara gave the brass key to Tomas at the ferry."
FIRST = f"The brass key lay warm in Mara's palm. {FILLER}"
SECOND = f"{FILLER} {GIFT} Nobody saw it. {FILLER}"
THIRD = f"{FILLER} Tomas kept his word and opened the tower. {FILLER}"


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    telling.publish(
        1, FIRST, [
            told("e1", "entity", "Mara", name="Mara Voss", type="character", aliases=["the courier"], description="a courier"),
            owns("o1", "brass key", "Mara Voss", "The brass key lay warm in Mara's palm"),
        ],
    )  # fmt: skip
    telling.publish(
        2, SECOND, [
            owns("o1", "brass key", "Tomas", GIFT),
            told("v1", "event", GIFT, summary="Tomas vows to open the tower", participants=["Tomas"]),
        ],
    )  # fmt: skip
    telling.publish(
        3, THIRD, [
            told("v1", "event", "Tomas kept his word", summary="He does what was vowed", participants=["Tomas"], depends_on=["2:v1"]),
        ],
    )  # fmt: skip
    return telling


def packet(telling: Telling, question: str, **asked: Any) -> dict[str, Any]:
    embedder = HashEmbedder()
    return Retriever(None, embedder, slices=MemorySlices(telling, embedder)).packet(telling.story, question, **asked)


def slice_of(telling: Telling) -> Slice:
    slices = MemorySlices(telling, HashEmbedder())
    return slices.slice(slices.resolve(telling.story, None, None))


def asked(telling: Telling, question: str) -> Asked:
    return Asked(question, slice_of(telling), lambda text: HashEmbedder().embed([text])[0])


@pytest.mark.parametrize(
    ("question", "intents"),
    [
        ("Who has the key?", []),
        (
            "Who had the brass key first, and where was it given away?",
            ["Who had the brass key first", "where was it given away"],
        ),
        (
            "How does the lady look now, compared with her first appearance?",
            ["How does the lady look now", "her first appearance"],
        ),
    ],
)
def test_a_question_is_cut_at_its_seams(question: str, intents: list[str]) -> None:
    assert RulePlanner().plan(question) == intents


def test_a_planner_of_ones_own_is_bounded_and_the_whole_question_comes_first() -> None:
    class Planner:
        def plan(self, question: str) -> list[str]:
            return ["a key", "a key", question, *(f"thing {n}" for n in range(9))]

    found = [intent.text for intent in decomposed("Where is it?", Planner())]
    assert found == ["Where is it?", "a key", "thing 0", "thing 1", "thing 2"]


def test_five_tools_are_called_for_every_question(telling: Telling) -> None:
    trace = packet(telling, "Who has the brass key?", method="weave")["trace"]
    recall = next(step for step in trace if step["step"] == "recall")
    forced = {"entity_search", "relation_search", "atomic_fact_search", "narrative_semantic_search", "entity_lookup"}
    assert forced <= set(recall["tools"])


def test_text_items_are_exact_spans_of_their_chapters(telling: Telling) -> None:
    texts = {1: FIRST, 2: SECOND, 3: THIRD}
    found = packet(telling, "Who gave the brass key to Tomas?", method="weave", budget=1_500)["items"]
    pieces = [item for item in found if "passage" in item]
    assert any(GIFT in item["text"] for item in pieces)
    for item in pieces:
        (span,) = item["evidence"]
        assert texts[span["chapter"]][span["start"] : span["end"]] == item["text"]


def test_every_item_says_why_it_is_there(telling: Telling) -> None:
    found = packet(telling, "Who gave the brass key to Tomas?", method="weave", budget=800)["items"]
    best = max((item for item in found if "passage" in item), key=lambda item: item["score"])
    assert "text" in best["path"]


def test_what_a_record_rests_on_comes_with_it(telling: Telling) -> None:
    tools = Tools(asked(telling, "Did Tomas keep his word?"))
    recalled = first_recall(tools, decomposed("Did Tomas keep his word?", RulePlanner()))
    kept, vowed = (tools.slice.record_by_name[name] for name in ("3:v1", "2:v1"))
    seeds = np.zeros(len(recalled.facts))
    seeds[kept] = 1.0
    assert tools.relation_search(seeds)[vowed] == 1.0


def test_a_stale_value_comes_with_the_one_that_holds(telling: Telling) -> None:
    for budget in (250, 2_500):
        found = packet(telling, "In whose palm lay the brass key?", method="weave", budget=budget)["items"]
        assert any("Mara's palm" in item["text"] for item in found)
        states = [item["text"] for item in found if item["type"] == "state"]
        told_as_text = any("passage" in item and GIFT in item["text"] for item in found)
        assert told_as_text or any("owner(brass key) = Tomas" in text for text in states)


def test_a_gap_is_what_is_asked_and_not_shown(telling: Telling) -> None:
    slice_ = slice_of(telling)
    scores = slice_.sentences.scores({"palm": 1.0})
    draft = Selection(slice_.sentences, scores)
    draft.fill(200)
    (gap,) = found_gaps(slice_.sentences, decomposed("palm lantern tower unheard", RulePlanner()), draft)
    assert gap.missing == ("tower",)
    assert 0.0 < gap.told < 1.0


@pytest.mark.parametrize("budget", [1, 40, 90, 200, 1_000, 5_000])
def test_the_selection_counts_what_is_rendered(telling: Telling, budget: int) -> None:
    slice_ = slice_of(telling)
    selection = Selection(slice_.sentences, slice_.sentences.scores({"roof": 1.0, "key": 2.0, "tower": 1.0}))
    selection.fill(budget)
    items = [selection.item(piece) for piece in selection.pieces]
    assert selection.used == len(render(items)) <= budget


def test_a_sentence_that_is_there_already_is_not_shown_again() -> None:
    telling = Telling()
    for chapter in (1, 2, 3):
        telling.publish(chapter, "The oath of the tower is iron and salt for ever. Chapter ends.", [])
    found = weave(asked(telling, "What is the oath of the tower?"), 2_000, [])
    assert sum("iron and salt" in item.text for item in found) == 1


def test_a_budget_in_tokens_is_kept(telling: Telling) -> None:
    found = packet(telling, "Who has the brass key?", budget_tokens=120)
    assert 0 < found["used_tokens"] == tokens(rendered_packet(found)) <= 120
    assert "wordpiece" in found["tokenizer"]
    with pytest.raises(InvalidInput, match="tokens"):
        packet(telling, "Who has the brass key?", budget_tokens=0)


@pytest.mark.parametrize("variant", ["unlabelled", "flattened", "untyped", "unrouted"])
def test_nwm_has_its_typing_ablations(telling: Telling, variant: str) -> None:
    found = packet(telling, "Who has the brass key now?", method=f"nwm:{variant}", budget=3_000)
    assert found["used"] == len(rendered_packet(found)) <= 3_000
    types = {item["type"] for item in found["items"] if "record" in item}
    assert types == {"item"} if variant in ("unlabelled", "flattened") else "item" not in types


def test_an_unknown_ablation_is_refused(telling: Telling) -> None:
    with pytest.raises(InvalidInput, match="unlabelled"):
        packet(telling, "Who?", method="nwm:typed")
