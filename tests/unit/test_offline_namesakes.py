"""Fathers and sons, brothers, sisters: which names of one surname the offline extractor keeps apart."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from services.extraction.offline import OfflineExtractor
from services.extraction.offline.cast import cast
from services.extraction.offline.names import names
from services.extraction.offline.namesakes import Namesakes
from services.extraction.offline.observations import Surface, Votes
from services.extraction.offline.paragraphs import paragraphs
from services.extraction.offline.quotations import quotations


def groups(text: str, *people: str) -> set[frozenset[str]]:
    """The cast of a text in which these people are named."""
    speech = quotations(text, paragraphs(text))
    runs: dict[Surface, Votes] = {}
    longest_first = "|".join(map(re.escape, sorted(people, key=len, reverse=True)))
    for use in re.finditer(rf"(?:{longest_first})(?!\w)", text):
        votes = Votes(inner=1, told=not speech.covers(use.start()), person=2.0)
        runs.setdefault(tuple(use.group().split()), Votes()).add(votes)
    called = names(runs, Counter(), {})
    found = cast(called, {}, (), None, Namesakes.of(text, called, speech))
    return {frozenset(name.text for name in figure.names) for figure in found}


def test_a_man_is_introduced_in_full_and_then_called_by_his_surname() -> None:
    text = "Edmund Voss came in. Mr. Voss sat down. Nobody spoke to Mr. Voss. Then Mr. Voss laughed."
    assert groups(text, "Edmund Voss", "Mr. Voss") == {frozenset({"Edmund Voss", "Mr. Voss"})}


@pytest.mark.parametrize(
    "text",
    [
        # the full name comes back
        "Mr. Voss came in. Mr. Voss sat down. Then John Voss rose. Mr. Voss laughed, and Mr. Voss went.",
        # the title goes with both
        "“Mr. Voss is here.” “Mr. Voss!” “Is Mr. John Voss with him?” “No, John Voss is not.” “Mr. Voss came alone.”",
        # his wife is named after him, so that nobody takes her for the other's
        "John Voss came. Mrs. John Voss came. Mr. Voss slept. Mr. Voss woke. Mr. Voss went.",
        # there are two of them
        "John Voss came. Mr. Voss slept. Mr. Voss woke. Mr. Voss went. The two Mr. Vosses dined.",
        # both are told of again and again
        "John Voss came. John Voss sat. John Voss read. Mr. Voss slept. Mr. Voss woke. Mr. Voss went. Mr. Voss ran.",
        # the short name is hardly used
        "John Voss came. John Voss went. Mr. Voss slept.",
    ],
)
def test_a_mister_who_may_be_a_brother_stays_apart(text: str) -> None:
    people = [person for person in ("John Voss", "Mr. John Voss", "Mr. Voss", "Mrs. John Voss") if person in text]
    found = groups(text, *people)
    assert frozenset({"Mr. Voss"}) in found


def test_a_son_called_by_his_given_name_is_not_the_mister_of_the_house() -> None:
    text = "Giles Voss came. Giles sat. Giles read. Mr. Voss slept. Mr. Voss woke. Mr. Voss went."
    assert groups(text, "Giles Voss", "Giles", "Mr. Voss") == {
        frozenset({"Giles Voss", "Giles"}),
        frozenset({"Mr. Voss"}),
    }


def test_a_bare_surname_in_the_narration_has_one_bearer() -> None:
    text = "Voss came. Voss sat. Voss read. “Mr. Voss!” she said. “Mr. Voss!” Nobody minded John Voss."
    assert groups(text, "John Voss", "Voss", "Mr. Voss") == {frozenset({"John Voss", "Voss", "Mr. Voss"})}


def test_a_bare_surname_of_two_brothers_is_open() -> None:
    text = "Mr. Voss came. Mr. Voss sat. Then John Voss rose. Mr. Voss laughed. “Voss!” she said. “Voss!”"
    assert groups(text, "John Voss", "Voss", "Mr. Voss") == {
        frozenset({"John Voss"}),
        frozenset({"Voss"}),
        frozenset({"Mr. Voss"}),
    }


def test_initials_tell_nobody_apart() -> None:
    text = "Mr. T. R. Voss came. Mr. Voss sat. Mr. T. R. Voss read. Mr. Voss slept. Mr. Voss woke. T. R. Voss went."
    people = ("Mr. T. R. Voss", "T. R. Voss", "Mr. Voss")
    assert groups(text, *people) == {frozenset(people)}


def test_a_miss_named_once_beside_a_full_name_may_be_a_sister() -> None:
    text = "“He danced with Miss Hale, then with Anna Hale.”"
    assert groups(text, "Anna Hale", "Miss Hale") == {frozenset({"Anna Hale"}), frozenset({"Miss Hale"})}


def test_a_wife_whom_the_narration_also_calls_in_full_is_one() -> None:
    text = "Anna Hale came. Mrs. Hale sat. Anna Hale sang. Mrs. Hale read. Anna Hale slept. Mrs. Hale woke."
    assert groups(text, "Anna Hale", "Mrs. Hale") == {frozenset({"Anna Hale", "Mrs. Hale"})}


def test_a_mother_is_not_the_daughter_who_is_called_by_her_given_name() -> None:
    text = "Anna Hale came. Anna sat. Anna read. Anna slept. Mrs. Hale woke. Mrs. Hale sang. Mrs. Hale went."
    assert groups(text, "Anna Hale", "Anna", "Mrs. Hale") == {
        frozenset({"Anna Hale", "Anna"}),
        frozenset({"Mrs. Hale"}),
    }


def test_a_given_name_beside_a_mister_in_the_narration_is_his_sons() -> None:
    text = (
        "Voss came. Voss sat. Voss read. Mr. Voss slept. Mr. Voss woke. Mr. Voss went. Nobody minded Giles Voss. "
        "Giles ran. Giles sang. Giles fell."
    )
    assert groups(text, "Giles Voss", "Giles", "Voss", "Mr. Voss") == {
        frozenset({"Giles Voss", "Voss", "Mr. Voss"}),
        frozenset({"Giles"}),
    }


def test_a_name_in_passing_claims_no_given_name() -> None:
    text = "Anna was as small as Tom Thumb, and she laughed."
    records = [record for record in OfflineExtractor().extract(text, chapter=1) if record["kind"] == "entity"]
    assert all("Tom" not in record.get("aliases", []) for record in records)


def test_a_full_name_that_says_little_of_itself_is_somebodys_of_that_surname() -> None:
    runs: dict[Surface, Votes] = {
        ("Mr.", "Orlov"): Votes(inner=4, person=12.0),
        ("Tavish", "Orlov"): Votes(inner=1, person=0.2),
        ("Tavish", "Nagar"): Votes(inner=1, person=0.2),
    }
    assert {name.text for name in names(runs, Counter(), {})} == {"Mr. Orlov", "Tavish Orlov"}


def test_young_tom_claims_no_name_that_his_father_may_have() -> None:
    text = (
        "Young Thomas looked at the sea. Then young Thomas ran, and nobody could stop Thomas. "
        "“Come here, Tom,” said Anna. “Where are you, Tom?” cried Anna."
    )
    records = [record for record in OfflineExtractor().extract(text, chapter=1) if record["kind"] == "entity"]
    assert [record.get("aliases") for record in records if record["name"] == "young Thomas"] == [None]
    assert {"Thomas", "Tom"}.isdisjoint({record["name"] for record in records})


def test_young_tom_with_a_surname_keeps_his_names() -> None:
    text = "Young Tom ran. Young Tom fell. Tom Voss laughed. “Good evening,” said Tom Voss. Then Tom went."
    records = [record for record in OfflineExtractor().extract(text, chapter=1) if record["kind"] == "entity"]
    assert [record.get("aliases") for record in records if record["name"] == "Tom Voss"] == [["Tom"]]


INTRODUCED = "Tomas met Miss Ida Reed at the gate, with Lena Reed behind her. Lena laughed. "
THEN = "“Sit down,” said Miss Reed. Miss Reed was old. Lena sat. Then Lena slept. Miss Reed woke Lena.\n"


def _called(text: str) -> list[set[str]]:
    records = OfflineExtractor().extract(text, chapter=1)
    return [{r["name"], *r.get("aliases", ())} for r in records if r["kind"] == "entity"]


def test_a_miss_who_is_introduced_in_full_and_then_called_by_her_surname_is_one() -> None:
    assert any({"Miss Ida Reed", "Miss Reed"} <= called for called in _called(INTRODUCED + THEN))


@pytest.mark.parametrize(
    "more",
    [
        "Tomas bowed to Miss Ida Reed again.",  # the full name tells her from Miss Reed
        "“Good night, Miss Ida,” said Tomas.",  # as one calls a younger sister
        "The Miss Reeds went to bed.",
    ],
)
def test_a_younger_miss_is_not_the_one_of_the_surname(more: str) -> None:
    assert not any({"Miss Ida Reed", "Miss Reed"} <= called for called in _called(INTRODUCED + THEN + more))
