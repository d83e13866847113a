"""After a split, an editor is shown what the text does not settle."""

from __future__ import annotations

from events.reviewing import unsettled
from tests.stories import Story, has, is_at, person


def _merged() -> Story:
    story = Story()
    story.publish(1, person("Mara"), person("Odran"), text="Mara met Odran.")
    story.merge("person/mara", "person/odran")
    return story


def test_a_record_whose_evidence_names_its_side_is_settled() -> None:
    story = _merged()
    at_quay = is_at("Mara", "the quay", evidence=[{"quote": "Mara walked the quay"}])
    at_mill = is_at("Odran", "the mill", evidence=[{"quote": "Odran slept in the mill"}])
    story.publish(2, at_quay, at_mill, text="Mara walked the quay. Odran slept in the mill.")
    assert unsettled(story.index, "odran", ["mara"]) == []


def test_a_record_whose_evidence_names_nobody_is_left_to_the_editor() -> None:
    story = _merged()
    story.publish(2, has("Mara", "mood", "glad", id="m", evidence=[{"quote": "Somebody sang"}]), text="Somebody sang.")
    assert unsettled(story.index, "odran", ["mara"]) == ["2:m"]


def test_what_was_published_before_the_merge_needs_no_review() -> None:
    story = Story()
    story.publish(1, person("Mara"), person("Odran"), has("Mara", "mood", "glad"), text="Somebody sang all night long.")
    story.merge("person/mara", "person/odran")
    assert unsettled(story.index, "odran", ["mara"]) == []


def test_two_that_were_never_merged_leave_nothing_to_review() -> None:
    story = Story()
    story.publish(1, person("Mara", "Odran"), has("Mara", "mood", "glad"), text="Somebody sang all night long.")
    assert unsettled(story.index, "odran", ["mara"]) == []
