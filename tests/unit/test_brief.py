"""What a record says, as short as it can be said."""

from __future__ import annotations

from typing import Any

import pytest

from events.records import KINDS
from projections.words.brief import brief
from projections.words.verbalising import statement


@pytest.mark.parametrize(
    ("kind", "payload", "said"),
    [
        ("event", {"summary": "Fire", "participants": ["Bo"], "location": "the mill"}, "Fire."),
        ("interaction", {"source": "A", "target": "B", "type": "help", "summary": "A helps B"}, "A helps B."),
        ("knowledge", {"knower": "Bo", "fact": "it burnt", "stance": "suspects", "learned_via": "smoke"}, "Bo suspects that it burnt."),
        ("revelation", {"fact": "Bo lit it", "revealed_to": ["Ilse"]}, "Bo lit it."),
        ("thread", {"thread": "the debt", "thread_kind": "promise", "status": "opened", "description": "Bo owes Ilse"}, "Bo owes Ilse."),
        ("arc_delta", {"subject": "Bo", "arc": "courage", "stage": "tested", "from": "timid"}, "Bo, courage: tested."),
        ("relationship_delta", {"source": "A", "target": "B", "relation": "rivals", "description": "since the fire"}, "A and B: rivals."),
    ],
)  # fmt: skip
def test_the_core_is_said_and_the_rest_left_out(kind: str, payload: dict[str, Any], said: str) -> None:
    assert brief(kind, payload) == said
    assert len(said) < len(statement(kind, payload))


def test_what_kind_of_truth_it_is_stays() -> None:
    payload = {"summary": "Fire", "participants": ["Bo"], "modality": "planned", "focalizer": "Ilse"}
    assert brief("event", payload) == "Fire. (planned, seen by Ilse)"


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("thread", {"thread": "the debt", "status": "paid_off"}),
        ("interaction", {"source": "A", "target": "B", "type": "help"}),
        ("event", {"summary": " "}),
        ("presence", {"entity": "Mara", "location": "the ferry"}),
        ("profile", {"entity": "Bo", "text": "A smith"}),
        ("event", None),
    ],
)
def test_a_record_without_a_shorter_form_is_stated(kind: str, payload: Any) -> None:
    assert brief(kind, payload) == statement(kind, payload)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_kind_is_said_at_greater_length_than_its_statement(kind: str) -> None:
    payload = dict.fromkeys(
        ("summary", "fact", "knower", "subject", "arc", "stage", "source", "target", "relation"), "word"
    )
    assert len(brief(kind, payload)) <= len(statement(kind, payload))
