"""Who answers to a name bears it."""

from __future__ import annotations

import pytest

from services.extraction.offline import OfflineExtractor


def names(text: str) -> list[set[str]]:
    records = OfflineExtractor().extract(text, chapter=1)
    return [
        {record["name"], *record.get("aliases", ())}
        for record in records
        if record["kind"] == "entity" and record["type"] == "character"
    ]


OPENING = "Louisa sat by the fire. Tomas Reed came in and looked at Louisa.\n\n"
CALLS = (
    "“Are you well, Mrs. Orlov?” asked Tomas.\n\n“Quite well,” said Louisa.\n\n"
    "“And your brother, Mrs. Orlov?”\n\n“He is abroad,” said Louisa."
)


def test_a_wife_whom_the_narration_calls_by_her_given_name_answers_to_her_husbands() -> None:
    assert any({"Louisa", "Mrs. Orlov"} <= called for called in names(OPENING + CALLS))


def test_one_answer_is_not_enough() -> None:
    text = OPENING + CALLS.split("\n\n“And")[0]
    assert not any({"Louisa", "Mrs. Orlov"} <= called for called in names(text))


@pytest.mark.parametrize(
    "more",
    [
        "\n\n“Good night, Mrs. Orlov.”\n\n“Good night,” said Mrs. Orlov.",
        " Louisa nodded to Mrs. Orlov, and Mrs. Orlov took Louisa by the hand.",
        "\n\n“Tea, Mrs. Orlov?”\n\n“Yes,” said Ida.\n\n“Sugar, Mrs. Orlov?”\n\n“No,” said Ida.",
    ],
)
def test_whom_the_chapter_tells_apart_is_somebody_else(more: str) -> None:
    assert not any({"Louisa", "Mrs. Orlov"} <= called for called in names(OPENING + CALLS + more))


def test_a_man_does_not_answer_to_mrs() -> None:
    text = (OPENING + CALLS).replace("Louisa", "Peter")
    assert not any({"Peter", "Mrs. Orlov"} <= called for called in names(text))


def test_a_wife_goes_by_a_short_form_and_her_surname_with_those_who_speak() -> None:
    text = (
        "Louisa sat by the fire. Louisa looked at Peter Reed.\n\n“Where have you been, Loo Orlov?” asked Peter.\n\n"
        "“Nowhere,” said Louisa.\n\n“I never liked Loo Orlov,” said Peter. Louisa smiled at Peter."
    )
    assert {"Louisa", "Loo Orlov"} <= next(called for called in names(text) if "Louisa" in called)


def test_who_spoke_before_is_nobody_who_answers_to_a_title_and_surname() -> None:
    text = (
        f"{OPENING}“It is late,” said Ida.\n\n“Are you well, Mrs. Orlov?”\n\n“Quite well,” said Louisa.\n\n“It is cold,” said Ida."
        "\n\n“And your brother, Mrs. Orlov?”\n\n“He is abroad,” said Louisa."
    )
    assert any({"Louisa", "Mrs. Orlov"} <= called for called in names(text))
