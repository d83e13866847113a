"""What is a name and what is none, and which titles stand before one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from services.extraction.offline import OfflineExtractor
from services.extraction.offline.cast import cast
from services.extraction.offline.names import names, split_titles
from services.extraction.offline.observations import Surface, Votes


def entities(text: str) -> dict[str, dict[str, Any]]:
    records = OfflineExtractor().extract(text, chapter=1)
    return {record["name"]: record for record in records if record["kind"] == "entity"}


def groups(*people: str) -> set[frozenset[str]]:
    runs: dict[Surface, Votes] = {tuple(name.split()): Votes(inner=4, told=4, person=6.0) for name in people}
    return {frozenset(name.text for name in figure.names) for figure in cast(names(runs, Counter(), {}), {}, ())}


@pytest.mark.parametrize("word", ["Surprising", "Rheumatism", "Complimentary"])
def test_what_is_said_is_never_who_says_it(word: str) -> None:
    found = entities(f"Mara looked at the old man.\n\n“{word}?” said the old man.\n\nMara laughed.")
    assert word not in found


@pytest.mark.parametrize(
    "sentence",
    [
        "In the morning she gave the key to Ilse Brandt.",
        "In the evening he told Ilse Brandt that the mill was closed.",
        "In May she gave Ilse Brandt the lantern.",
    ],
)
def test_whoever_is_once_given_or_told_something_is_somebody(sentence: str) -> None:
    found = entities(sentence + " It rained.")
    assert {name: record["type"] for name, record in found.items()} == {"Ilse Brandt": "character"}


def test_a_country_that_is_given_something_is_nobody() -> None:
    assert "Russia" not in {
        n for n, r in entities("She gave her life to Russia in the end.").items() if r["type"] == "character"
    }


@pytest.mark.parametrize("name", ["May Hale", "April Voss"])
def test_the_name_of_a_month_may_be_a_given_name(name: str) -> None:
    text = f"The door opened and {name} came in. “Good evening,” said {name}. Then {name} sat down."
    assert name in entities(text)


def test_a_month_is_nobody() -> None:
    text = "In May the garden was green. Mara came in May and stayed until June. “So late?” said Mara. Mara laughed."
    assert set(entities(text)) == {"Mara"}


@pytest.mark.parametrize("name", ["Shipping Office", "Voss Mill", "Foundling Hospital"])
def test_an_office_a_mill_or_a_hospital_is_a_place(name: str) -> None:
    runs: dict[Surface, Votes] = {tuple(name.split()): Votes(inner=2, person=0.4, place=0.4)}
    assert [found.type for found in names(runs, Counter(), {})] == ["location"]


@pytest.mark.parametrize(
    ("written", "titles", "rest"),
    [
        ("Detective - Inspector Orlov", ("detective", "inspector"), ("Orlov",)),
        ("Saint - Simonian", (), ("Saint", "-", "Simonian")),
        ("Farmer Voss", ("farmer",), ("Voss",)),
        ("Mr. -", (), ("Mr.", "-")),
    ],
)
def test_titles_stand_before_a_name(written: str, titles: tuple[str, ...], rest: Surface) -> None:
    assert split_titles(tuple(written.split())) == (titles, rest)


def test_a_farmer_and_his_full_name_are_one() -> None:
    together = ("Edmund Voss", "Farmer Voss", "Mr. Voss", "Voss")
    assert groups(*together) == {frozenset(together)}


def test_a_title_with_an_initial_is_the_one_who_begins_with_it() -> None:
    assert groups("Mr. Orlov", "Mr. O.", "Mrs. Orlov") == {
        frozenset({"Mr. Orlov", "Mr. O."}),
        frozenset({"Mrs. Orlov"}),
    }


def test_an_initial_that_two_begin_with_is_neither() -> None:
    assert frozenset({"Mr. O."}) in groups("Mr. Orlov", "Mr. O.", "Mr. Ostrov")


def test_nobody_is_shown_by_an_initial_who_has_a_name() -> None:
    runs: dict[Surface, Votes] = {
        ("Mr.", "O."): Votes(inner=9, person=9.0),
        ("Mr.", "Orlov"): Votes(inner=2, person=6.0),
    }
    assert [figure.name for figure in cast(names(runs, Counter(), {}), {}, ())] == ["Mr. Orlov"]


def test_a_mister_with_a_given_name_is_the_mister_of_that_full_name() -> None:
    assert groups("Mr. Edmund Voss", "Mr. Edmund") == {frozenset({"Mr. Edmund Voss", "Mr. Edmund"})}


def test_a_mister_with_a_word_that_is_somebodys_surname_is_not_of_that_given_name() -> None:
    assert frozenset({"Mr. Edmund Voss"}) in groups("Mr. Edmund Voss", "Mr. Edmund", "Anna Edmund")
