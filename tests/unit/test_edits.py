"""What an edit withdraws, carries, brings down and brings back."""

from __future__ import annotations

from tests.stories import Story, has, is_at, knows, owns, person


def test_an_edit_that_removes_a_gift_gives_the_key_back_to_its_giver() -> None:
    story = Story()
    story.publish(1, owns("Mara"))
    story.publish(2, owns("Tomas"))
    story.publish(2)
    assert story.state(2) == {"owner(brass key)": "Mara"}
    assert story.since(2) == {"owner(brass key)": 1}


def test_a_fact_repeated_later_outlives_the_chapter_that_first_stated_it() -> None:
    story = Story()
    story.publish(2, is_at("the key", "the well"))
    story.publish(6, is_at("the key", "the well"))
    story.retract(2)
    assert story.since(9) == {"location(the key)": 6}


def test_a_fact_comes_back_when_the_chapter_that_ended_it_goes() -> None:
    story = Story()
    story.publish(1, is_at("the sword", "the hall"))
    story.publish(4, is_at("the sword", "the river"))
    story.retract(4)
    assert story.state(9) == {"location(the sword)": "the hall"}
    assert story.since(9) == {"location(the sword)": 1}


def test_what_rests_on_a_death_falls_when_the_dead_survives() -> None:
    story = Story()
    story.publish(3, has("Bo", "status", "dead", id="death"))
    story.publish(5, knows("Ann", "Bo is buried", id="funeral", depends_on=["3:death"]))
    story.publish(8, owns("Ann", "farm", id="heir", depends_on=["5:funeral"]))
    story.publish(3, has("Bo", "status", "alive", id="death"))
    assert (story.live("5:funeral"), story.live("8:heir")) == (False, False)
    story.publish(3, has("Bo", "status", "dead", id="again"))
    assert (story.live("5:funeral"), story.live("8:heir")) == (True, True), "it is the content that counts, not the id"


def test_an_edit_of_the_wording_alone_carries_every_record() -> None:
    story = Story()
    story.publish(1, person("Mara Voss", "Mara"), owns("Mara"), text="Mara Voss had the key.")
    taken = story.publish(1, person("Mara Voss", "Mara"), owns("Mara Voss"), text="It was Mara Voss who had the key.")
    assert len(taken.carried) == 2
    assert not taken.asserted
    assert not taken.withdrawn


def test_an_older_revision_that_arrives_late_changes_nothing() -> None:
    story = Story()
    story.publish(1, owns("Tomas"), sequence=2)
    taken = story.publish(1, owns("Mara"), sequence=1)
    assert taken.superseded
    assert story.state(1) == {"owner(brass key)": "Tomas"}


def test_a_dependency_binds_to_the_revision_that_its_author_saw() -> None:
    story = Story()
    story.publish(1, owns("Mara", id="x"), sequence=1)
    story.publish(2, knows("Ann", "it", id="k", depends_on=["1:x"]), sequence=2)
    story.publish(1, owns("Tomas", id="x"), sequence=3)
    assert not story.live("2:k"), "1:x is another record now, whatever it is called"


def test_a_dependency_on_a_chapter_to_come_binds_to_its_first_revision() -> None:
    story = Story()
    story.publish(2, knows("Ann", "it", id="k", depends_on=["1:x"]))
    assert not story.live("2:k")
    story.publish(1, owns("Mara", id="x"))
    assert story.live("2:k")


def test_a_requirement_looks_at_the_moment_before_the_record_not_at_the_chapter() -> None:
    story = Story()
    story.publish(1, owns("Mara"), owns("Ilse", requires=[{"key": "owner(brass key)", "value": "Mara"}]))
    assert story.state(1) == {"owner(brass key)": "Ilse"}


def test_a_requirement_that_a_key_does_not_hold() -> None:
    story = Story()
    story.publish(2, owns("Ilse", id="find", requires=[{"key": "owner(brass key)", "value": None}]))
    assert story.live("2:find")
    story.publish(1, owns("Mara"))
    assert not story.live("2:find")


def test_a_record_may_depend_on_one_further_down_its_chapter() -> None:
    story = Story()
    story.publish(1, knows("Ann", "it", id="k", depends_on=["1:o"]), owns("Mara", id="o"))
    assert story.live("1:k")


def test_leaving_and_joining_again_with_the_same_words_are_two_stays() -> None:
    story = Story()
    member = {"attribute": "allegiance", "value": "the guild"}
    story.publish(1, has("Kit", **member, op="add"))
    story.publish(4, has("Kit", **member, op="remove"))
    story.publish(9, has("Kit", **member, op="add"))
    assert [(i.valid_from, i.valid_to) for i in story.intervals(9)] == [(1, 4), (9, None)]


def test_a_second_marriage_is_a_second_interval() -> None:
    story = Story()

    def pair(relation: str) -> dict[str, object]:
        return {"kind": "relationship_delta", "source": "Ann", "target": "Bo", "relation": relation}

    story.publish(2, pair("married"))
    story.publish(5, pair("divorced"))
    story.publish(11, pair("married"))
    assert [(i.value, i.valid_from, i.valid_to) for i in story.intervals(11)] == [
        ("married", 2, 5),
        ("divorced", 5, 11),
        ("married", 11, None),
    ]


def test_what_was_hidden_long_ago_is_still_there() -> None:
    story = Story()
    story.publish(1, is_at("the ring", "the oak"))
    for chapter in range(2, 60):
        story.publish(chapter, has("Kit", "mood", f"day {chapter}"))
    assert story.state(60)["location(the ring)"] == "the oak"


def test_only_what_depends_on_an_edit_is_touched_by_it() -> None:
    story = Story()
    for chapter in range(1, 40):
        story.publish(chapter, owns(f"owner {chapter}", f"lamp {chapter}"), has("Kit", "mood", f"day {chapter}"))
    taken = story.publish(5, owns("somebody", "lamp 5"), has("Kit", "mood", "day 5"))
    assert {e.chapter for e in taken.touched} == {5}
    assert [e.name for e in taken.withdrawn] == ["5:r1"]
