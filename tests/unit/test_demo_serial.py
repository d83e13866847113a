"""The demonstration serial shows what it is there to show."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from events.evidence import TextIndex, clean_text
from events.records import KINDS
from events.sidecar import validate
from services.demo.serial import demo_chapters, demo_edits, demo_questions
from services.publishing.importing import SourceChapter
from tests.stories import Story

EVERYTHING = [*demo_chapters(), *demo_edits()]
TEXTS = pytest.mark.parametrize("chapter", EVERYTHING, ids=[f"{n}-{c.source}" for n, c in enumerate(EVERYTHING)])


def records(chapter: SourceChapter) -> list[dict[str, Any]]:
    return validate(chapter.records, chapter=chapter.number)


def publish(story: Story, chapter: SourceChapter) -> Any:
    return story.publish(chapter.number, *records(chapter), text=chapter.text)


def told(*, edited: bool = False) -> Story:
    story = Story()
    for chapter in [*demo_chapters(), *(demo_edits() if edited else [])]:
        publish(story, chapter)
    return story


def fallen(story: Story) -> dict[str, str]:
    """Records that are not live, and why."""
    entries = [
        e for n in story.index.chapters for e in (story.index.current(n) or pytest.fail(f"no chapter {n}")).entries
    ]
    return {f"{e.chapter}:{e.local}": e.reason for e in entries if not e.live}


def test_there_are_ten_chapters_with_titles_in_order() -> None:
    chapters = demo_chapters()
    assert [chapter.number for chapter in chapters] == list(range(1, 11))
    assert all(chapter.title for chapter in chapters)


@TEXTS
def test_a_chapter_has_350_to_600_words(chapter: SourceChapter) -> None:
    assert 350 <= len(chapter.text.split()) <= 600
    assert clean_text(chapter.text) == chapter.text


@TEXTS
def test_every_record_is_grounded_in_its_chapter(chapter: SourceChapter) -> None:
    index = TextIndex(chapter.text)
    quotes = [span["quote"] for record in records(chapter) for span in record["evidence"]]
    assert [quote for quote in quotes if index.locate(quote=quote, start=None, end=None) is None] == []


def test_every_kind_of_record_and_modality_is_used() -> None:
    used = [record for chapter in demo_chapters() for record in records(chapter)]
    assert {record["kind"] for record in used} == set(KINDS)
    assert {"dream", "planned", "reported", "past", "hypothetical"} <= {record.get("modality") for record in used}


def test_before_the_edits_every_record_holds() -> None:
    assert fallen(told()) == {}


def test_the_edit_of_the_wording_carries_every_record() -> None:
    story = told()
    taken = publish(story, demo_edits()[0])
    assert (len(taken.carried), taken.asserted, taken.withdrawn) == (len(records(demo_chapters()[1])), [], [])


def test_the_edit_of_the_gift_brings_down_what_rests_on_it_in_later_chapters() -> None:
    reasons = fallen(told(edited=True))
    assert reasons["5:ev2"] == "precondition_failed"
    assert reasons["5:o1"] == "dependency_withdrawn"
    assert reasons["9:t1"] == "dependency_withdrawn"
    assert {int(name.partition(":")[0]) for name in reasons} >= {5, 6, 7, 8, 9}
    assert min(Counter(reasons.values()).values()) >= 3
    assert set(reasons.values()) == {"dependency_withdrawn", "precondition_failed"}


def test_what_does_not_rest_on_the_gift_stands() -> None:
    story = told(edited=True)
    assert all(story.live(name) for name in ("4:ev1", "5:ev1", "6:rd1", "7:id1", "8:rd1"))


def test_putting_the_gift_back_restores_everything() -> None:
    story = told(edited=True)
    publish(story, demo_chapters()[3])
    assert fallen(story) == {}


@pytest.mark.parametrize(
    ("key", "owners"),
    [
        ("owner(brass key)", {3: "Jorun Pell", 4: "Ottiline Marsk", 9: "Ottiline Marsk", 10: "Ewart Pell"}),
        ("owner(ledger)", {3: "Jorun Pell", 5: "Ottiline Marsk", 6: "the Grey Clerk", 7: "Ottiline Marsk"}),
        ("owner(torn page)", {5: "Ottiline Marsk", 8: "Dacey Vorn", 9: "Ottiline Marsk"}),
    ],
)
def test_an_object_changes_hands(key: str, owners: dict[int, str]) -> None:
    story = told()
    assert {at: story.state(at)[key] for at in owners} == owners


def test_the_clerk_is_who_he_is_only_from_the_chapter_that_reveals_it() -> None:
    story = told()
    assert story.state(6)["location(the Grey Clerk)"] == "Weighhouse"
    assert story.state(7)["location(Ewart Pell)"] == "Tallow Light"


@pytest.mark.parametrize("thread", ["Ottiline's promise to light the seventh lamp", "the dark seventh lamp"])
def test_a_thread_that_is_opened_in_the_first_chapter_is_paid_off_in_the_ninth(thread: str) -> None:
    story = told()
    statuses = [story.state(at)[f"thread({thread})"] for at in (1, 8, 9)]
    assert (statuses[0], statuses[1] == "paid_off", statuses[2]) == ("opened", False, "paid_off")


def test_the_questions_point_to_records_that_hold_at_their_chapter() -> None:
    stories = {edited: told(edited=edited) for edited in (False, True)}
    questions = demo_questions()
    assert len(questions) == 12
    for question in questions:
        if question.record:
            assert stories[question.after_edits].live(question.record), question
            assert int(question.record.partition(":")[0]) <= question.at


def test_the_answers_about_the_brass_key_are_what_the_state_says() -> None:
    stories = {edited: told(edited=edited) for edited in (False, True)}
    asked = [q for q in demo_questions() if q.question == "Who owns the brass key?"]
    assert [stories[q.after_edits].state(q.at)["owner(brass key)"] for q in asked] == [q.answer for q in asked]
