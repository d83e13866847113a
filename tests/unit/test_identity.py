"""Who is who, as of a chapter: situations S01 to S09."""

from __future__ import annotations

from tests.stories import Story, has, is_at, knows, owns, person, reveal


def test_a_shared_first_name_never_makes_two_people_one() -> None:
    story = Story()
    story.publish(1, person("Anna Petrova", "Anna"), has("Anna", "occupation", "doctor"))
    story.publish(2, person("Anna Berg", "Anna"), has("Anna", "occupation", "smuggler"))
    story.publish(3, has("Anna", "goal", "operate"))
    state = story.state(3)
    assert state["character(Anna Petrova,occupation)"] == "doctor"
    assert state["character(Anna Berg,occupation)"] == "smuggler"
    assert state["character(Anna,goal)"] == "operate", "the third chapter's Anna stays undecided"


def two_called_anna(*, petrova: range, berg: range) -> Story:
    """A story in which the chapters of each range introduce one of them, both under a name they share."""
    story = Story()
    for chapter in sorted({*petrova, *berg}):
        people = [name for name, chapters in (("Anna Petrova", petrova), ("Anna Berg", berg)) if chapter in chapters]
        story.publish(chapter, *(person(name, "Anna") for name in people))
    return story


def test_a_name_of_two_means_the_one_who_is_there() -> None:
    story = two_called_anna(petrova=range(1, 2), berg=range(2, 3))
    story.publish(3, person("Anna Berg"), has("Anna", "goal", "operate"))
    assert story.state(3) == {"character(Anna Berg,goal)": "operate"}


def test_a_name_of_two_who_are_both_there_stays_undecided() -> None:
    story = two_called_anna(petrova=range(1, 7), berg=range(7, 8))
    story.publish(8, person("Anna Petrova"), person("Anna Berg"), has("Anna", "goal", "operate"))
    assert story.state(8) == {"character(Anna,goal)": "operate"}


def test_a_namesake_said_once_does_not_unsettle_who_has_borne_the_name_for_chapters() -> None:
    story = two_called_anna(petrova=range(1, 4), berg=range(4, 5))
    story.publish(5, has("Anna", "goal", "operate"))
    story.publish(6, person("Anna"), has("Anna", "status", "tired"))
    assert story.state(6) == {"character(Anna Petrova,goal)": "operate", "character(Anna Petrova,status)": "tired"}


def test_two_who_bear_a_name_about_as_often_leave_it_undecided() -> None:
    story = two_called_anna(petrova=range(1, 6), berg=range(6, 8))
    story.publish(8, person("Anna"), has("Anna", "goal", "operate"))
    assert story.state(8) == {"character(Anna,goal)": "operate"}


def test_a_name_of_two_means_the_one_who_was_around_lately() -> None:
    story = two_called_anna(petrova=range(1, 6), berg=range(16, 17))
    story.publish(17, person("Anna"), has("Anna", "goal", "operate"))
    assert story.state(17) == {"character(Anna Berg,goal)": "operate"}


def test_a_name_told_from_one_of_its_bearers_by_the_chapter_stays_undecided() -> None:
    story = two_called_anna(petrova=range(1, 5), berg=range(5, 6))
    story.publish(6, person("Anna Petrova"), person("Anna"), has("Anna", "goal", "operate"))
    assert story.state(6) == {"character(Anna,goal)": "operate"}


def test_a_surname_of_two_means_the_one_whom_the_chapter_has_by_the_given_name() -> None:
    story = Story()
    story.publish(1, person("Anna Petrova", "Anna", "Petrova"))
    story.publish(2, person("Olga Petrova", "Olga", "Petrova"))
    story.publish(3, person("Anna"), person("Petrova"), has("Petrova", "goal", "operate"))
    assert story.state(3) == {"character(Anna Petrova,goal)": "operate"}


def test_whom_a_name_of_two_means_is_the_same_whichever_chapter_arrives_last() -> None:
    story = Story()
    story.publish(6, has("Anna", "goal", "operate"))
    story.publish(5, person("Anna Berg", "Anna"))
    assert story.state(6) == {"character(Anna Berg,goal)": "operate"}
    for chapter in (3, 2, 1):
        story.publish(chapter, person("Anna Petrova", "Anna"))
    assert story.state(6) == {"character(Anna Petrova,goal)": "operate"}


def test_the_same_name_months_apart_is_one_entity() -> None:
    story = Story()
    story.publish(1, person("Kas"), has("Kas", "occupation", "pilot"))
    story.publish(90, person("Kas"), has("Kas", "status", "old"))
    assert story.state(90) == {"character(Kas,occupation)": "pilot", "character(Kas,status)": "old"}


def test_a_place_and_a_person_of_one_name_stay_two() -> None:
    story = Story()
    story.publish(1, person("Victoria"), is_at("Victoria", "the quay"))
    story.publish(
        2, {"kind": "entity", "type": "location", "name": "Victoria"}, person("Ilse"), is_at("Ilse", "Victoria")
    )
    story.publish(3, has("Victoria", "status", "asleep"), is_at("Victoria", "Victoria"))
    assert story.state(3) == {
        "location(Victoria)": "Victoria",
        "location(Ilse)": "Victoria",
        "character(Victoria,status)": "asleep",
    }


def test_an_epithet_goes_under_the_name_from_the_chapter_that_names_it() -> None:
    story = Story()
    story.publish(1, person("the man in the grey coat"), is_at("the man in the grey coat", "the bridge"))
    story.publish(4, owns("the man in the grey coat", "umbrella"))
    taken = story.publish(5, person("Odran", "the man in the grey coat"))
    assert story.state(4)["owner(umbrella)"] == "the man in the grey coat"
    assert story.state(5) == {"owner(umbrella)": "Odran", "location(Odran)": "the bridge"}
    assert [(link.chapter, link.origin) for link in taken.linked] == [(5, "alias")]


def test_a_name_used_before_anybody_introduces_it_belongs_to_who_is_introduced() -> None:
    story = Story()
    story.publish(1, owns("the courier"))
    story.publish(2, person("Mara Voss", "the courier"))
    assert story.state(1) == {"owner(brass key)": "the courier"}
    assert story.state(2) == {"owner(brass key)": "Mara Voss"}


def test_an_introduction_that_is_not_live_claims_nothing_but_its_name_goes_on_being_one_person() -> None:
    story = Story()
    unmet = [{"key": "owner(lamp)", "value": "Ilse"}]
    story.publish(1, person("Mara", "the courier", id="met", requires=unmet), owns("Mara"))
    story.publish(2, owns("Mara"), is_at("the courier", "the bridge"))
    assert not story.live("1:met")
    assert story.since(2) == {"owner(brass key)": 1, "location(the courier)": 2}


def test_whom_no_live_record_names_is_shown_by_the_name_that_others_use() -> None:
    story = Story()
    unmet = [{"key": "owner(lamp)", "value": "Ilse"}]
    story.publish(1, owns("Mara Voss"))
    story.publish(2, person("Mara Voss", requires=unmet))
    assert story.state(2) == {"owner(brass key)": "Mara Voss"}


def test_a_reveal_joins_two_from_its_chapter_on_and_the_later_assertion_wins() -> None:
    story = Story()
    story.publish(1, person("the stranger"), person("Tomas"), is_at("the stranger", "the bridge"))
    story.publish(2, is_at("Tomas", "the mill"))
    story.publish(3, is_at("the stranger", "the inn"))
    story.publish(4, reveal("the stranger", "Tomas"))
    assert story.state(3) == {"location(the stranger)": "the inn", "location(Tomas)": "the mill"}
    assert story.state(4)["location(Tomas)"] == "the inn"


def test_a_reveal_that_is_edited_away_parts_the_two_again() -> None:
    story = Story()
    story.publish(1, person("the stranger"), person("Tomas"), owns("the stranger"))
    story.publish(2, reveal("the stranger", "Tomas"))
    assert story.state(2)["owner(brass key)"] == "Tomas"
    story.publish(2)
    assert story.state(2) == {"owner(brass key)": "the stranger"}


def test_a_reveal_in_a_dream_joins_nobody() -> None:
    story = Story()
    story.publish(1, person("the stranger"), person("Tomas"), owns("the stranger"))
    story.publish(2, reveal("the stranger", "Tomas", modality="dream"))
    assert story.state(2) == {"owner(brass key)": "the stranger"}


def test_a_requirement_is_met_by_who_turned_out_to_be_the_owner() -> None:
    story = Story()
    story.publish(1, person("the stranger"), person("Tomas"), owns("the stranger"))
    story.publish(2, reveal("the stranger", "Tomas"))
    story.publish(3, owns("Ilse", id="sale", requires=[{"key": "owner(brass key)", "value": "Tomas"}]))
    assert story.live("3:sale")
    story.publish(2)
    assert not story.live("3:sale")


def test_an_editors_merge_is_undone_by_a_split() -> None:
    story = Story()
    story.publish(1, person("Mara"), person("the courier"), owns("the courier"), has("Mara", "status", "well"))
    before = story.state(9)
    story.merge("person/mara", "person/courier")
    assert story.state(1) == {
        "owner(brass key)": "Mara",
        "character(Mara,status)": "well",
    }
    story.publish(2, is_at("the courier", "the quay"))
    story.publish(3, is_at("Mara", "the inn"))
    story.split("courier", "mara")
    assert story.state(1) == before
    assert story.state(3) == {**before, "location(the courier)": "the quay", "location(Mara)": "the inn"}


def test_a_split_takes_back_an_alias_that_an_entity_record_claimed() -> None:
    story = Story()
    story.publish(1, person("Mara", "the courier"), owns("the courier"))
    assert story.state(1) == {"owner(brass key)": "Mara"}
    story.split("courier", "mara")
    assert story.state(1) == {"owner(brass key)": "the courier"}
    story.merge("person/mara", "unknown/courier")
    assert story.state(1) == {"owner(brass key)": "Mara"}


def test_a_character_who_is_renamed_throughout_stays_the_same_entity() -> None:
    story = Story()
    kept = [owns("Mira", id="o"), is_at("Mira", "the quay", id="p")]
    story.publish(3, person("Mira", id="e"), *kept, text="Mira took the brass key. Mira went to the quay.")
    for chapter in range(4, 10):
        story.publish(chapter, has("Mira", "status", f"day {chapter}"), text="Mira slept.")
    taken = story.publish(
        3,
        person("Mara", id="e"),
        owns("Mara", id="o"),
        is_at("Mara", "the quay", id="p"),
        text="Mara took the brass key. Mara went to the quay.",
    )
    assert story.state(9) == {
        "owner(brass key)": "Mara",
        "location(Mara)": "the quay",
        "character(Mara,status)": "day 9",
    }
    assert not taken.withdrawn
    assert {m.entity for _, new in taken.carried for m in new.mentions if m.surface == "Mara"} == {"person/mira"}


def test_another_character_in_somebodys_place_is_not_a_rename() -> None:
    story = Story()
    story.publish(2, person("Tomas"), owns("Tomas"), text="Mara gave the key to Tomas, and he put it away.")
    story.publish(3, has("Tomas", "status", "asleep"))
    story.publish(2, person("the ferryman"), owns("the ferryman"), text="Mara gave the key to the ferryman.")
    assert story.state(3) == {"owner(brass key)": "the ferryman", "character(Tomas,status)": "asleep"}


def test_the_reader_is_no_entity_of_the_story() -> None:
    story = Story()
    story.publish(1, knows("reader", "the will is burnt"), knows("Reader", "the will is burnt", stance="suspects"))
    assert story.state(1) == {"knowledge(reader,will is burnt)": "suspects"}


def test_an_attribute_is_a_word_even_where_somebody_has_it_for_an_alias() -> None:
    story = Story()
    story.publish(1, person("Tomas", "the captain"), person("Mara"), has("Mara", "occupation", "captain"))
    assert story.state(1) == {"character(Mara,occupation)": "captain"}


def test_a_reveal_told_twice_under_other_names_is_one_key() -> None:
    story = Story()
    story.publish(1, person("the grey man", "the spy"), person("Odran Vale", "Odran"))
    story.publish(2, reveal("the grey man", "Odran Vale"))
    story.publish(3, reveal("The Spy", "odran"))
    assert story.state(3) == {"identity(the grey man,Odran Vale)": "Odran Vale"}
    assert story.since(3) == {"identity(the grey man,Odran Vale)": 2}


def test_a_reveal_may_be_required_by_any_of_the_names() -> None:
    story = Story()
    story.publish(1, person("the grey man", "the spy"), person("Odran Vale", "Odran"), person("Ilse"))
    story.publish(2, reveal("the grey man", "Odran Vale"))
    need = {"requires": [{"key": "identity(Grey Man,Odran)", "value": "Odran"}]}
    story.publish(3, has("Ilse", "mood", "shocked", id="a", **need))
    wrong = {"requires": [{"key": "identity(Ilse,Odran)", "value": "Odran"}]}
    story.publish(4, has("Ilse", "mood", "glad", id="a", **wrong))
    assert (story.live("3:a"), story.live("4:a")) == (True, False)
