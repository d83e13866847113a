"""What of a reply holds, and why the rest does not."""

from __future__ import annotations

from typing import Any

import pytest

from services.extraction.claude.chunking import chunks
from services.extraction.claude.context import NOTHING, Context
from services.extraction.claude.merging import merged
from services.extraction.claude.verifying import Rejected, Verifier
from tests.claude_chapters import ALL, KEY, MARA, PROMISE, SHORT, TOMAS, said

KNOWN = Context(
    entities=(("Ilse Brandt", "character", ("Ilse",)),),
    held=(("owner(brass key)", "Ilse Brandt", "1:o1"),),
    threads=(("the missing ship", "1:t1"),),
)


def verify(*records: dict[str, Any], context: Context = NOTHING) -> tuple[list[dict[str, Any]], list[Rejected]]:
    return Verifier(SHORT, 2, context).verify(records, chunks(SHORT)[0])


def test_what_the_text_says_holds_with_its_evidence_located() -> None:
    held, rejected = verify(*ALL)
    assert not rejected
    for record in held:
        span = record["evidence"][0]
        assert SHORT[span["start"] : span["end"]] == span["quote"]


def test_s42_a_quote_that_is_not_in_the_text_is_rejected_with_the_reason() -> None:
    held, [rejected] = verify(MARA, said("o2", "object_delta", "she threw the key into the sea", object="brass key"))
    assert [record["id"] for record in held] == ["e1"]
    assert "does not have the quote" in rejected.reason


def test_s42_a_surname_copied_onto_another_character_is_rejected() -> None:
    _, [rejected] = verify(said("e3", "entity", "she told Tomas Reed", type="character", name="Tomas Voss"))
    assert "'Tomas Voss'" in rejected.reason


def test_s42_an_alias_that_the_text_does_not_have_is_left_out() -> None:
    [entity], _ = verify(said("e1", "entity", "Mara Voss", type="character", name="Mara Voss", aliases=["Mara", "Maz"]))
    assert entity["aliases"] == ["Mara"]


def test_a_record_about_somebody_the_text_does_not_name_is_rejected() -> None:
    _, [rejected] = verify(
        said(
            "c1",
            "character_delta",
            "gave him the key",
            character="Ilse Brandt",
            attribute="status",
            value="dead",
            op="set",
        )
    )
    assert "'Ilse Brandt'" in rejected.reason


def test_a_name_from_an_earlier_chapter_is_known() -> None:
    held, _ = verify(
        said("k1", "knowledge", "gave him the key", knower="Ilse", fact="x", stance="knows"), context=KNOWN
    )
    assert len(held) == 1


def test_a_record_that_breaks_the_vocabulary_is_rejected_alone() -> None:
    held, [rejected] = verify(MARA, {**KEY, "confidence": 7})
    assert len(held) == 1
    assert "confidence" in rejected.reason


def test_an_id_used_twice_is_rejected_the_second_time() -> None:
    held, rejected = verify(MARA, {**TOMAS, "id": "e1"})
    assert (len(held), len(rejected)) == (1, 1)


@pytest.mark.parametrize(
    "said_", [None, [], "x", 5, {}, {"content": 3}, {"content": {"kind": ["entity"]}, "quotes": [3]}]
)
def test_s39_what_is_no_record_is_rejected_and_harms_no_other(said_: Any) -> None:
    held, rejected = verify(MARA, said_)
    assert (len(held), len(rejected)) == (1, 1)


def test_a_dependency_on_a_record_that_was_shown_stays() -> None:
    [record], _ = verify({**PROMISE, "depends_on": ["1:t1"]}, context=KNOWN)
    assert record["depends_on"] == ["1:t1"]


def test_a_dependency_on_a_record_that_nobody_showed_is_left_out() -> None:
    [record], _ = verify({**PROMISE, "depends_on": ["1:t9"]}, context=KNOWN)
    assert "depends_on" not in record


@pytest.mark.parametrize(("value", "stays"), [("Ilse Brandt", True), ("Mara Voss", False)])
def test_only_what_held_is_required(value: str, stays: bool) -> None:
    requires = [{"key": "owner(brass key)", "value": value}]
    [record], _ = verify({**PROMISE, "requires": requires}, context=KNOWN)
    assert record.get("requires") == (requires if stays else None)


def test_the_scene_is_where_the_evidence_stands() -> None:
    text = f"{SHORT}\n\n* * *\n\nMara waited at the mill."
    where = said("p2", "presence", "Mara waited at the mill", entity="Mara", location="the mill")
    [record], _ = Verifier(text, 2, NOTHING).verify([where], chunks(text)[0])
    assert record["scene"] == 2


def test_two_readings_of_the_same_words_are_one_record() -> None:
    first, _ = verify(*ALL)
    second, _ = verify(*({**each, "id": f"x{each['id']}"} for each in ALL))
    assert len(merged([first, second], 2)) == len(ALL)


def test_the_same_owner_at_two_places_of_the_text_is_told_twice() -> None:
    first, _ = verify(KEY)
    second, _ = verify({**KEY, "quotes": ["Keep it"]})
    assert len(merged([first, second], 2)) == 2


def test_ids_are_made_unique_and_references_follow() -> None:
    first, _ = verify(MARA, KEY)
    other = {**PROMISE, "id": "o1"}
    second, _ = verify({**TOMAS, "id": "e1", "depends_on": ["o1"]}, other)
    records = {record["id"]: record for record in merged([first, second], 2)}
    assert set(records) == {"e1", "o1", "e1.2", "o1.2"}
    assert records["e1.2"]["depends_on"] == ["o1.2"]


def test_an_entity_met_twice_has_the_aliases_of_both() -> None:
    first, _ = verify(MARA)
    second, _ = verify(said("e1", "entity", "The brass key", type="character", name="Mara Voss", aliases=["Voss"]))
    [entity] = merged([first, second], 2)
    assert entity["aliases"] == ["Mara", "Voss"]


def test_a_reference_to_what_was_rejected_is_left_out() -> None:
    held, _ = verify({**PROMISE, "depends_on": ["gone"]})
    assert "depends_on" not in merged([held], 2)[0]


def test_dependencies_in_a_circle_are_left_out() -> None:
    held, _ = verify({**PROMISE, "depends_on": ["o1"]}, {**KEY, "depends_on": ["t1"]})
    assert all("depends_on" not in record for record in merged([held], 2))
