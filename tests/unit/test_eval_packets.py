"""What counts as found in a packet, on packets small enough to count by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from services.evaluation.reporting import plots
from services.evaluation.retrieval import controls, matching
from services.evaluation.retrieval.blindness import Blindness
from services.evaluation.retrieval.measuring import Table, measures, table
from services.evaluation.retrieval.questions import Chapter, Gold, Question, Story, located
from services.evaluation.retrieval.reporting import tools
from services.evaluation.retrieval.saved import Saved, SavedPacket
from services.evaluation.retrieval.scoring import Score, score
from services.retrieval.packing import used

FIRST = "Mara Voss hid the brass key under the third stair. Nobody in the lamp house saw her do it."
SECOND = "Tomas found the key and carried it to the ferry. He gave it to Ilse, who threw it into the harbour at dawn."
THIRD = "Years later a diver brought up a brass key, green with age, and nobody knew at all what it had once opened."
STORY = Story("lamp", (Chapter(1, FIRST), Chapter(2, SECOND), Chapter(3, THIRD)))
ASKED = Question(
    suite="recorded",
    story="lamp",
    id="q1",
    text="Where is the key?",
    checkpoint=2,
    answers=("in the harbour, thrown by Ilse",),
    gold=(Gold(1, "hid the brass key"), Gold(2, "threw it into the harbour at dawn")),
    stale="under the third stair",
    hops=2,
)
(QUESTION,) = located([ASKED], {"lamp": STORY})


def passage(chapter: int, text: str, value: float = 0.0) -> dict[str, Any]:
    start = STORY.texts[chapter].index(text)
    span = {"chapter": chapter, "revision": 1, "start": start, "end": start + len(text)}
    shown = {"type": "passage", "text": text, "chapter": chapter, "score": value}
    return {**shown, "id": f"p{chapter}:{start}", "passage": f"{chapter}:{start}", "evidence": [span]}


def record(chapter: int, text: str, quote: str) -> dict[str, Any]:
    shown = {"type": "object_delta", "text": text, "chapter": chapter, "score": 0.0}
    return {**shown, "id": f"{chapter}:o1", "record": f"{chapter}:o1", "evidence": passage(chapter, quote)["evidence"]}


def scored(*items: dict[str, Any], question: Question = QUESTION, leaks: tuple[str, ...] = ()) -> Score:
    keys = tuple(str(place) for place in range(len(items)))
    packet = SavedPacket(question.suite, question.id, "bm25", 4000, 100, 0.01, keys, leaks)
    return score(Saved({}, {(question.suite, question.id): question}, dict(zip(keys, items, strict=True)), []), packet)


def test_a_quote_is_found_by_its_words_whatever_the_typography() -> None:
    found = scored({**passage(1, FIRST), "text": "mara voss HID the “brass” key"})
    assert found.quotes == found.quotes_in_words == (True, False)


def test_the_words_of_a_quote_have_to_stand_together() -> None:
    assert scored(passage(1, "Mara Voss hid"), passage(1, "the brass key")).quotes == (False, False)


def test_a_record_grounded_in_a_quote_finds_it_without_its_words() -> None:
    found = scored(record(2, "owner(key) = nobody", "who threw it into the harbour"))
    assert found.quotes == (False, True)
    assert found.quotes_in_words == (False, False)


def test_a_record_grounded_beside_a_quote_does_not_find_it() -> None:
    assert scored(record(2, "Tomas has the key", "Tomas found the key")).quotes == (False, False)


def test_an_answer_is_covered_from_half_of_its_salient_words_on() -> None:
    assert matching.salient("in the harbour, thrown by Ilse") == {"harbour", "thrown", "ilse"}
    assert scored(passage(2, SECOND)).covered == pytest.approx(2 / 3)
    assert scored(passage(2, SECOND)).hit is True
    assert scored(passage(1, FIRST)).hit is False


def test_of_several_references_the_best_counts() -> None:
    assert matching.covered(["on a boat", "brass key"], {"key"}) == 0.5


def test_an_answer_of_function_words_is_measured_by_all_of_them() -> None:
    assert matching.salient("He did") == {"he", "did"}


def test_gold_chapters_are_ranked_by_their_best_item() -> None:
    found = scored(passage(1, "Mara Voss hid", 0.1), passage(2, SECOND, 0.5), passage(1, "the lamp house", 0.9))
    assert found.chapters == (True, True)
    assert scored(passage(2, SECOND, 0.5), question=replace(QUESTION, gold=(Gold(1),))).rank is None
    assert found.rank == 1


def test_a_stale_value_alone_is_told_from_one_with_the_current_one() -> None:
    assert scored(passage(1, FIRST)).stale_alone is True
    assert scored(passage(1, FIRST), passage(2, SECOND)).stale_alone is False
    assert scored(passage(2, SECOND)).stale_alone is False


def test_an_item_from_after_the_checkpoint_leaks() -> None:
    blindness = Blindness(STORY)
    assert blindness.leaks(passage(3, THIRD), 2)
    assert not blindness.leaks(passage(2, SECOND), 2)


def test_text_from_after_the_checkpoint_leaks_whatever_chapter_it_claims() -> None:
    item = {**passage(1, FIRST), "text": f"It is said that {THIRD}"}
    assert Blindness(STORY).leaks(item, 2)
    assert not Blindness(STORY).leaks(item, 3)


@pytest.mark.parametrize("budget", [90, 150, 200, 400])
def test_the_last_text_ends_at_the_checkpoint_and_keeps_to_the_budget(budget: int) -> None:
    items = controls.last(STORY, QUESTION, budget)
    assert used(items) <= budget
    assert items[-1].text.endswith("at dawn.")
    assert all(STORY.texts[i.chapter][i.evidence[0].start : i.evidence[0].end] == i.text for i in items)


def test_random_passages_are_drawn_by_the_question_from_before_the_checkpoint() -> None:
    items = controls.at_random(STORY, QUESTION, 1_000)
    assert [item.chapter for item in items] == [1, 2]
    shorter = Story("lamp", STORY.chapters[:2])
    assert controls.at_random(shorter, QUESTION, 1_000) == items


def test_the_oracle_has_the_gold_chapters_and_nothing_else() -> None:
    only_first = replace(QUESTION, gold=(Gold(1),))
    assert [item.text for item in controls.oracle(STORY, only_first, 0)] == [FIRST]
    assert [item.chapter for item in controls.full(STORY, QUESTION, 0)] == [1, 2]


def run(**packets: list[dict[str, Any]]) -> Table:
    """A run in which each method gave these items at 4,000 characters."""
    items = {f"{m}{n}": item for m, given in packets.items() for n, item in enumerate(given)}
    saved = [
        SavedPacket("recorded", "q1", m, 4000, 100, 0.01, tuple(f"{m}{n}" for n in range(len(given))))
        for m, given in packets.items()
    ]
    return table(Saved({}, {("recorded", "q1"): QUESTION}, items, saved))


def test_measures_are_named_by_suite_method_and_budget() -> None:
    found = {m.name: m for m in measures(run(last=[], bm25=[passage(1, FIRST)]))}
    share = found["recorded.bm25.gold_share@4000"]
    assert (share.value, share.n) == (0.5, 2)
    assert found["recorded.bm25.coverage@4000"].value == 0.0
    assert found["recorded.bm25.stale@4000"].value == 1.0
    assert found["recorded.bm25.gold_share@4000/hops=multi"].value == 0.5
    assert found["recorded.last.leak@4000"].value == 0.0


def test_a_question_that_a_control_answers_is_set_apart() -> None:
    assert run(last=[passage(2, SECOND)], nwm=[]).easy == {("recorded", "q1")}
    assert run(last=[], nwm=[passage(2, SECOND)]).easy == frozenset()


def test_a_question_that_a_baselines_best_passage_answers_is_set_apart() -> None:
    best, second = passage(2, SECOND, 0.9), passage(1, FIRST, 0.5)
    assert run(last=[], bm25=[second, best]).easy == {("recorded", "q1")}
    assert run(last=[], bm25=[{**second, "score": 1.0}, best]).easy == frozenset()


def test_tools_are_counted_however_a_trace_tells_them() -> None:
    trace: list[dict[str, Any]] = [
        {"step": "recall", "tools": {"search": 2, "trace": 1}},
        {"tools": ["search"]},
        {"tool": "look"},
        {"step": "board"},
    ]
    assert tools(trace) == {"search": 3, "trace": 1, "look": 1}


def test_lines_of_a_plot_end_with_their_name_and_stay_inside_it() -> None:
    point = plots.Point(0.5, 0.4, 0.6)
    svg = plots.lines("Share <1>", ["1", "2"], {"bm25": [point, None], "weave": [point, plots.Point(1.2, 1.0, 1.3)]})
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own plot
    assert root.attrib["aria-label"] == "Share <1>"
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Share <1>", "bm25", "weave"} <= set(texts)
    heights = [float(c.attrib["cy"]) for c in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert len(heights) == 3
    assert all(0 <= y <= plots.HEIGHT for y in heights)
