"""By which of its names a figure goes, and capitals that are no names."""

from __future__ import annotations

from typing import Any

import pytest

from services.extraction.offline import OfflineExtractor
from services.extraction.offline.capitals import plain
from services.extraction.offline.displaying import display
from services.extraction.offline.names import Name, split_titles
from services.extraction.offline.observations import Surface, Votes


def entities(text: str) -> dict[str, dict[str, Any]]:
    records = OfflineExtractor().extract(text, chapter=1)
    return {record["name"]: record for record in records if record["kind"] == "entity"}


def name(written: str, uses: int, told: int | None = None) -> Name:
    tokens = tuple(written.split())
    votes = Votes(inner=uses, told=uses if told is None else told, person=6.0)
    return Name(tokens, *split_titles(tokens), "character", votes)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Detective Inspector Tomas Orlov", "Tomas Orlov"),
        ("Farmer Mara Voss", "Mara Voss"),
        ("Lady Ida de Reed", "Lady Ida de Reed"),
        ("Sir Tomas Orlov", "Sir Tomas Orlov"),
        ("Mrs. Aldous Reed", "Mrs. Aldous Reed"),
    ],
)
def test_a_full_name_is_shown_without_what_its_bearer_does(written: str, shown: str) -> None:
    assert display([name(written, 2), name(written.split()[-1], 1)]) == shown


def test_what_somebody_well_known_is_called_once_does_not_rename_him() -> None:
    assert display([name("Mara", 30), name("Mara Orlov", 1)]) == "Mara"
    assert display([name("Mara", 30), name("Mara Voss", 3)]) == "Mara Voss"
    assert display([name("Mara", 4), name("Mara Voss", 1)]) == "Mara Voss"


SURNAME = (
    "Sergeant Orlov came in. Orlov laughed. Nobody spoke. Orlov sat down by the fire. Then Orlov slept, and Orlov snored. "
    "Orlov woke. "
)


def test_whom_the_narration_calls_by_the_surname_goes_by_it() -> None:
    assert entities(SURNAME)["Orlov"]["aliases"] == ["Sergeant Orlov"]


def test_where_the_family_is_about_a_man_keeps_his_title() -> None:
    found = entities(SURNAME + "“You are late,” said Mrs. Orlov. Mrs. Orlov looked at the clock.")
    assert {"Sergeant Orlov", "Mrs. Orlov"} <= set(found)


def test_a_farmer_is_mister_too() -> None:
    assert "Mr. Orlov" in entities("Farmer Orlov laughed. “No,” said Farmer Orlov.")["Farmer Orlov"]["aliases"]


def test_who_is_named_in_full_now_and_then_claims_no_given_name() -> None:
    found = entities("“Lazy!” said Ned Harker. They followed Ned Harker up the hill, and Ned Harker ran.")
    assert "Ned" not in found["Ned Harker"].get("aliases", [])


@pytest.mark.parametrize("bearer", ["Mrs. March", "Ida Friday", "Ida Voss May", "Captain English"])
def test_a_month_a_day_or_a_nation_may_be_a_surname(bearer: str) -> None:
    assert bearer in entities(f"The door opened and {bearer} came in. “Good evening,” said {bearer}. {bearer} sat.")


@pytest.mark.parametrize("word", ["Vanity", "Mercy", "Imperialism"])
def test_a_common_word_in_capitals_is_nobody(word: str) -> None:
    assert set(entities(f"Mara laughed at him. {word} said nothing of it. Mara went home, and Mara slept.")) == {"Mara"}


def test_an_animal_that_speaks_is_somebody() -> None:
    assert "Canary" in entities("Mara ran. They all listened as the Canary said something. “Come away!” said a Canary.")


def test_what_only_begins_a_sentence_is_no_part_of_a_name() -> None:
    runs: dict[Surface, Votes] = {
        ("Meantime", "Orlov"): Votes(initial=1),
        ("Confound", "Jane", "Reed"): Votes(initial=1),
        ("Orlov",): Votes(inner=5),
        ("Limping", "Lucy"): Votes(inner=1),
        ("Jan.",): Votes(inner=2),
        ("Jan",): Votes(inner=3),
    }
    kept = plain(runs, {"meantime", "confound", "limping"}, {})
    assert {tokens: votes.total for tokens, votes in kept.items()} == {
        ("Orlov",): 6,
        ("Jane", "Reed"): 1,
        ("Limping", "Lucy"): 1,
        ("Jan",): 5,
    }
