"""A story that one narrator tells: the narrator is somebody, and so are the narrator's own people."""

from __future__ import annotations

from typing import Any

import pytest

from services.evaluation.extraction.memory import Memory
from services.extraction.offline import OfflineExtractor

WALK = "I went home. I was tired. I sat down. I ate my bread. I drank. I looked at the fire. I slept. I woke. I rose. "
AGAIN = "I went out. I saw the sea. I ran down. I found a boat. I laughed. I stood there. I came back. I sang. "
AUNT = "My aunt stood at the door. My aunt laughed. “You are late,” said my aunt. "


def records(text: str, kind: str) -> list[dict[str, Any]]:
    return [record for record in OfflineExtractor().extract(text, chapter=1) if record["kind"] == kind]


def names(text: str) -> dict[str, list[str]]:
    return {record["name"]: record.get("aliases", []) for record in records(text, "entity")}


def present(text: str) -> list[str]:
    return [name for record in records(text, "situation") for name in record.get("participants", [])]


def test_a_narrator_without_a_name_is_present_as_the_narrator() -> None:
    assert "the narrator" in names(WALK + AGAIN)
    assert "the narrator" in present(WALK + AGAIN)


def test_a_narrator_whom_others_call_by_name_is_the_narrator_by_that_name_too() -> None:
    text = WALK + AGAIN + "\n\n“Come in, Davy,” the man said to me.\n\n“Sit down, Davy,” said the man to me."
    assert "Davy" in names(text)["the narrator"]
    assert "Davy" not in names(text)
    assert "the narrator" in present(text)


def test_a_narrator_with_a_full_name_stays_one_figure_with_the_narrator_of_other_chapters() -> None:
    text = WALK + AGAIN + "\n\n“Come in, David Reed,” the man said to me.\n\n“Sit down, David Reed,” he said to me."
    assert "David Reed" in names(text)["the narrator"]


def test_who_is_called_by_name_in_talk_between_others_is_not_the_narrator() -> None:
    talk = "\n\n“Come in, Davy,” the man said.\n\n“Sit down, Davy,” said the woman."
    assert names(WALK + AGAIN + talk)["the narrator"] == []


def test_whom_the_narrator_calls_by_name_is_somebody_else() -> None:
    talk = "\n\n“Come in, Davy,” said I, and he took me by the hand.\n\n“Sit down, Davy,” I said. He gave me bread."
    assert names(WALK + AGAIN + talk)["the narrator"] == []


def test_a_short_chapter_in_the_first_person_has_the_same_narrator() -> None:
    assert "the narrator" in names("I went home. I was tired. I sat down. I ate my bread. I slept at last by the fire.")


def test_an_i_now_and_then_in_a_long_chapter_makes_no_narrator() -> None:
    told = "Mara went down to the harbour and looked at the boats, and the boats lay still in the grey water. " * 90
    assert "the narrator" not in names(told + "I think so. I say so. I know it. I was told. I doubt it.")


def test_whatever_a_narrator_is_called_the_chapters_tell_of_one() -> None:
    called = WALK + AGAIN + "\n\n“Come in, {0},” the man said to me.\n\n“Sit down, {0},” said the man to me."
    texts = {1: called.format("Davy"), 2: WALK + AGAIN, 3: called.format("Mr. Reed")}
    memory = Memory({n: OfflineExtractor().extract(text, chapter=n) for n, text in texts.items()}, texts)
    (narrator,) = (entity for entity, called in memory.names.items() if "the narrator" in called)
    assert {"Davy", "Mr. Reed"} <= memory.names[narrator]
    assert all(narrator in people for people in memory.present().values())


def test_a_story_that_nobody_in_it_tells_has_no_narrator() -> None:
    assert "the narrator" not in names((WALK + AGAIN).replace("I ", "Mara "))


def test_the_narrators_aunt_is_present_under_that_word() -> None:
    assert "my aunt" in names(WALK + AGAIN + AUNT)
    assert "my aunt" in present(WALK + AGAIN + AUNT)


def test_a_parent_whom_the_narrator_calls_by_the_bare_word_is_somebody() -> None:
    text = (
        WALK
        + AGAIN
        + "Papa stood at the door. I heard papa laugh, and it’s papa whom I saw. “Your papa is late,” she said. "
    )
    assert names(text)["papa"] == ["my papa"]
    assert "papa" in present(text)


def test_somebody_elses_father_is_not_the_narrators() -> None:
    text = WALK + AGAIN + "Father stood at the door. I heard father laugh. His father was late. "
    assert not {"father", "my father"} & names(text).keys()


def test_a_name_beside_the_word_makes_it_that_persons() -> None:
    found = names(
        WALK + AGAIN + AUNT + "Then my aunt Agnes closed the door. Agnes smiled. Agnes waited for Agnes Reed. "
    )
    assert "my aunt" not in found
    assert "my aunt" in found["Agnes Reed"]


def test_a_title_and_name_after_a_comma_say_who_it_is() -> None:
    known = "Mrs. Reed waited. Mrs. Reed smiled. Then my aunt, Mrs. Reed, closed the door. "
    assert "my aunt" in names(WALK + AGAIN + AUNT + known)["Mrs. Reed"]


def test_a_comma_may_part_two_people() -> None:
    found = names(
        WALK + AGAIN + AUNT + "Then my aunt, Agnes and I went out. Agnes smiled. Agnes waited for Agnes Reed. "
    )
    assert "my aunt" in found


def test_somebody_elses_aunt_is_not_the_narrators() -> None:
    said = "“My aunt is ill,” said Tom. “My aunt is old.” “My aunt sleeps,” said Tom. “My aunt eats.” "
    assert "my aunt" not in names(WALK + AGAIN + said)


def test_several_are_nobody_in_particular() -> None:
    assert "my aunt" not in names(WALK + AGAIN + AUNT + "My aunts were sisters. ")


@pytest.mark.parametrize(
    ("heading", "writer"),
    [
        ("Contributed by Miss Hale; niece of the late Sir John Voss.", "Miss Hale"),
        ("The Story Resumed by Edmund Voss", "Edmund Voss"),
        ("Extracted from the Journal of Tomas Orlov.", "Tomas Orlov"),
        ("Narrative of Dr. Reed", "Dr. Reed"),
        ("In a Letter from Mr. O’Hara", "Mr. O’Hara"),
        ("Mara Voss’s Diary—continued.", "Mara Voss"),
    ],
)
def test_a_heading_says_whose_words_a_chapter_is(heading: str, writer: str) -> None:
    found = names(f"{heading}\n\n{WALK}{AGAIN}")
    assert writer in found
    assert "the narrator" not in found


@pytest.mark.parametrize(
    "sentence",
    ["The letter of Mr. Voss was on the table.", "The house was kept by Mrs. Voss.", "Written by Himself"],
)
def test_a_sentence_is_no_heading(sentence: str) -> None:
    found = names(f"{sentence}\n\n{WALK}{AGAIN}")
    assert "the narrator" in found
    assert "Himself" not in found


def test_all_that_others_call_the_narrator_to_the_face_are_the_narrators_names() -> None:
    text = (
        WALK
        + AGAIN
        + (
            "\n\n“Come in, Miss Hale,” the man said to me.\n\n“Sit down, Miss Hale,” said the man to me."
            "\n\n“Come in, Biddy,” the woman said to me.\n\n“Sit down, Biddy,” said the woman to me."
        )
    )
    assert {"Biddy", "Miss Hale", "Biddy Hale"} <= set(names(text)["the narrator"])
    assert {"Biddy", "Miss Hale"}.isdisjoint(names(text))


def test_whom_the_narrator_tells_of_is_somebody_else() -> None:
    text = (
        WALK
        + AGAIN
        + (
            "\n\nBiddy came in.\n\n“Come in, Miss Hale,” the man said to me.\n\n“Sit down, Miss Hale,” said the man to me."
            "\n\n“Come, Biddy,” I said.\n\n“Sit down, Biddy,” said the man to me."
        )
    )
    assert "Biddy" in names(text)
    assert "Biddy" not in names(text)["the narrator"]


CALLS = "\n\nThe rain fell." + "".join(
    f"\n\n“{said}, Mara,” said the man." for said in ("Come here", "Look at it", "You see it", "Nothing more", "A lamp")
)


def test_whom_all_speak_to_and_nothing_is_told_of_is_the_narrator() -> None:
    text = f"{WALK}{AGAIN}{CALLS}\n\n“Yes,” I said."
    assert "Mara" in names(text)["the narrator"]
    assert "Mara" not in names(text)


@pytest.mark.parametrize(
    "more",
    [
        "",  # nobody answers as the narrator
        "\n\n“Yes,” I said.\n\nMara laughed.",
        "\n\n“Yes,” I said.\n\n“I know Mara. Mara is good, and Mara is kind,” said the man.",
        "\n\n“Yes,” I said.\n\n“Good, Ida,” said the man.\n\n“Yes,” I said.\n\n“Well, Ida,” said the man.",
    ],
)
def test_whom_all_speak_to_may_be_somebody_else(more: str) -> None:
    found = names(f"{WALK}{AGAIN}{CALLS}{more}")
    assert "Mara" in found
    assert "Mara" not in found["the narrator"]
