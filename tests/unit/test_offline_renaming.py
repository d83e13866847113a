"""Names that one person has after another, or among friends only, and full names that are a father's."""

from __future__ import annotations

import pytest

from services.extraction.offline import OfflineExtractor


def names(text: str) -> list[set[str]]:
    """What each person of a chapter is called."""
    records = OfflineExtractor().extract(text, chapter=1)
    return [
        {record["name"], *record.get("aliases", ())}
        for record in records
        if record["kind"] == "entity" and record["type"] == "character"
    ]


def together(text: str, *called: str) -> bool:
    return any(set(called) <= each for each in names(text))


OPENING = "Mrs. Orlov sat by the fire. Tomas Reed came in. Mrs. Orlov looked at Tomas.\n\n"


@pytest.mark.parametrize(
    ("said", "former"),
    [
        ("“Here is my friend Markham, Mrs. Orlov, late Miss Hale,” said Tomas.", "Miss Hale"),
        ("“Neither your father nor Mrs. Orlov (poor Miss Hale that was) would suffer it,” said Tomas.", "Miss Hale"),
        ("Ada Clare, now Mrs. Orlov, was rich. Ada laughed.", "Ada"),
    ],
)
def test_a_name_that_is_said_to_come_after_another_is_of_one_woman(said: str, former: str) -> None:
    assert together(OPENING + said, "Mrs. Orlov", former)


@pytest.mark.parametrize(
    "said",
    [
        "Mrs. Orlov, late for tea, met Miss Hale.",
        "Shortly afterwards Miss Hale nodded to Mrs. Orlov.",
        "Mrs. Orlov was late. Miss Hale was there.",
    ],
)
def test_the_same_words_elsewhere_say_nothing(said: str) -> None:
    assert not together(OPENING + said, "Mrs. Orlov", "Miss Hale")


def test_a_man_does_not_become_mrs() -> None:
    assert not together("Peter Reed, now Mrs. Orlov, left. Peter laughed.", "Mrs. Orlov", "Peter")


SON = "Ida sat down. Tom came in, and Tom laughed. Tom was young.\n\n"


def test_a_full_name_that_says_whose_child_somebody_is_is_not_the_young_mans() -> None:
    assert not together(SON + "“I know Tom Orlov’s eldest daughter,” said Ida. Tom smiled.", "Tom", "Tom Orlov")
    assert together(SON + "“I know Tom Orlov,” said Ida. Tom smiled.", "Tom", "Tom Orlov")


def test_a_full_name_that_speakers_have_where_the_narration_says_mr_is_not_the_young_mans() -> None:
    text = SON + "Mr. Orlov slept. Mr. Orlov woke. Mr. Orlov rose.\n\n“I know Tom Orlov,” said Ida. Tom smiled."
    assert not together(text, "Tom", "Tom Orlov")


def test_a_woman_of_a_full_name_keeps_her_given_name_beside_a_mr() -> None:
    text = (
        SON + "Mr. Orlov slept. Mr. Orlov woke. Mr. Orlov rose.\n\n“I know Tom Orlov,” said Ida. Tom smiled."
    ).replace("Tom", "Mary")
    assert together(text, "Mary", "Mary Orlov")


FRIEND = (
    "Mr. Voss sat down. Mr. Voss was tired. Josiah Reed came in. Josiah laughed.\n\n"
    "“Now, {0},” said Josiah, “what is it?”\n\n“Nothing,” said {1}.\n\n"
    "“You look pale, {0},” said Josiah.\n\n“I am well,” said {1}."
)


def test_a_given_name_that_only_a_friend_uses_is_of_whoever_answers_to_it() -> None:
    assert together(FRIEND.format("Matthew", "Mr. Voss"), "Matthew", "Mr. Voss")
    assert together(FRIEND.format("Matthew Voss", "Mr. Voss"), "Matthew Voss", "Mr. Voss")


@pytest.mark.parametrize(
    ("called", "bearer"), [("Martha", "Mr. Voss"), ("Matthew Orme", "Mr. Voss"), ("Matthew", "Peter Voss")]
)
def test_who_has_another_sex_surname_or_given_name_is_somebody_else(called: str, bearer: str) -> None:
    assert not together(FRIEND.format(called, bearer), called, bearer)


def test_whom_a_friend_calls_tom_is_not_the_young_tom_of_the_narration() -> None:
    text = SON + FRIEND.format("Tom Voss", "Mr. Voss")
    assert together(text, "Tom Voss", "Mr. Voss")
    assert not together(text, "Tom", "Mr. Voss")


CLERK = (
    "Peter Reed looked up. The old clerk came in.\n\n“Thank you, Bartley,” said Peter.\n\n“Thank you, sir,” said the old clerk.\n\n"
    "“Is he gone, Bartley?” Peter asked the old clerk.\n\n“Gone,” said {0}. “Quite gone,” said the old clerk.\n\n"
    "“And the others, Bartley?”\n\n“Gone,” said {1}."
)


def test_whoever_is_only_described_and_answers_to_a_name_bears_it() -> None:
    assert together(CLERK.format("the old clerk", "Bartley"), "Bartley", "the old clerk")


def test_whom_nobody_names_when_he_speaks_may_be_another() -> None:
    assert not together(CLERK.format("the old clerk", "the old clerk"), "Bartley", "the old clerk")


MISS = (
    "Peter Reed opened the door. Ida Voss ran in. Ida was wet.{0}\n\n“You work at the mill, Miss Voss?” Peter wanted to know."
    "\n\nIda sat down by the fire."
)


def test_a_miss_of_whom_only_speakers_talk_is_the_one_woman_of_her_name() -> None:
    assert together(MISS.format(""), "Ida Voss", "Miss Voss")


@pytest.mark.parametrize("family", [" Mr. Voss slept.", " Miss Voss slept.", " Mary Voss slept."])
def test_a_miss_who_may_be_her_sister_is_not(family: str) -> None:
    assert not together(MISS.format(family), "Ida Voss", "Miss Voss")


@pytest.mark.parametrize(("said", "times"), [("a young Voss", 2), ("young Voss", 3)])
def test_any_of_the_family_is_nobody_in_particular(said: str, times: int) -> None:
    text = f"Peter Voss sat down. Voss was tired. Ida danced with {said} at the mill."
    study = OfflineExtractor().study(text)
    assert study is not None
    assert sum(reference.figure == "Peter Voss" for reference in study.reading().mentions) == times


def test_young_tom_is_tom_where_the_chapter_has_his_father_in_full() -> None:
    young = "Ida sat down. Young Tom came in. Ida saw young Tom, and Tom laughed."
    assert not together(young, "Tom")
    assert together(f"{young}\n\n“I know Tom Orlov’s daughter,” said Ida.", "Tom", "young Tom")
