"""Which names are one figure: the cast of the offline extractor, without a parser."""

from __future__ import annotations

from collections import Counter

import pytest

from services.extraction.offline import OfflineExtractor
from services.extraction.offline.cast import cast
from services.extraction.offline.figures import Figure
from services.extraction.offline.names import KnownEntity, by_spelling, names
from services.extraction.offline.observations import Description, Surface, Votes


def figures(*people: str, known: tuple[KnownEntity, ...] = (), places: tuple[str, ...] = ()) -> dict[str, Figure]:
    """The cast of a chapter that uses these names, each several times inside sentences."""
    runs: dict[Surface, Votes] = {tuple(name.split()): Votes(inner=4, person=6.0) for name in people}
    runs |= {tuple(name.split()): Votes(inner=4, place=6.0) for name in places}
    found = cast(names(runs, Counter(), by_spelling(known)), {}, known)
    return {figure.name: figure for figure in found}


def groups(*people: str, known: tuple[KnownEntity, ...] = ()) -> set[frozenset[str]]:
    return {frozenset(name.text for name in figure.names) for figure in figures(*people, known=known).values()}


@pytest.mark.parametrize(
    "together",
    [
        ("Elizabeth Bennet", "Elizabeth"),
        ("Mr. Darcy", "Darcy"),
        ("Dr. Seward", "Doctor Seward"),
        ("Abraham Van Helsing", "Van Helsing", "Dr. Van Helsing"),
        ("Lady Catherine de Bourgh", "Lady Catherine"),
        ("Sir William Lucas", "Sir William"),
        ("Quincey P. Morris", "Quincey Morris", "Quincey"),
        ("Mr. John Thornton", "Mr. Thornton", "John Thornton"),
        ("Anna-Lise Berg", "Anna-Lise"),
        ("Mary Hale", "Miss Hale"),
        ("Mrs. Aldous Reed", "Mrs. Reed"),
        ("Lizzie Hale", "Elizabeth Hale"),
        ("Cheshire Cat", "Cat"),
    ],
)
def test_names_that_can_mean_one_person_only_are_one(together: tuple[str, ...]) -> None:
    assert groups(*together) == {frozenset(together)}


def test_a_title_tells_which_of_two_namesakes_is_meant() -> None:
    found = groups("Dr. John Seward", "Jack Seward", "Dr. Seward")
    assert found == {frozenset({"Dr. John Seward", "Dr. Seward"}), frozenset({"Jack Seward"})}


@pytest.mark.parametrize(
    "apart",
    [
        ("Mr. Bennet", "Mrs. Bennet", "Miss Bennet"),
        ("Mrs. Hale", "Hale"),
        ("Mr. Bennet", "Elizabeth Bennet"),
        ("Anna Petrova", "Anna Berg"),
        ("Mary Hale", "Mrs. Hale"),
        ("Mary Hale", "Anne Hale", "Miss Hale"),
        ("Tom Hale", "Thomas Hale"),
        ("Tom Hale", "Mr. Hale"),
        ("Mrs. Aldous Reed", "Aldous Reed", "Aldous"),
        ("Lady Catherine de Bourgh", "Miss de Bourgh"),
        ("John Smith", "Mary Smith", "Smith"),
        ("Tom Fry", "Tom Lake", "Tom"),
    ],
)
def test_names_that_may_mean_several_people_stay_apart(apart: tuple[str, ...]) -> None:
    allowed = ({"John Smith", "Smith"}, {"Aldous Reed", "Aldous"})
    assert all(len(group) == 1 or group in allowed for group in groups(*apart))


def test_a_bare_surname_with_the_pronouns_of_a_woman_is_not_the_mans() -> None:
    runs: dict[Surface, Votes] = {
        ("Mr.", "Hale"): Votes(inner=4, person=9.0),
        ("Hale",): Votes(inner=9, person=9.0, female=5),
    }
    assert len(cast(names(runs, Counter(), {}), {}, ())) == 2


def test_a_full_name_has_the_sex_of_its_given_name_used_alone() -> None:
    runs: dict[Surface, Votes] = {
        ("Verity",): Votes(inner=4, told=4, person=6.0, female=4),
        ("Verity", "Orme"): Votes(inner=3, told=3, person=4.0, female=1),
        ("Mr.", "Orme"): Votes(inner=1, told=1, person=3.0),
        ("Orme",): Votes(inner=4, told=4, person=4.0, male=1),
    }
    found = {figure.name: figure.gender for figure in cast(names(runs, Counter(), {}), {}, ())}
    assert found == {"Verity Orme": "female", "Mr. Orme": "male"}


def test_a_miss_in_full_goes_by_her_full_name_beside_others_of_the_family() -> None:
    found = figures("Miss Ida Voss", "Colonel Voss")
    assert "Ida Voss" in found["Miss Ida Voss"].aliases


def test_a_younger_sister_is_not_the_miss_of_the_family() -> None:
    found = groups("Mary Hale", "Miss Mary", "Miss Hale")
    assert found == {frozenset({"Mary Hale", "Miss Mary"}), frozenset({"Miss Hale"})}


@pytest.mark.parametrize(
    "text",
    [
        "Mrs. Hale and Mary went home. Mary Hale sang.",
        "“Mary Hale!” cried Mrs. Hale. “Mary!”",
        "Mary Hale laughed as Mrs. Hale came in.",
    ],
)
def test_names_that_the_text_tells_apart_are_two_people(text: str) -> None:
    found = OfflineExtractor().extract(text * 4, chapter=1)
    names = {r["name"]: r.get("aliases", []) for r in found if r["kind"] == "entity"}
    assert "Mrs. Hale" not in [alias for aliases in names.values() for alias in aliases]


def test_a_bare_surname_is_the_one_man_who_bears_it() -> None:
    assert groups("Mr. Darcy", "Miss Darcy", "Darcy") == {frozenset({"Mr. Darcy", "Darcy"}), frozenset({"Miss Darcy"})}


def test_a_name_that_several_bear_names_its_candidates() -> None:
    assert figures("Tom Fry", "Tom Lake", "Tom")["Tom"].ambiguous == ("Tom Fry", "Tom Lake")


def test_a_figure_is_called_as_it_is_known() -> None:
    known = (KnownEntity("Fitzwilliam Darcy", "character", ("Mr. Darcy",)),)
    assert set(figures("Mr. Darcy", "Darcy", known=known)) == {"Fitzwilliam Darcy"}


def test_known_people_of_one_given_name_leave_it_open() -> None:
    known = (KnownEntity("Anna Petrova", "character", ("Anna",)), KnownEntity("Anna Berg"))
    assert figures("Anna", known=known)["Anna"].ambiguous == ("Anna Berg", "Anna Petrova")


def test_the_order_in_which_entities_became_known_changes_nothing() -> None:
    known = (KnownEntity("Anna Petrova", "character", ("Anna",)), KnownEntity("Tom Lake"), KnownEntity("Mr. Darcy"))
    people = ("Anna", "Tom", "Darcy", "Mr. Darcy")
    assert figures(*people, known=known) == figures(*people, known=known[::-1])


def test_a_shorter_name_of_a_place_joins_the_longer() -> None:
    assert figures(places=("Netherfield Park", "Netherfield"))["Netherfield Park"].aliases == ["Netherfield"]


def test_a_word_that_the_chapter_also_writes_small_is_no_name() -> None:
    runs: dict[Surface, Votes] = {("Will",): Votes(inner=1, person=1.5)}
    assert names(runs, Counter(will=9), {}) == []


def test_the_word_that_begins_a_sentence_is_no_part_of_the_name() -> None:
    runs: dict[Surface, Votes] = {("When", "Mara"): Votes(initial=2, person=3.0)}
    assert [name.text for name in names(runs, Counter(when=3), {})] == ["Mara"]


def test_a_name_in_the_plural_is_a_family() -> None:
    runs: dict[Surface, Votes] = {
        ("Mr.", "Lucas"): Votes(inner=3, person=9.0),
        ("Lucases",): Votes(inner=2, person=2.0),
    }
    found = cast(names(runs, Counter(), {}), {}, ())
    assert {figure.name: figure.type for figure in found} == {"Mr. Lucas": "character", "Lucases": "group"}


@pytest.mark.parametrize(("subjects", "speeches", "found"), [(3, 0, True), (2, 1, True), (2, 0, False), (1, 1, False)])
def test_a_described_person_counts_who_acts_or_speaks_often_enough(subjects: int, speeches: int, found: bool) -> None:
    description = Description(subjects=subjects, speeches=speeches, of_a_person=True)
    assert bool(cast([], {"the old king": description}, ())) is found


def test_nobody_in_particular_needs_to_act_more_often() -> None:
    assert cast([], {"the man": Description(subjects=4, speeches=0, of_a_person=True)}, ()) == []


@pytest.mark.parametrize(("used", "found"), [(3, True), (2, False)])
def test_whoever_holds_an_office_needs_to_act_but_once_where_he_is_told_of_again_and_again(
    used: int, found: bool
) -> None:
    descriptions = {"the king": Description(subjects=1, of_a_person=True)}
    assert bool(cast([], descriptions, (), uses={"the king": used})) is found
