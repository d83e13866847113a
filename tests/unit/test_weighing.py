"""In which order a chapter's records are weighed, who is meant by an entity id, and what a rule's key is."""

from __future__ import annotations

import pytest

from events.errors import InvalidRecords
from events.sidecar import validate
from tests.stories import Story, has, is_at, owns, person, reveal


def test_what_a_ground_requires_is_weighed_before_it_although_its_dependant_comes_first() -> None:
    story = Story()
    story.publish(
        1,
        has("Mara", "mood", "glad", id="glad", depends_on=["1:goal"]),
        owns("Tomas", id="gift"),
        has("Mara", "goal", "revenge", id="goal", requires=[{"key": "owner(brass key)", "value": "Tomas"}]),
    )
    assert [story.live(f"1:{name}") for name in ("glad", "gift", "goal")] == [True, True, True]


def test_a_reveal_may_require_what_its_own_chapter_says_before_it() -> None:
    story = Story()
    story.publish(1, person("the stranger"), person("Tomas"))
    story.publish(2, owns("Tomas"), reveal("the stranger", "Tomas", requires=[{"key": "owner(key)", "value": None}]))
    story.publish(
        3,
        is_at("the stranger", "the mill"),
        reveal("the stranger", "Tomas", id="i", requires=[{"key": "location(the stranger)", "value": "the mill"}]),
    )
    assert story.live("3:i")


def test_a_circle_of_a_dependency_and_a_requirement_is_weighed_once_in_story_order() -> None:
    story = Story()
    circle = (
        has("Ilse", "mood", "calm", id="start", depends_on=["1:goal"]),
        owns("Tomas", id="gift", depends_on=["1:goal"]),
        has("Mara", "goal", "revenge", id="goal", requires=[{"key": "owner(brass key)", "value": "Tomas"}]),
    )
    for _ in range(3):
        story.publish(1, *circle)
        assert [story.live(f"1:{name}") for name in ("start", "gift", "goal")] == [False, False, False]


def test_an_entity_is_meant_by_its_id_in_the_very_chapter_that_introduces_it() -> None:
    story = Story()
    story.publish(1, person("Mara Voss"), owns("person/mara voss"))
    assert story.state(1) == {"owner(brass key)": "Mara Voss"}


def test_an_entity_id_means_the_same_whichever_chapter_arrives_first() -> None:
    story = Story()
    story.publish(2, owns("person/mara voss"))
    story.publish(1, person("Mara Voss"))
    assert story.state(2) == {"owner(brass key)": "Mara Voss"}


def test_the_id_of_one_nobody_introduced_means_whoever_goes_by_that_name() -> None:
    story = Story()
    story.publish(1, owns("Mara"))
    story.publish(2, has("unknown/mara", "mood", "glad"))
    assert story.state(2) == {"owner(brass key)": "Mara", "character(Mara,mood)": "glad"}


def test_a_world_rule_sets_the_key_of_its_rule_and_can_be_required() -> None:
    story = Story()
    story.publish(1, {"kind": "world_rule", "rule": "No magic", "statement": "Magic fails at sea"})
    story.publish(2, owns("Mara", requires=[{"key": "rule(no magic)", "value": "magic fails at sea"}]))
    assert story.state(2) == {"rule(No magic)": "Magic fails at sea", "owner(brass key)": "Mara"}


@pytest.mark.parametrize(
    "fields",
    [
        {"evidence": [{"start": 2**64, "end": 2**64 + 1}]},
        {"evidence": [{"quote": "alpha", "start": 0, "end": 10**30}]},
        {"story_time": {"order": 10**30}},
        {"kind": "revelation", "fact": "x", "event_chapter": 10**30},
    ],
)
def test_a_number_beyond_what_json_readers_agree_on_is_refused(fields: dict[str, object]) -> None:
    record = {"id": "a", "kind": "event", "summary": "x", "evidence": [{"quote": "alpha"}]} | fields
    record = {k: v for k, v in record.items() if not (record["kind"] == "revelation" and k == "summary")}
    with pytest.raises(InvalidRecords, match=r"^record 1 \(a\)"):
        validate([record], chapter=1)


@pytest.mark.timeout(60)
def test_a_chain_that_runs_backwards_with_a_requirement_at_every_link_is_weighed_in_good_time() -> None:
    story = Story()
    links = 2_000
    story.publish(
        1,
        *(
            has(
                "Mara",
                "goal",
                f"g{n}",
                id=f"i{n}",
                depends_on=[f"1:i{n + 1}"] if n < links else [],
                requires=[{"key": "character(Mara,goal)", "value": None}],
            )
            for n in range(links + 1)
        ),
    )
    assert story.live(f"1:i{links}")
