"""Changes of state that the offline extractor reads from narration and speech."""

from __future__ import annotations

from typing import Any

import pytest

from events.sidecar import validate
from services.extraction.offline import OfflineExtractor

PEOPLE = "Mary Voss looked at Henry Hale. “You are late,” said Mary to Henry. “I am,” said Henry to Mary.\n\n"


def of_kind(text: str, kind: str) -> list[dict[str, Any]]:
    records = OfflineExtractor().extract(PEOPLE + text, chapter=1)
    validate(records, chapter=1)
    return [record for record in records if record["kind"] == kind]


@pytest.mark.parametrize(
    ("text", "thing", "owner"),
    [
        ("Mary gave Henry the brass key.", "brass key", "Henry Hale"),
        ("Mary handed the letter to Henry.", "letter", "Henry Hale"),
        ("Henry stole a silver watch.", "silver watch", "Henry Hale"),
        ("Mary bought a lantern in the town.", "lantern", "Mary Voss"),
        ("Henry gave the brass key to Mary.", "brass key", "Mary Voss"),
        ("Henry handed Mary the lamp.", "lamp", "Mary Voss"),
    ],
)
def test_whoever_is_given_or_takes_a_thing_has_it(text: str, thing: str, owner: str) -> None:
    assert [(r["object"], r["owner"]) for r in of_kind(text, "object_delta")] == [(thing, owner)]


@pytest.mark.parametrize(
    "text",
    [
        "Mary did not give Henry the brass key.",
        "Mary would have given Henry the brass key.",
        "Mary gave Henry a smile.",
        "Mary took off her hat.",
        "Mary almost took the letter.",
        "“Henry stole the silver watch,” said Mary.",
    ],
)
def test_what_did_not_change_hands_is_nobodys(text: str) -> None:
    assert of_kind(text, "object_delta") == []


def test_what_is_lost_is_lost() -> None:
    (record,) = of_kind("Henry lost the brass key.", "object_delta")
    assert (record["object"], record["state"]) == ("brass key", "lost")


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Henry died at dawn.", "Henry Hale"),
        ("Henry was killed by a soldier.", "Henry Hale"),
        ("Mary murdered Henry in the garden.", "Henry Hale"),
    ],
)
def test_whoever_dies_is_dead(text: str, who: str) -> None:
    found = [(r["character"], r["attribute"], r["value"]) for r in of_kind(text, "character_delta")]
    assert found == [(who, "status", "dead")]


@pytest.mark.parametrize(
    "text",
    [
        "Henry nearly died.",
        "Henry was dead against it.",
        "Henry died of laughing.",
        "Mary asked whether Henry was dead.",
    ],
)
def test_nobody_dies_in_a_figure_of_speech_or_a_question(text: str) -> None:
    assert of_kind(text, "character_delta") == []


def test_a_death_that_is_only_told_of_is_reported() -> None:
    (record,) = of_kind("“Henry is dead,” said Mary.", "character_delta")
    assert record["modality"] == "reported"


def test_a_limb_that_is_broken_is_an_injury() -> None:
    (record,) = of_kind("Henry broke his arm.", "character_delta")
    assert (record["character"], record["attribute"], record["value"]) == ("Henry Hale", "injury", "broke his arm")


@pytest.mark.parametrize(
    ("text", "source", "relation", "target"),
    [
        ("Mary’s brother Henry laughed.", "Henry Hale", "brother", "Mary Voss"),
        ("Mary, the sister of Henry, laughed.", "Mary Voss", "sister", "Henry Hale"),
        ("Mary married Henry in June.", "Mary Voss", "married", "Henry Hale"),
        ("Henry fell in love with Mary.", "Henry Hale", "in love with", "Mary Voss"),
    ],
)
def test_kin_marriage_and_love(text: str, source: str, relation: str, target: str) -> None:
    found = [(r["source"], r["relation"], r["target"]) for r in of_kind(text, "relationship_delta")]
    assert found == [(source, relation, target)]


def test_a_name_that_owns_what_follows_is_no_kin() -> None:
    assert of_kind("Henry saw Mary’s sister Mary’s hat.", "relationship_delta") == []


def test_whoever_is_told_something_knows_it_from_the_teller() -> None:
    (record,) = of_kind("Mary told Henry that the ferry had sunk, and he laughed.", "knowledge")
    assert (record["knower"], record["fact"]) == ("Henry Hale", "the ferry had sunk")
    assert (record["stance"], record["learned_via"]) == ("believes", "told by Mary Voss")


def test_whoever_finds_something_out_knows_it() -> None:
    (record,) = of_kind("Henry discovered that the key was gone.", "knowledge")
    assert (record["knower"], record["fact"], record["stance"]) == ("Henry Hale", "the key was gone", "knows")


def test_a_promise_opens_a_thread_in_its_own_words() -> None:
    (record,) = of_kind("“I promise that I will bring the key,” said Henry to Mary.", "thread")
    assert record["thread"] == "Henry Hale: “I promise that I will bring the key”"
    assert (record["thread_kind"], record["status"]) == ("promise", "opened")


@pytest.mark.parametrize("text", ["“Do I promise to come?” said Henry.", "“I never promise,” said Henry."])
def test_what_is_no_promise_opens_no_thread(text: str) -> None:
    assert of_kind(text, "thread") == []


def test_a_place_without_a_name_is_where_somebody_has_gone() -> None:
    found = [(r["entity"], r["location"]) for r in of_kind("Mary went into the library.", "presence")]
    assert found == [("Mary Voss", "the library")]
