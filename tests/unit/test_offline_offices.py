"""Who "the doctor" is in a chapter: the one doctor it has named."""

from __future__ import annotations

from typing import Any

import pytest

from services.extraction.offline import OfflineExtractor

ARRIVES = "Doctor Voss came in and sat down. “Good evening,” said Doctor Voss. "
ACTS = "The doctor opened his bag. Mara looked at the doctor. The doctor laughed. "


def records(text: str) -> list[dict[str, Any]]:
    return OfflineExtractor().extract(text, chapter=1)


def entities(text: str) -> dict[str, dict[str, Any]]:
    return {record["name"]: record for record in records(text) if record["kind"] == "entity"}


def quotes(entity: dict[str, Any]) -> set[str]:
    return {span["quote"] for span in entity["evidence"]}


def test_the_doctor_is_the_one_doctor_whom_the_chapter_has_named() -> None:
    found = entities(ARRIVES + ACTS)
    assert {"The doctor", "the doctor"} <= quotes(found["Doctor Voss"])
    assert "the doctor" not in found


def test_what_the_doctor_does_is_done_by_the_one_who_was_named() -> None:
    done = [record for record in records(ARRIVES + ACTS) if record["kind"] == "event"]
    actors = {p["entity"] for record in done if "bag" in record["summary"] for p in record["participants"]}
    assert "Doctor Voss" in actors


def test_another_chapter_may_have_another_doctor() -> None:
    assert "the doctor" not in entities(ARRIVES + ACTS)["Doctor Voss"].get("aliases", [])


@pytest.mark.parametrize(
    "text",
    [
        ACTS + ARRIVES,
        ARRIVES + "Captain Reed had a doctor on board. " + ACTS,
        ARRIVES + "A new doctor was to come in spring. " + ACTS,
        ARRIVES + "Doctor Reed came, too. “Good evening,” said Doctor Reed. " + ACTS,
    ],
    ids=["before he was named", "a doctor", "a new doctor", "two doctors"],
)
def test_in_doubt_the_doctor_is_nobody_named(text: str) -> None:
    assert "the doctor" not in {quote.lower() for quote in quotes(entities(text)["Doctor Voss"])}


def test_the_professor_is_not_a_doctor_who_is_none() -> None:
    text = ARRIVES + ACTS.replace("doctor", "professor")
    assert "the professor" not in {quote.lower() for quote in quotes(entities(text)["Doctor Voss"])}
