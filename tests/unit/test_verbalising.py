"""What a record says, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from events.records import KINDS
from projections.words.verbalising import MAX_QUOTE, STATEMENTS, record_text, statement


@pytest.mark.parametrize(
    ("kind", "payload", "said"),
    [
        ("entity", {"name": "Mara Voss", "type": "character", "aliases": ["Mara"]}, "Mara Voss, character; also called Mara."),
        ("identity", {"a": "the stranger", "b": "Odran", "known_to": "reader"}, "the stranger is Odran; known to reader."),
        ("event", {"summary": "Fire", "participants": [{"entity": "Bo", "role": "cook"}, "Ilse"]}, "Fire; with Bo as cook, Ilse."),
        ("presence", {"entity": "Mara", "location": "the ferry"}, "Mara is at the ferry."),
        ("character_delta", {"character": "Bo", "attribute": "status", "value": "dead"}, "Bo: status dead."),
        ("character_delta", {"character": "Bo", "attribute": "trait", "value": "shy", "op": "remove"}, "Bo: trait no longer shy."),
        ("relationship_delta", {"source": "A", "target": "B", "relation": "rivals"}, "A and B: rivals."),
        ("relationship_delta", {"source": "A", "target": "B", "relation": "loves", "symmetric": False}, "A → B: loves."),
        ("object_delta", {"object": "key", "owner": "Bo", "state": "bent"}, "key: owner Bo; state bent."),
        ("knowledge", {"knower": "Bo", "fact": "it burnt", "stance": "suspects"}, "Bo suspects that it burnt."),
        ("thread", {"thread": "the debt", "thread_kind": "promise", "status": "paid_off"}, "the debt (promise): paid off."),
        ("arc_delta", {"subject": "Bo", "arc": "courage", "stage": "tested", "from": "timid"}, "Bo, courage: tested; from timid."),
        ("fact", {"subject": "Bo", "predicate": "is", "object": "a smith", "negated": True}, "Bo not is a smith."),
        ("world_rule", {"rule": "tides", "statement": "They rise at night."}, "tides: They rise at night."),
        ("profile", {"entity": "Bo", "text": "A smith", "confidence": 0.5}, "entity Bo; text A smith."),
    ],
)  # fmt: skip
def test_a_record_reads_as_a_sentence(kind: str, payload: dict[str, Any], said: str) -> None:
    assert statement(kind, payload) == said


def test_every_kind_of_the_vocabulary_has_its_sentence() -> None:
    assert set(STATEMENTS) == set(KINDS)


def test_what_is_not_plainly_so_is_marked() -> None:
    payload = {"entity": "Mara", "location": "sea", "modality": "dream", "focalizer": "Ilse"}
    assert statement("presence", payload) == "Mara is at sea. (dream, seen by Ilse)"


def test_the_evidence_follows_with_its_white_space_folded() -> None:
    text = record_text("presence", {"entity": "Mara", "location": "sea"}, ["Mara\n  swam", "out there"])
    assert text == 'Mara is at sea. "Mara swam … out there"'


def test_a_long_evidence_is_shortened_at_a_word() -> None:
    text = record_text("presence", {"entity": "Mara", "location": "sea"}, ["word " * 1000])
    assert len(text) < MAX_QUOTE + 30
    assert text.endswith('word …"')


@pytest.mark.parametrize("payload", [{}, None, [], {"participants": [3, None]}])
@pytest.mark.parametrize("kind", [*KINDS, "anything"])
def test_no_payload_is_too_odd_to_be_said(kind: str, payload: Any) -> None:
    assert isinstance(record_text(kind, payload, []), str)
