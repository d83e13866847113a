"""Which two people may be one: reasons, contradictions and ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.suggesting.likeness import Likeness, Person, likenesses

NAMES = (
    "Mara Voss", "Mara", "Miss Voss", "Mrs. Voss", "Mr. Voss", "Lizzie Hale", "Elizabeth Hale", "Hale", "Captain Hale",
    "the old soldier", "the soldier", "the Station-Master", "the Stationmaster", "Tom", "Anna Berg", "Anna Petrova", "Anna",
)  # fmt: skip


def person(
    name: str, *aliases: str, since: int = 1, company: tuple[str, ...] = (), says: tuple[str, ...] = ()
) -> Person:
    return Person(
        f"person/{name.lower()}", name, (name, *aliases), since, frozenset(f"person/{c}" for c in company), says
    )


def pairs(*people: Person) -> dict[tuple[str, str], Likeness]:
    return {(like.a.name, like.b.name): like for like in likenesses(people)}


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Mara Voss", "Mara", "given name"),
        ("Mara Voss", "Miss Voss", "surname"),
        ("Captain Hale", "Hale", "surname"),
        ("Elizabeth Hale", "Lizzie", "nickname"),
        ("the old soldier", "the soldier", "epithet"),
        ("the Station-Master", "the Stationmaster", "spelling"),
    ],
)
def test_two_that_may_be_one_are_suggested_with_the_reason(one: str, other: str, kind: str) -> None:
    found = pairs(person(one), person(other))
    assert [reason.kind for like in found.values() for reason in like.reasons] == [kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mr. Voss", "Mrs. Voss"),
        ("Miss Voss", "Mrs. Voss"),
        ("Anna Berg", "Anna Petrova"),
        ("Tomas Voss", "Mara Voss"),
        ("Marta", "Mara"),
        ("the old soldier", "the young soldier"),
        ("Hale", "the hale"),
    ],
)
def test_two_whose_names_contradict_each_other_or_are_only_alike_are_not(one: str, other: str) -> None:
    assert not pairs(person(one), person(other))


def test_two_who_speak_with_each_other_are_two() -> None:
    assert not pairs(person("Mara Voss", company=("mara",)), person("Mara", company=("mara voss",)))


def test_two_that_were_told_apart_are_not_suggested() -> None:
    people = [person("Mara Voss"), person("Mara")]
    assert not likenesses(people, {frozenset(p.id for p in people)})


def test_a_name_that_several_bear_says_less() -> None:
    rare = pairs(person("Anna Berg"), person("Anna"))["Anna Berg", "Anna"]
    shared = pairs(person("Anna Berg"), person("Anna Petrova"), person("Anna"))
    assert set(shared) == {("Anna Berg", "Anna"), ("Anna Petrova", "Anna")}
    assert all(like.score < rare.score for like in shared.values())


def test_descriptions_of_the_same_words_add_to_a_reason_and_are_none() -> None:
    scar = ("a sailor with a long scar",)
    alone = pairs(person("Mara Voss"), person("Mara"))["Mara Voss", "Mara"]
    both = pairs(person("Mara Voss", says=scar), person("Mara", says=scar))["Mara Voss", "Mara"]
    assert both.score > alone.score
    assert not pairs(person("Odran", says=scar), person("Tomas", says=scar))


@given(st.lists(st.sampled_from(NAMES), unique=True, max_size=8), st.randoms())
def test_the_order_of_people_changes_nothing_and_every_pair_has_a_reason(names: list[str], random: object) -> None:
    people = [person(name) for name in names]
    found = likenesses(people)
    shuffled = list(people)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert likenesses(shuffled) == found
    assert all(like.reasons and 0 < like.score <= 1 and like.a is not like.b for like in found)
