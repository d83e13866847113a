"""Who is who where nothing but the text says it: situations S01, S03, S05 and S10 through the offline extractor."""

from __future__ import annotations

from services.evaluation.extraction.memory import Memory
from services.extraction.offline import OfflineExtractor


def told(*chapters: str) -> Memory:
    """A story's memory after these chapters, each extracted without knowing of the others."""
    texts = dict(enumerate(chapters, start=1))
    extractor = OfflineExtractor()
    return Memory({n: extractor.extract(text, chapter=n) for n, text in texts.items()}, texts)


PETROVA = "Anna Petrova, the doctor, opened her bag. “Sit down,” said Anna Petrova. Anna Petrova washed her hands. Anna Petrova sat."
BERG = "Anna Berg, a smuggler, tied up the boat. “Quick,” said Anna Berg. Anna Berg lit a lamp, and Anna Berg rowed."


def test_s01_a_shared_first_name_makes_no_two_people_one() -> None:
    names = told(PETROVA, BERG, "Anna drew her scalpel. “Hold still,” said Anna. Anna cut the cord.").names
    assert not any({"Anna Petrova", "Anna Berg"} <= called for called in names.values())


def test_s03_the_same_short_name_months_apart_is_one_person() -> None:
    names = told(
        "Kas came in. “Hello,” said Kas. Kas sat.", "Rain fell. Kas ran home. “No,” said Kas, and Kas slept."
    ).names
    assert [entity for entity, called in names.items() if "Kas" in called] == ["person/kas"]


COAT = "The man in the grey coat came in. Ida watched him. The man in the grey coat sat down, and he laughed at Ida. "
NAMED = "Ida opened the door. It was the man in the grey coat, whose name was Odran. “Come in,” said Ida. Odran thanked her."


def test_s05_a_description_goes_under_the_name_from_the_chapter_that_gives_it() -> None:
    before, after = told(COAT, COAT).names, told(COAT, COAT, NAMED).names
    assert before["person/man in the grey coat"] == {"the man in the grey coat"}
    assert after["person/odran"] >= {"Odran", "the man in the grey coat"}
    assert "person/man in the grey coat" not in after


def test_s05_a_bare_description_is_his_in_the_chapter_that_names_him_only() -> None:
    named = "The girl, whose name was Mara, came in. The girl sat down. The girl laughed. The girl looked at Ida. Mara slept."
    assert told(named).names["person/mara"] == {"Mara"}


def test_s10_who_is_mentioned_in_a_letter_is_not_present() -> None:
    present = told(
        "Count Orlov came in. “Good evening,” said Count Orlov. Count Orlov died that night.",
        "Ida read the letter to Tomas.\n\n“My dear Ida, Count Orlov was the best of men. I often think of Count Orlov.”\n\n"
        "Tomas wept, and Ida put the letter away.",
    ).present()
    assert "person/count orlov" in present[1]
    assert present[2] == {"person/ida", "person/tomas"}
