"""A reader over saved packets: measured against references, and asked once only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from services.answering.readers import ABSTAINED, Answer
from services.cli.main import cli
from services.evaluation.qa import suite
from services.evaluation.qa.scoring import marks, pairs_right, token_f1
from services.evaluation.retrieval.questions import Gold, Question
from services.evaluation.retrieval.saved import SavedPacket, save_run, writing

ASKED = Question(
    suite="recorded", story="lamp", id="q1", text="Who hid the key?", checkpoint=2, answers=("Mara Voss hid it",), gold=(Gold(1),)
)  # fmt: skip
LEAK = replace(ASKED, id="q2", text="Who throws it?", answers=(), leak=True, later_answer="Ilse")
TRUE = replace(
    ASKED, suite="nocha", id="1-true", text="Mara hid the key.", answers=("True",), gold=(), options=("True", "False"),
    label=True, pair="1",
)  # fmt: skip
FALSE = replace(TRUE, id="1-false", text="Ilse hid the key.", answers=("False",), label=False)
ITEM = {
    "id": "p1",
    "type": "passage",
    "text": "Mara Voss hid the brass key.",
    "chapter": 1,
    "passage": "1:0-28",
    "score": 1.0,
}


class Told:
    """A reader that says what it is told to, and counts how often it is asked."""

    name = "told"

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def answer(self, question: str, packet: Mapping[str, Any], options: Sequence[str] = ()) -> Answer:
        self.asked.append(question)
        return self._answers[question]


STALE = replace(
    ASKED, id="q3", text="Where does Mara keep the key at night?", answers=("on a hook in the kitchen",),
    stale="under the loose stone by the door",
)  # fmt: skip


def said(text: str) -> Answer:
    return Answer(text, False, ("p1",))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Packets of one method at 4,000 characters, as a run saves them."""
    questions = [ASKED, LEAK, TRUE, FALSE]
    with writing(tmp_path, questions) as writer:
        key = writer.key({**ITEM, "evidence": [{"chapter": 1, "revision": 1, "start": 0, "end": 28}]})
        for question in questions:
            writer.add(SavedPacket(question.suite, question.id, "bm25", 4000, 80, 0.01, (key,)))
    save_run(tmp_path, {"methods": ["bm25"], "budgets": [4000], "suites": {}})
    return tmp_path


def test_answers_are_measured_against_their_references(directory: Path) -> None:
    reader = Told(
        {ASKED.text: said("Mara Voss"), LEAK.text: ABSTAINED, TRUE.text: said("True"), FALSE.text: said("True")}
    )
    found = {m.name: m.value for m in suite.measure(directory, reader).measures}
    assert found["recorded.bm25.qa_f1@4000"] == pytest.approx(2 * 2 / (2 + 4), abs=1e-4)
    assert found["recorded.bm25.qa_right@4000"] == 1.0
    assert found["recorded.bm25.qa_exact@4000"] == 0.0
    assert found["recorded.bm25.qa_abstained@4000"] == 0.0
    assert found["recorded.bm25.qa_leak_abstained@4000"] == 1.0
    assert found["recorded.bm25.qa_leak_told@4000"] == 0.0
    assert found["nocha.bm25.qa_options@4000"] == 0.5
    assert found["nocha.bm25.qa_pairs@4000"] == 0.0


def test_telling_what_comes_later_is_seen(directory: Path) -> None:
    reader = Told({ASKED.text: ABSTAINED, LEAK.text: said("Ilse"), TRUE.text: said("True"), FALSE.text: said("False")})
    found = {m.name: m.value for m in suite.measure(directory, reader).measures}
    assert found["recorded.bm25.qa_leak_told@4000"] == 1.0
    assert found["recorded.bm25.qa_abstained_with_gold@4000"] == 1.0
    assert found["nocha.bm25.qa_pairs@4000"] == 1.0


def test_nothing_is_asked_twice(directory: Path) -> None:
    answers = dict.fromkeys((ASKED.text, LEAK.text, TRUE.text, FALSE.text), said("True"))
    first = suite.measure(directory, Told(answers))
    again = Told({})
    assert suite.measure(directory, again).to_json() == first.to_json()
    assert again.asked == []


def test_answers_asked_for_again_are_held_against_the_first(directory: Path) -> None:
    class Fickle(Told):
        """Right the first time, and abstaining afterwards."""

        def answer(self, question: str, packet: Mapping[str, Any], options: Sequence[str] = ()) -> Answer:
            first = question not in self.asked
            return super().answer(question, packet, options) if first else ABSTAINED

    answers = {
        ASKED.text: said("Mara Voss"),
        LEAK.text: said("Tomas"),
        TRUE.text: said("True"),
        FALSE.text: said("True"),
    }
    found = {m.name: m.value for m in suite.measure(directory, Fickle(answers), times=2).measures}
    # pairs (right, abstained) and (wrong, abstained): all differ, where 10 of 12 orders of the four verdicts would
    assert found["recorded.bm25.qa_alpha@4000"] == pytest.approx(1 - 1 / (10 / 12))
    assert found["recorded.bm25.qa_right@4000"] == 1.0


def test_the_command_reads_saved_packets(directory: Path) -> None:
    done = CliRunner().invoke(cli, ["eval", "qa", "--packets", str(directory), "--json"])
    found = {m["name"]: m["value"] for m in json.loads(done.stdout)["measures"]}
    assert found["recorded.bm25.qa_right@4000"] == 1.0
    assert (directory / "qa-offline" / "report.html").is_file()


def test_token_f1_leaves_out_articles_and_punctuation() -> None:
    assert token_f1("The brass key!", "a brass key") == 1.0
    assert token_f1("Mara", "Ilse") == 0.0


def test_who_abstains_from_what_is_told_gets_nothing() -> None:
    got = marks(ASKED, ABSTAINED)
    assert (got.f1, got.exact, got.hit, got.abstained) == (0.0, False, False, True)


def test_a_lone_claim_is_no_pair() -> None:
    assert pairs_right([(TRUE, marks(TRUE, said("True")))]) == []


@pytest.mark.parametrize(
    ("answer", "stale"),
    [
        ("under the loose stone by the door", True),
        ("She said that it lay under the loose stone.", True),
        ("It is no longer under the loose stone, but on a hook in the kitchen.", False),
        ("on a hook in the kitchen", False),
        # words of it, strewn or few, give no value
        ("The stone was cold. Under the eaves a shutter banged.", False),
        ("Loose as the shutter was, it held until the wind came up, and then it struck the stone.", False),
        ("She went to the door.", False),
    ],
)
def test_a_mention_of_an_old_value_is_no_stale_answer(answer: str, stale: bool) -> None:
    assert marks(STALE, said(answer)).told_stale is stale
    assert marks(STALE, ABSTAINED).told_stale is False


def test_what_the_old_value_shares_with_the_right_one_is_not_stale() -> None:
    asked = replace(STALE, answers=("behind the green stone of the yard, since Tuesday, out of sight",))
    assert marks(asked, said("behind a stone")).told_stale is False
