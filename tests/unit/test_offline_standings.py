"""How things stand, as the offline extractor reads it from the narration: feelings, knowledge, goals, occupations, ties, deaths."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from services.extraction.offline import OfflineExtractor
from tests.unit.test_offline_deltas import PEOPLE, of_kind


def facets(text: str, attribute: str) -> list[tuple[str, str, str]]:
    found = [r for r in of_kind(text, "character_delta") if r["attribute"] == attribute]
    return [(r["character"], r["value"], r.get("modality", "actual")) for r in found]


@pytest.mark.parametrize(
    ("text", "who", "mood"),
    [
        ("Mary was afraid of the dark.", "Mary Voss", "afraid of the dark"),
        ("Henry felt very lonely.", "Henry Hale", "lonely"),
        ("Mary was frightened.", "Mary Voss", "frightened"),
        ("Henry looked surprised at her answer.", "Henry Hale", "surprised at her answer"),
    ],
)
def test_a_mood_that_is_told_is_an_emotion(text: str, who: str, mood: str) -> None:
    assert facets(text, "emotion") == [(who, mood, "actual")]


@pytest.mark.parametrize(
    "text",
    [
        "Mary was not afraid.",
        "Mary would be angry.",
        "Mary was often lonely.",
        "If Mary was angry, she went to bed.",
        "Henry was less surprised than she.",
        "Mary was tall.",
        "“Mary was angry,” said Henry.",
        "The man looked at Mary and Henry. He was angry.",
    ],
)
def test_no_mood_where_none_is_told_of_somebody(text: str) -> None:
    assert facets(text, "emotion") == []


def test_a_mood_before_the_scene_is_past() -> None:
    assert facets("Mary had been afraid of the dark.", "emotion") == [("Mary Voss", "afraid of the dark", "past")]


def stances(text: str) -> list[tuple[str, str, str]]:
    return [(r["knower"], r["stance"], r["fact"]) for r in of_kind(text, "knowledge")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mary knew that the key was gone.", ("Mary Voss", "knows", "the key was gone")),
        ("Henry believed that the ferry had sunk.", ("Henry Hale", "believes", "the ferry had sunk")),
        ("Mary suspected that Henry was the thief.", ("Mary Voss", "suspects", "Henry was the thief")),
        ("Henry did not know that the key was gone.", ("Henry Hale", "unaware", "the key was gone")),
        ("Henry was unaware that the key was gone.", ("Henry Hale", "unaware", "the key was gone")),
        ("Mary was sure that the door was locked.", ("Mary Voss", "believes", "the door was locked")),
        ("Mary knew that she had lost the key.", ("Mary Voss", "knows", "Mary Voss had lost the key")),
    ],
)
def test_what_somebody_knows_or_believes(text: str, expected: tuple[str, str, str]) -> None:
    assert stances(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Mary knew that it was so.",
        "Mary knew why the key was gone.",
        "Henry thought the key was gone.",
        "Henry did not believe that the key was gone.",
        "Mary would know that the key was gone.",
        "“I know that the key is gone,” said Mary.",
    ],
)
def test_what_is_no_fact_by_itself_is_known_by_nobody(text: str) -> None:
    assert stances(text) == []


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("Mary was determined to find the key.", "to find the key"),
        ("Mary resolved to leave the house.", "to leave the house"),
        ("Mary wanted to bring the letter to the captain.", "to bring the letter to the captain"),
    ],
)
def test_what_somebody_is_out_for_is_a_goal(text: str, goal: str) -> None:
    assert facets(text, "goal") == [("Mary Voss", goal, "actual")]


@pytest.mark.parametrize(
    "text", ["Mary wanted to laugh.", "Mary did not intend to leave the house.", "Mary hoped to see."]
)
def test_an_impulse_is_no_goal(text: str) -> None:
    assert facets(text, "goal") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Henry, the butler, laughed.", ("Henry Hale", "butler", "actual")),
        ("Henry, an old sailor, laughed.", ("Henry Hale", "old sailor", "actual")),
        ("The new gardener, Henry, laughed.", ("Henry Hale", "new gardener", "actual")),
        ("Mary was a dressmaker.", ("Mary Voss", "dressmaker", "actual")),
        ("“You saw Henry, the naturalist,” said Mary.", ("Henry Hale", "naturalist", "reported")),
    ],
)
def test_what_somebody_is_called_beside_the_name_is_an_occupation(text: str, expected: tuple[str, str, str]) -> None:
    assert facets(text, "occupation") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "The captain, Mary, and the mate laughed.",
        "Mary, the captain, and the mate laughed.",
        "Henry was not a sailor.",
        "Mary was a good sailor.",
        "The fact that captain Henry laughed was odd.",
    ],
)
def test_a_list_or_a_praise_is_no_occupation(text: str) -> None:
    assert facets(text, "occupation") == []


@pytest.mark.parametrize(
    ("text", "source", "relation", "target"),
    [
        ("Mary loved Henry.", "Mary Voss", "loves", "Henry Hale"),
        ("Henry despised Mary.", "Henry Hale", "despises", "Mary Voss"),
        ("Henry and his sister Mary laughed.", "Mary Voss", "sister", "Henry Hale"),
        ("Henry, Mary’s brother, laughed.", "Henry Hale", "brother", "Mary Voss"),
        ("Mary was Henry’s cousin.", "Mary Voss", "cousin", "Henry Hale"),
        ("Mary’s guardian was Henry.", "Henry Hale", "guardian", "Mary Voss"),
        ("Mary, a friend of Henry, laughed.", "Mary Voss", "friend", "Henry Hale"),
    ],
)
def test_what_one_is_to_another(text: str, source: str, relation: str, target: str) -> None:
    found = [(r["source"], r["relation"], r["target"]) for r in of_kind(text, "relationship_delta")]
    assert found == [(source, relation, target)]


def test_a_couple_of_one_name_is_married() -> None:
    text = (
        "Mr. Dale laughed. “Good,” said Mr. Dale. Mrs. Dale sighed. “Bad,” said Mrs. Dale. Mr. and Mrs. Dale went home."
    )
    found = [(r["source"], r["relation"], r["target"]) for r in of_kind(text, "relationship_delta")]
    assert found == [("Mr. Dale", "married", "Mrs. Dale")]


@pytest.mark.parametrize(
    "text", ["Mary did not love Henry.", "Mary loved the sea.", "Henry and his sister’s Mary laughed."]
)
def test_what_is_no_tie(text: str) -> None:
    assert of_kind(text, "relationship_delta") == []


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("After Henry’s sudden death the house stood empty.", "actual"),
        ("She spoke of the murder of Henry.", "actual"),
        ("The house had been the late Henry Hale’s.", "actual"),
        ("“The house has been empty since Henry’s death,” said Mary.", "reported"),
        ("“Since Henry’s death it is empty,” said Mary. “Henry’s death was a blow,” said Mary.", "actual"),
    ],
)
def test_a_death_that_is_taken_for_known(text: str, modality: str) -> None:
    assert ("Henry Hale", "dead", modality) in facets(text, "status")


@pytest.mark.parametrize(
    "text",
    [
        "Mary feared Henry’s death.",
        "Until Henry’s death she would wait.",
        "Henry was dying.",
        "They planned the murder of Henry.",
        "It would be the death of Henry.",
        "The old man had a cough, and Henry watched him until he died of it.",
    ],
)
def test_a_death_that_has_not_come_is_none(text: str) -> None:
    assert facets(text, "status") == []


@pytest.mark.parametrize(
    "text",
    [
        "Mary’s dead husband had left a letter.",
        "Mary’s murdered brother had left a letter.",
        "Mary’s killed more men than the captain.",
        "Mary was dead wood to them.",
        "Mary was dead right.",
        "Henry lied: Mary was dead.",
        "Mary was dead, or so they said.",
        "Mary was drowned in debt.",
        "Henry killed Mary with kindness.",
        "Mary died in the second act.",
    ],
)
def test_nobody_dies_of_a_word_that_means_something_else(text: str) -> None:
    assert facets(text, "status") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Mary fell in love with Henry’s horse.", "relationship_delta"),
        ("Mary married Henry to Ida Dale.", "relationship_delta"),
        ("The cook Mary hired was bad.", "character_delta"),
        ("Mary was a slave to drink.", "character_delta"),
        ("Henry was bitten by curiosity.", "character_delta"),
    ],
)
def test_what_is_told_of_something_else_is_nothing_of_them(text: str, kind: str) -> None:
    assert of_kind(text, kind) == []


@pytest.mark.parametrize(
    "made",
    [
        lambda n: "Mary rose. She loved his" + " " * n + "x.",
        lambda n: "Mary rose. Mary’s dear" + " " * n + "x.",
        lambda n: "Mary, the" + " " * n + "x. Henry and his" + " " * n + "x.",
        lambda n: "After Mary’s death and " * (n // 40) + ".",
    ],
)
def test_spaces_and_sentences_without_an_end_are_read_in_linear_time(made: Callable[[int], str]) -> None:
    """Searching is counted in steps of a clock that both sizes share: four times the text may not take fourteen times as long."""
    times = []
    for size in (2_000, 8_000):
        text, best = made(size), float("inf")
        for _ in range(3):
            began = time.process_time()
            OfflineExtractor().extract(PEOPLE + text, chapter=1)
            best = min(best, time.process_time() - began)
        times.append(best)
    assert times[1] < 14 * times[0]
