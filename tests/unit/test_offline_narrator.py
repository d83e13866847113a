"""A story that one narrator tells: the narrator is somebody, and so are the narrator's own people."""

from __future__ import annotations

from typing import Any

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


def test_a_narrator_whom_others_call_by_name_is_the_narrator_by_that_name() -> None:
    text = WALK + AGAIN + "“Come in, Davy,” said the man. I came. “Sit down, Davy,” said the man. I sat."
    assert "the narrator" not in names(text)
    assert "Davy" in present(text)


def test_the_full_name_of_a_narrator_is_what_the_narrator_goes_by() -> None:
    text = WALK + AGAIN + "“Come in, David Reed,” said the man. I came. “Sit down, David Reed,” said the man. I sat."
    assert "the narrator" in names(text)["David Reed"]


def test_a_story_that_nobody_in_it_tells_has_no_narrator() -> None:
    assert "the narrator" not in names((WALK + AGAIN).replace("I ", "Mara "))


def test_the_narrators_aunt_is_present_under_that_word() -> None:
    assert "my aunt" in names(WALK + AGAIN + AUNT)
    assert "my aunt" in present(WALK + AGAIN + AUNT)


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
