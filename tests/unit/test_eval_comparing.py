"""Methods held against each other on packets small enough to count by hand, and the questions that tell their answer themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from services.evaluation.retrieval import controls
from services.evaluation.retrieval.comparing import LEAST, comparisons
from services.evaluation.retrieval.hardness import is_closed
from services.evaluation.retrieval.measuring import Table, measures, table
from services.evaluation.retrieval.questions import Chapter, Question, Story
from services.evaluation.retrieval.running import Plan
from services.evaluation.retrieval.saved import Saved, SavedPacket

ASKED = Question(
    suite="recorded", story="lamp", id="q", text="Where is the key?", checkpoint=1, answers=("in the harbour",)
)
FOUND = {"id": "p1:0", "type": "passage", "text": "It lies in the harbour.", "chapter": 1, "score": 0.5, "evidence": []}
STORY = Story("lamp", (Chapter(1, "It lies in the harbour."),))


def run(questions: int = 12, **found: int) -> Table:
    """Each method finds the answers of the first so many questions; the first ten are of one family, the others of another."""
    asked = [replace(ASKED, id=f"q{n:02}", family="where" if n < LEAST else "why") for n in range(questions)]
    packets = [
        SavedPacket("recorded", q.id, method, 4_000, 100, 0.01, ("found",) if n < found[method] else ())
        for method in found
        for n, q in enumerate(asked)
    ]
    return table(Saved({}, {(q.suite, q.id): q for q in asked}, {"found": FOUND}, packets))


def pairs(found: Table, group: str = "") -> dict[tuple[str, str], Any]:
    return {(c.method, c.against): c for c in comparisons(found) if c.what == "coverage" and c.group == group}


def test_ours_are_held_against_the_best_baseline_the_controls_and_each_other() -> None:
    found = pairs(run(last=0, random=1, bm25=4, hybrid=2, nwm=6, weave=9))
    assert set(found) == {
        ("nwm", "bm25"), ("nwm", "last"), ("nwm", "random"), ("weave", "bm25"), ("weave", "last"), ("weave", "random"),
        ("weave", "nwm"),
    }  # fmt: skip
    assert found["weave", "nwm"].found.only_first == 3
    assert found["weave", "nwm"].found.p == pytest.approx(0.25)


def test_methods_are_held_against_each_other_where_no_baseline_ran() -> None:
    assert ("weave", "nwm") in pairs(run(last=0, random=0, nwm=6, weave=9))


def test_a_family_is_tested_on_its_own_from_enough_questions_on() -> None:
    found = run(last=0, random=0, bm25=4, weave=12)
    assert pairs(found, "family=where")["weave", "bm25"].found.n == LEAST
    assert not pairs(found, "family=why")


def test_an_answer_that_the_question_tells_needs_no_packet() -> None:
    told = replace(ASKED, text="Is the key in the harbour or at home?")
    assert is_closed(told)
    assert not is_closed(ASKED)


def test_the_words_of_a_claim_do_not_tell_whether_it_is_true() -> None:
    claim = replace(ASKED, text="It is true that she left.", answers=("True",), options=("True", "False"), label=True)
    assert not is_closed(claim)


def test_questions_that_tell_their_answer_are_set_apart_and_are_not_hard() -> None:
    told = replace(ASKED, id="q1", text="Is the key in the harbour?")
    packets = [SavedPacket("recorded", q.id, "weave", 4_000, 100, 0.01, ("found",)) for q in (ASKED, told)]
    found = table(Saved({}, {(q.suite, q.id): q for q in (ASKED, told)}, {"found": FOUND}, packets))
    assert found.easy == {("recorded", "q1")}
    named = {m.name: m for m in measures(found)}
    assert named["recorded.weave.coverage@4000/closed=yes"].n == 1
    assert named["recorded.weave.coverage@4000/closed=no"].n == 1


def test_a_closed_book_packet_is_empty_and_is_made_only_where_it_is_asked_for() -> None:
    assert controls.closed(STORY, ASKED, 4_000) == []
    assert Plan(methods=("bm25", "closed")).bounded == ["last", "random", "bm25", "closed"]
    assert "closed" not in Plan(methods=("bm25",)).bounded
    assert "closed" not in Plan(methods=("bm25", "closed")).unbounded
