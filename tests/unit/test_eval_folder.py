"""Folders of stories and questions, each of our own and as small as its layout allows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.evaluation.retrieval import folder
from services.evaluation.retrieval.folder import NoQuestions
from tests.evaluation_data import NOVEL, lines, write_data


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path)


def test_tales_are_chained_into_one_serial_and_a_question_ends_with_its_tale(data: Path) -> None:
    suite = folder.suite(data, "fairytaleqa")
    assert [chapter.number for chapter in suite.stories["fairytaleqa"].chapters] == [1, 2, 3]
    first, second = suite.questions
    assert (first.checkpoint, sorted(first.gold_chapters), first.hops) == (2, [1, 2], 2)
    assert (second.checkpoint, sorted(second.gold_chapters), second.hops) == (3, [3], 1)
    assert second.answers == ("a crow",)


def test_questions_on_novels_are_asked_after_the_last_chapter(data: Path) -> None:
    suite = folder.suite(data, "narrativeqa")
    (question,) = suite.questions  # the other one is about a novel that is not there
    assert (question.story, question.checkpoint, question.answers) == ("lamp", 2, ("Tomas .", "Tomas"))


def test_claims_have_a_label_and_a_pair(data: Path) -> None:
    true, false = folder.suite(data, "nocha").questions
    assert (true.label, false.label, true.pair == false.pair) == (True, False, True)
    assert true.options == ("True", "False")


def test_recorded_stories_bring_records_and_the_place_of_each_quote(data: Path) -> None:
    suite = folder.suite(data, "recorded")
    chapters = suite.stories["lamp"].chapters
    assert [chapter.records is None for chapter in chapters] == [False, True]
    asked, leak = suite.questions
    (gold,) = asked.gold
    assert NOVEL[0][gold.start : gold.end] == "hid the brass key"
    assert (asked.answers, asked.short, asked.stale) == (("Mara hid it.",), "Mara", "Tomas")
    assert (leak.leak, leak.answers, leak.later_answer) == (True, (), "Ilse")


def test_only_the_stories_that_are_asked_about_are_kept(data: Path) -> None:
    assert folder.suite(data, "fairytaleqa", limit=1).questions[0].id == "crow#1"
    assert folder.suite(data, "narrativeqa", stories=["other"]).questions == []


def test_questions_of_ones_own_are_about_a_folder_of_chapters(data: Path) -> None:
    asked = lines(
        data / "mine.jsonl", [{"qid": "a", "question": "Who hid it?", "answers": ["Mara"], "gold_chapters": [1]}]
    )
    (question,) = folder.custom(asked, data / "novels" / "lamp").questions
    assert (question.checkpoint, sorted(question.gold_chapters), question.answers) == (2, [1], ("Mara",))


def test_what_a_folder_lacks_is_named(data: Path) -> None:
    (data / "nocha" / "claims.jsonl").unlink()
    (data / "nocha").rmdir()
    assert folder.missing(data, folder.SUITES) == ["nocha"]


def test_a_folder_without_any_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoQuestions, match="recorded, fairytaleqa"):
        folder.folder(tmp_path)


@pytest.mark.parametrize("line", ["{", json.dumps({"qid": "a"}), json.dumps([1])])
def test_a_broken_line_is_named_with_its_file(data: Path, line: str) -> None:
    (data / "mine.jsonl").write_text(line, "utf-8")
    with pytest.raises(NoQuestions, match=r"mine\.jsonl: line 1"):
        folder.custom(data / "mine.jsonl", data / "novels" / "lamp")


def test_a_folder_without_chapters_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(NoQuestions, match="chapter-NNN"):
        folder.custom(data / "nocha" / "claims.jsonl", data / "nocha")
