"""What may be published, and what is refused before anything is written."""

from __future__ import annotations

from typing import Any

import pytest

from events.errors import InvalidChapter, InvalidInput, InvalidName, InvalidRecords
from events.sidecar import MAX_RECORDS
from services import arguments
from services.publishing import validation


@pytest.mark.parametrize("story", ["lantern", "a", "Die-Möwe_2.1", "повесть", "कहानी", "物語", "x" * 100])
def test_letters_and_digits_of_any_script_name_a_story(story: str) -> None:
    assert validation.story_id(story) == story


@pytest.mark.parametrize(
    "story",
    ["", "x" * 101, "a/b", "a b", "..", ".", "a\0", "a\n", "e\u0301", "\u0301a", "a²", "🙂", None, 7, True, b"a"],
)
def test_anything_else_is_no_story_id(story: Any) -> None:
    with pytest.raises(InvalidName):
        validation.story_id(story)


@pytest.mark.parametrize("chapter", [0, -1, 1_000_001, True, 1.0, "1", None])
def test_a_chapter_is_a_whole_number_in_range(chapter: Any) -> None:
    with pytest.raises(InvalidChapter, match="whole number"):
        validation.chapter_number(chapter)


def test_the_text_is_cleaned_before_it_is_measured() -> None:
    assert validation.chapter_text("\ufeffa\0\r\nb") == "a\nb"


@pytest.mark.parametrize("text", ["", "\0\0", "\ufeff", None, 1, b"bytes"])
def test_a_text_without_characters_is_refused(text: Any) -> None:
    with pytest.raises(InvalidChapter):
        validation.chapter_text(text)


@pytest.mark.parametrize("text", ["\u200b", "\u202e\u2066", "\u200fשלום\u200d"])
def test_what_joins_letters_stays_in_a_text_and_alone_is_one_in_which_nothing_happens(text: str) -> None:
    assert validation.chapter_text(text) == text


def test_white_space_is_a_text() -> None:
    assert validation.chapter_text(" \n ") == " \n "


def test_two_million_characters_are_taken_and_one_more_is_not() -> None:
    assert len(validation.chapter_text("ä" * 2_000_000)) == 2_000_000
    with pytest.raises(InvalidChapter, match="several chapters"):
        validation.chapter_text("a" * 2_000_001)


@pytest.mark.parametrize(
    ("title", "kept"),
    [(None, None), ("  ", None), ("\u202e\u202c", None), (" A title\0 ", "A title"), ("x" * 500, "x" * 500)],
)
def test_a_blank_title_is_none(title: str | None, kept: str | None) -> None:
    assert validation.chapter_title(title) == kept


@pytest.mark.parametrize("title", ["x" * 501, 3, False])
def test_a_title_is_a_string_of_at_most_500_characters(title: Any) -> None:
    with pytest.raises(InvalidChapter):
        validation.chapter_title(title)


@pytest.mark.parametrize("language", ["en", "pt-BR", "zh-Hant-TW"])
def test_a_language_tag_is_taken_as_it_is(language: str) -> None:
    assert validation.language_tag(language) == language


@pytest.mark.parametrize("language", ["", "e", "en_US", "english language", None, 1, "en-", "en\n"])
def test_what_is_no_language_tag_is_refused(language: Any) -> None:
    with pytest.raises(InvalidChapter):
        validation.language_tag(language)


def test_no_records_and_an_empty_list_are_different() -> None:
    assert validation.chapter_records(None, 1) is None
    assert validation.chapter_records([], 1) == []


def test_a_sidecar_object_is_taken_for_its_records() -> None:
    assert validation.chapter_records({"schema": "fabula.records/1", "records": []}, 1) == []


@pytest.mark.parametrize("records", ["x", 1, {"records": 1}, [{"id": "a"}], [1]])
def test_records_that_break_the_vocabulary_are_refused(records: Any) -> None:
    with pytest.raises(InvalidRecords):
        validation.chapter_records(records, 1)


def test_a_text_of_which_nothing_can_be_seen_is_refused_in_records() -> None:
    record = {"id": "k1", "kind": "knowledge", "knower": "Mara", "fact": "\u200b", "evidence": [{"quote": "Mara"}]}
    with pytest.raises(InvalidRecords, match="no character that can be seen"):
        validation.chapter_records([record], 1)


@pytest.mark.parametrize(("a", "b"), [("Mara", "Mara"), ("The Stranger", "stranger"), ("“Mara  Voss”", "mara voss")])
def test_one_name_is_not_an_identity_of_two(a: str, b: str) -> None:
    record = {"id": "i1", "kind": "identity", "a": a, "b": b, "evidence": [{"quote": "Mara"}]}
    with pytest.raises(InvalidRecords, match=r"record 1 \(i1\): `a` and `b` are one name"):
        validation.chapter_records([record], 1)


@pytest.mark.parametrize("name", ["\u200b", "\u202e\u202c", "\u2060 \u00ad"])
def test_a_name_of_which_nothing_can_be_seen_is_refused_in_records(name: str) -> None:
    record = {"id": "e1", "kind": "entity", "type": "character", "name": name, "evidence": [{"quote": "Mara"}]}
    with pytest.raises(InvalidRecords, match="no character that can be seen"):
        validation.chapter_records([record], 1)


@pytest.mark.parametrize("name", ["\u202eMara\u202c", "Ma\u200bra", "\u0301", "👩\u200d👩\u200d👧", "שלום"])
def test_a_name_of_which_something_can_be_seen_is_taken(name: str) -> None:
    record = {"id": "e1", "kind": "entity", "type": "character", "name": name, "evidence": [{"quote": "Mara"}]}
    assert validation.chapter_records([record], 1) == [record]


@pytest.mark.parametrize("name", ["12", "１２", "+3", "-3", "1.5", ".5", "1e3", "nan", "Infinity"])
def test_a_checkpoint_name_must_not_read_as_a_chapter(name: str) -> None:
    with pytest.raises(InvalidName, match="reads as a chapter"):
        validation.checkpoint_name(name)


@pytest.mark.parametrize("name", ["act 1", "1st", "the end", "第一章", "v1.5"])
def test_a_checkpoint_that_is_named_can_be_asked_for(name: str) -> None:
    assert arguments.checkpoint(validation.checkpoint_name(name)) == name


@pytest.mark.parametrize("name", ["", "  ", None, 4, "x" * 301, "\u200b", "\u202e \u202c", "\ufeff"])
def test_an_entity_has_a_name_of_some_length(name: Any) -> None:
    with pytest.raises(InvalidName):
        validation.entity_name(name)


@pytest.mark.parametrize("value", [True, -1, 1.5, "3", 1_000_001])
def test_a_bool_or_a_fraction_is_no_whole_number(value: Any) -> None:
    with pytest.raises(InvalidInput, match="whole number"):
        validation.whole_number(value, "chapter", 0)


@pytest.mark.timeout(60)
def test_as_many_records_as_are_taken_are_checked_without_each_looking_through_all_the_others() -> None:
    span = [{"start": 0, "end": 1}]
    many = [
        {
            "id": f"e{n}",
            "kind": "event",
            "summary": "x",
            "evidence": span,
            "depends_on": [f"1:e{max(0, n - 1)}"] * (n > 0),
        }
        for n in range(MAX_RECORDS)
    ]
    assert len(validation.chapter_records(many, 1) or []) == MAX_RECORDS
