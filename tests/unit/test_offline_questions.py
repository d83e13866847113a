"""Questions that a chapter leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from services.extraction.offline import OfflineExtractor

PEOPLE = "Henry walked to the mill. Mary followed Henry. “It is late,” said Mary. “Very late,” said Henry.\n\n"


def mysteries(text: str) -> list[dict[str, Any]]:
    records = OfflineExtractor().extract(PEOPLE + text, chapter=1)
    return [r for r in records if r["kind"] == "thread" and r["thread_kind"] == "mystery"]


@pytest.mark.parametrize(
    ("text", "thread"),
    [
        ("Henry opened the box. It was empty. Who had taken the ring? Henry sat down.", "Who had taken the ring?"),
        ("The lane was dark. And where had Mary gone? Henry went home.", "Where had Mary gone?"),
        ("Henry looked at the door. Nobody knew where the key was.", "Nobody knew where the key was"),
        ("Henry went home. Mary wondered who had taken the ring.", "Mary wondered who had taken the ring"),
    ],
)
def test_a_question_of_the_narration_opens_a_thread(text: str, thread: str) -> None:
    (found,) = mysteries(text)
    assert found["thread"] == thread
    assert found["status"] == "opened"
    assert found["confidence"] <= 0.6
    assert found["evidence"][0]["quote"] in PEOPLE + text


def test_a_question_that_whoever_is_asked_cannot_answer_opens_one() -> None:
    (found,) = mysteries("“Who took the ring?” asked Mary.\n\n“I do not know,” said Henry.")
    assert (found["thread"], found["description"]) == (
        "Who took the ring?",
        "Mary asks it, and Henry does not know.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Who could have taken the ring? Henry sat down.",
        "Who had taken the ring? It was Mary. Henry sat down.",
        "What was to be done? Henry sat down.",
        "What did it matter to Henry who had the ring? Henry sat down.",
        "Henry sat down. Mary wondered what she should wear to the mill.",
        "Henry sat down. “Who had taken the ring?” said Mary. “It was there at noon.”",
        "“Who took the ring?” asked Mary.\n\n“Tom took it,” said Henry.",
        "“Where did you leave the ring?” asked Mary.\n\n“I do not know,” said Henry.",
    ],
)
def test_what_is_asked_for_effect_or_answered_opens_none(text: str) -> None:
    assert mysteries(text) == []
