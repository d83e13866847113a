"""A folder of stories and questions of our own, laid out like the ones that are measured with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NOVEL = (
    "Mara Voss hid the brass key under the third stair. Nobody in the lamp house saw her do it.",
    "Tomas Voss found the brass key and carried it to the ferry. Ilse threw it into the harbour at dawn.",
)


def write_data(place: Path) -> Path:
    """Writes every part of the folder; returns the folder."""
    tales = [
        {"story_id": "crow", "sections": [{"section": 1, "text": "A crow sang."}, {"section": 2, "text": "It flew."}]},
        {"story_id": "fox", "sections": [{"section": 1, "text": "A fox ate a crow at the mill."}]},
    ]
    asked = [
        _of_tale("crow", "What did the crow do?", ["sang"], [1, 2]),
        _of_tale("fox", "What did the fox eat?", ["a crow", "a crow"], [1]),
    ]
    lines(place / "fairytaleqa" / "stories.jsonl", tales)
    lines(place / "fairytaleqa" / "questions.jsonl", asked)
    novel = place / "novels" / "lamp"
    novel.mkdir(parents=True)
    for number, text in enumerate(NOVEL, 1):
        (novel / f"chapter-{number:03}.txt").write_text(text, "utf-8")
    lines(
        place / "narrativeqa" / "questions.jsonl",
        [
            {"qid": "n#1", "novel_slug": "lamp", "question": "Who found the key?", "answers": ["Tomas .", "Tomas"]},
            {"qid": "n#2", "novel_slug": "absent", "question": "Who?", "answers": ["Nobody"]},
        ],
    )
    lines(
        place / "nocha" / "claims.jsonl",
        [
            {
                "pair_id": 1,
                "novel_slug": "lamp",
                "claim": "Mara Voss hid the brass key under the stair.",
                "label": True,
            },
            {"pair_id": 1, "novel_slug": "lamp", "claim": "Mara Voss sold the brass key to a miller.", "label": False},
        ],
    )
    recorded = place / "recorded" / "lamp"
    shared = {"family": "combination", "category": "object", "hops": 1, "checkpoint": 1}
    lines(
        recorded / "questions.jsonl",
        [
            {
                **shared,
                "qid": "r1",
                "question": "Who hid the brass key?",
                "answer": "Mara hid it.",
                "answer_short": "Mara",
                "gold": [{"chapter": 1, "quote": "hid the brass key"}],
                "stale": "Tomas",
            },
            {
                **shared,
                "qid": "r2",
                "question": "Who throws the key away?",
                "answer": "not established by chapter 1",
                "gold": [{"chapter": 1, "quote": "the brass key"}],
                "leak": True,
                "later_answer": "Ilse",
                "later_chapter": 2,
            },
        ],
    )
    owned = {"id": "o1", "kind": "object_delta", "object": "brass key", "owner": "Mara Voss"}
    records = [{**owned, "evidence": [{"quote": "hid the brass key"}]}]
    sidecar = {"schema": "fabula.records/1", "records": records}
    (recorded / "chapter-001.records.json").write_text(json.dumps(sidecar), "utf-8")
    return place


def lines(file: Path, values: Sequence[Any]) -> Path:
    """Writes a file with one JSON value a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    return file


def _of_tale(tale: str, question: str, answers: list[str], sections: list[int]) -> dict[str, Any]:
    return {
        "qid": f"{tale}#1",
        "story_id": tale,
        "question": question,
        "answers": answers,
        "gold_sections": sections,
        "attributes": ["action"],
    }
