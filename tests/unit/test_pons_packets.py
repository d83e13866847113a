"""What `pons` brings: events over the figures they share, their source text, and each ablation of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from events.errors import InvalidInput
from projections.embedding import HashEmbedder
from services.retrieval.passages import Asked
from services.retrieval.pons.method import Pons
from services.retrieval.pons.options import ABLATIONS, Options
from services.retrieval.retriever import Retriever
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns, told

FILLING = " ".join(f"The {n}. bell rang over the {n}. roof of the town." for n in range(90))
LIT = "Mara lit the lantern in the tower."
BURNT = "That night the courier burnt the letter, page by page."
SAILED = "Odran sailed for the islands and was not seen again."


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    telling.publish(1, f"{LIT} {FILLING}", [
        told("n1", "entity", "Mara", name="Mara", type="character", aliases=["the courier"], description="keeper of the tower"),
        told("v1", "event", LIT, summary="Mara lights the lantern", participants=["Mara"]),
    ])  # fmt: skip
    telling.publish(
        2, f"{FILLING} {BURNT}", [told("v1", "event", BURNT, summary="The letter is burnt", participants=["Mara"])]
    )
    telling.publish(3, f"{SAILED} {FILLING}", [
        told("v1", "event", SAILED, summary="Odran sails away", participants=["Odran"]),
        told("c1", "character_delta", "not seen again", character="Odran", attribute="status", value="missing"),
    ])  # fmt: skip
    return telling


def ask(
    telling: Telling, question: str = "What did Mara do in the tower?", method: str = "pons", **asked: Any
) -> dict[str, Any]:
    embedder = HashEmbedder()
    return Retriever(None, embedder, slices=MemorySlices(telling, embedder)).packet(
        telling.story, question, method=method, **asked
    )


def texts(packet: dict[str, Any], kind: str = "passage") -> str:
    return "\n".join(item["text"] for item in packet["items"] if item["type"] == kind)


def test_the_source_text_of_a_found_event_is_in_the_packet(telling: Telling) -> None:
    assert LIT in texts(ask(telling, budget=900))


def test_excerpts_are_exactly_the_text_at_their_span_and_overlap_nowhere(telling: Telling) -> None:
    chapters = {1: f"{LIT} {FILLING}", 2: f"{FILLING} {BURNT}", 3: f"{SAILED} {FILLING}"}
    spans = []
    for item in ask(telling, budget=6_000)["items"]:
        if item["type"] == "passage":
            (span,) = item["evidence"]
            assert chapters[span["chapter"]][span["start"] : span["end"]] == item["text"]
            spans.append((span["chapter"], span["start"], span["end"]))
    assert len(spans) > 4
    assert all(a[0] != b[0] or a[2] <= b[1] for a, b in zip(sorted(spans), sorted(spans)[1:], strict=False))


def test_text_comes_in_story_order_and_each_item_says_why_it_is_there(telling: Telling) -> None:
    items = [item for item in ask(telling, budget=4_000)["items"] if item["type"] == "passage"]
    places = [(item["chapter"], item["evidence"][0]["start"]) for item in items]
    assert places == sorted(places)
    assert all(item["path"] and item["channel"] in {"plot", "anchor", "text"} for item in items)


def test_near_duplicates_are_folded() -> None:
    telling = Telling()
    for chapter in range(1, 9):
        telling.publish(chapter, f"Once more the watchman cried the hour of the lantern, and nobody heard him. {BURNT}")
    packet = ask(telling, "Who cried the hour of the lantern?", budget=10_000)
    assert sum("watchman" in item["text"] for item in packet["items"]) == 1


def test_a_story_without_records_is_answered_from_its_chunks_and_the_trace_says_so() -> None:
    telling = Telling()
    telling.publish(1, f"{FILLING} {LIT} {FILLING}")
    packet = ask(telling, budget=700)
    assert LIT in texts(packet)
    assert "no record says what happens" in next(s for s in packet["trace"] if s["step"] == "layers")["because"]


def test_the_trace_tells_every_step(telling: Telling) -> None:
    steps = [step["step"] for step in ask(telling)["trace"]]
    assert steps == ["slice", "layers", "question", "anchor", "awaken", "match", "flow"]


@pytest.mark.parametrize("name", sorted(ABLATIONS))
@pytest.mark.parametrize("budget", [80, 1_000, 20_000])
def test_every_ablation_answers_within_its_budget(telling: Telling, name: str, budget: int) -> None:
    packet = ask(telling, method=f"pons:{name}", budget=budget)
    assert packet["used"] <= budget
    assert packet["items"] or budget == 80
    assert packet["method"] == f"pons:{name}"


def test_the_character_layer_alone_has_no_text_and_the_plot_layer_alone_no_figures(telling: Telling) -> None:
    assert texts(ask(telling, "Is Odran missing?", "pons:char-only")) == ""
    trace = {step["step"]: step for step in ask(telling, method="pons:plot-only")["trace"]}
    assert trace["anchor"]["figures"] == []
    assert trace["match"]["pairs"] == 0


def test_what_no_longer_holds_comes_with_what_holds_now() -> None:
    telling = Telling()
    for chapter, owner in ((1, "Mara"), (2, "Tomas"), (3, "Odran")):
        said = f"{owner} had the lamp from that day."
        telling.publish(chapter, f"{said} {FILLING}", [owns("o1", "lamp", owner, said)])
    items = [item for item in ask(telling, "Did Mara have the lamp?", budget=3_000)["items"] if "record" in item]
    assert any("until chapter" in item["text"] for item in items)
    assert any("Odran" in item["text"] and item["chapter"] == 3 for item in items)


def test_steps_go_on_from_what_was_found(telling: Telling) -> None:
    trace = ask(telling, method="pons:steps")["trace"]
    follow_ups = [step["question"] for step in trace if step["step"] == "follow-up"]
    assert follow_ups
    assert all(question.startswith("What did Mara do in the tower? ") for question in follow_ups)


def test_an_unknown_variant_is_refused_before_anything_is_read(telling: Telling) -> None:
    with pytest.raises(InvalidInput, match="no-match"):
        ask(telling, method="pons:no-such-thing")


class Nothing:
    """A model that wants the first thread only."""

    def choose(self, question: str, said: Sequence[str]) -> Sequence[int]:
        return [0]


def test_a_model_may_filter(telling: Telling) -> None:
    source = MemorySlices(telling, HashEmbedder())
    slice_ = source.slice(source.resolve(telling.story, 3, None))
    asked = Asked("What did Mara do in the tower?", slice_, lambda text: HashEmbedder().embed([text])[0])
    trace: list[dict[str, Any]] = []
    Pons(Options(fill=False), Nothing())(asked, 5_000, trace)
    assert trace[-1] == {"step": "flow", "filter": "model", "threads": 1}
