"""What an author is told when an edit takes away what later chapters lean on."""

from __future__ import annotations

from events.emitting import dropped_names, unbound
from tests.stories import Story, has, knows, person


def test_an_author_hears_which_chapters_use_a_name_that_an_edit_dropped() -> None:
    story = Story()
    story.publish(3, person("Mira"), text="Mira sang.")
    for chapter in (4, 5, 6):
        story.publish(chapter, has("Mira", "mood", f"day {chapter}"))
    taken = story.publish(3, person("Mara"), text="Mara sang.")
    assert list(dropped_names(story.index, taken)) == [
        "3 later chapters (4, 5, 6) use the name 'Mira', which chapter 3 no longer introduces."
    ]


def test_an_author_hears_of_an_alias_as_well() -> None:
    story = Story()
    story.publish(3, person("Mira Tolley", "Mira"), text="Mira Tolley sang.")
    story.publish(4, has("Mira", "mood", "glad"))
    taken = story.publish(3, person("Mara Tolley", "Mara"), text="Mara Tolley sang.")
    assert story.state(4) == {"character(Mara Tolley,mood)": "glad"}, "it is still her"
    assert list(dropped_names(story.index, taken)) == [
        "1 later chapter (4) use the name 'Mira', which chapter 3 no longer introduces."
    ]


def test_a_name_that_an_earlier_chapter_introduces_is_no_matter() -> None:
    story = Story()
    story.publish(1, person("Mira"))
    story.publish(3, person("Mira"))
    story.publish(4, has("Mira", "mood", "glad"))
    assert list(dropped_names(story.index, story.publish(3))) == []


def test_an_author_hears_of_a_dependency_on_what_is_not_there() -> None:
    story = Story()
    taken = story.publish(2, knows("Ann", "it", id="k", depends_on=["1:x"]))
    assert list(unbound(story.index, taken)) == [
        "2:k depends on 1:x, which does not exist; it holds once that record does."
    ]
