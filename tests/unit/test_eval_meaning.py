"""What a listed name is taken to mean where it stands, and which characters are merged by it, on a tale of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from services.evaluation.extraction import meaning, naming
from services.evaluation.extraction.corpora import Chapter, Character, Mark, Novel, Quotation
from services.evaluation.extraction.memory import Memory, folded
from services.extraction.offline import OfflineExtractor
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.reading import Reading, Reference

TEXT = (
    "Mr. Hale nodded to the light porter. “My dear Miss Mara, go,” said Hale. Mrs. Lynde saw Mr. Hale. "
    "“Tom Hale is late,” said Mrs. Lynde. The light porter, Odran, left."
)
HALE = Character(0, "Mr. Hale", ("Mr. Hale", "Hale", "Tom Hale"))
LYNDE = Character(1, "Mrs. Lynde", ("Mrs. Lynde", "Lynde"))
ODRAN = Character(2, "Odran", ("Odran", "The Light Porter"))
MARA = Character(3, "Mara", ("My Dear Miss Mara", "Mara"))
SON = Character(4, "Young Tom", ("Young Tom",))
OWN = naming.own_names((HALE, LYNDE, ODRAN, MARA, SON))


def tale(*marks: tuple[str, str], start: int = 0, text: str = TEXT) -> Novel:
    """The tale with words marked as somebody's."""
    marked = [
        Mark(1, start + text.index(words), start + text.index(words) + len(words), (who,)) for words, who in marks
    ]
    return Novel("tale", (Chapter(1, text, start),), (HALE, LYNDE, ODRAN, MARA, SON), (), tuple(marked))


def reading(*references: tuple[str, int, str], text: str = TEXT) -> dict[int, Reading]:
    """References at every place where the words stand: the words, their chain, the figure they mean."""
    found = [
        Reference(Span(at, at + len(words)), "PER", "name", chain, figure)
        for words, chain, figure in references
        for at in range(len(text))
        if text.startswith(words, at)
    ]
    return {1: Reading(tuple(found))}


def taken(
    novel: Novel, read: Mapping[int, Reading], names: Mapping[str, list[str]] | None = None
) -> dict[str, frozenset[str]]:
    ask = meaning.understood(read, lambda _, figure: figure)
    found = meaning.taken_for(meaning.places(novel, OWN), ask, naming.compared(names or {}))
    return {name: entities for (_, name), entities in found.items()}


def test_a_name_means_whom_its_head_is_taken_for_where_it_stands() -> None:
    found = taken(tale(), reading(("Miss Mara", 1, "m"), ("light porter", 2, "o"), ("Odran", 2, "o")))
    assert found["my dear miss mara"] == found["mara"] == {"m"}
    assert found["light porter"] == found["odran"] == {"o"}


def test_the_head_of_a_name_stands_before_its_place() -> None:
    anne = Character(0, "Anne of Green Mill", ())
    novel = Novel("tale", (Chapter(1, "So Anne of Green Mill left."),), (anne,), ())
    ask = meaning.understood(reading(("Anne", 1, "a"), ("Green Mill", 2, "place"), text="So Anne of"), lambda _, f: f)
    found = meaning.taken_for(meaning.places(novel, naming.own_names((anne,))), ask, {})
    assert list(found.values()) == [{"a"}]


def test_a_surname_is_read_inside_the_longer_name_of_its_bearer_only() -> None:
    found = meaning.places(tale(), OWN)
    assert [TEXT[p.start : p.end] for p in found[1, "lynde"]] == ["Lynde", "Lynde"]
    assert len(found[0, "hale"]) == 4
    assert (1, "lynde") not in meaning.alone(found)
    assert len(meaning.alone(found)[0, "hale"]) == 1


def test_most_places_decide_and_a_description_without_an_entity_is_nobody_else() -> None:
    porter = reading(("the light porter", 7, ""), ("The light porter", 8, ""), ("Odran", 8, ""))
    found = taken(tale(), porter)
    assert found["light porter"] == {"1/7"}
    assert found["odran"] == {"1/8"}


def test_a_name_that_is_nowhere_read_is_that_of_the_entities_that_carry_it() -> None:
    assert taken(tale(), {}, {"e": ["Odran"], "f": ["Mara"]})["odran"] == {"e"}


def test_a_place_that_people_marked_as_somebody_else_is_not_the_names() -> None:
    found = meaning.places(tale(("Tom Hale", "Young Tom"), start=40), OWN)
    assert (0, "tom hale") not in found
    assert len(found[0, "hale"]) == 3


def test_a_place_that_people_marked_as_the_bearer_by_another_name_of_his_stays() -> None:
    assert (0, "tom hale") in meaning.places(tale(("Tom Hale", "Hale")), OWN)


TWICE = "“Tom Hale is late.” “Tom Hale left.” “Mr. Hale slept.”"


def marked(*written: str) -> Novel:
    """A tale of three names of Mr. Hale, with the name that people wrote for each."""
    spots = (TWICE.index("Tom"), TWICE.rindex("Tom"), TWICE.index("Mr."))
    marks = tuple(Mark(1, at, at + 8, (who,)) for at, who in zip(spots, written, strict=True))
    return Novel("tale", (Chapter(1, TWICE),), (HALE, LYNDE, ODRAN, MARA, SON), (), marks)


def test_whom_people_never_wrote_the_main_name_for_is_not_the_one_of_the_list() -> None:
    found = meaning.places(marked("Tom Hale", "Tom Hale", "Mr. Hale"), OWN)
    assert (0, "tom hale") not in found
    assert (0, "mr hale") in found


def test_two_names_that_people_wrote_for_the_same_words_are_one_characters() -> None:
    assert (0, "tom hale") in meaning.places(marked("Tom Hale", "Mr. Hale", "Mr. Hale"), OWN)


def test_a_name_that_was_written_once_may_be_a_slip() -> None:
    assert (0, "tom hale") in meaning.places(marked("Mr. Hale", "Mr. Hale", "Hale"), OWN)


def test_a_mark_around_a_name_says_nothing_of_the_name() -> None:
    text = "“Tom Hale’s porter left.”"
    assert (0, "tom hale") in meaning.places(tale(("Tom Hale’s porter", "Odran"), text=text), OWN)


def test_a_longer_name_that_people_marked_as_somebody_else_takes_its_place_and_leaves_the_name() -> None:
    text = "“Miss Hale is late,” said Hale."
    found = meaning.places(tale(("Miss Hale", "Mara"), text=text), OWN)
    assert [p.start for p in found[0, "hale"]] == [text.rindex("Hale")]


def test_names_are_looked_for_without_accents_points_and_line_ends() -> None:
    text = "Mr. Hâle. Mr.\nHale’s"
    folds, offsets = folded(text)
    assert len(folds) == len(offsets)
    found = meaning.places(tale(text=text), OWN)
    assert [text[p.start : p.end] for p in found[0, "mr hale"]] == ["Mr. Hâle", "Mr.\nHale"]


def test_an_entity_that_is_taken_for_two_in_a_tenth_of_their_places_has_merged_them() -> None:
    novel = Novel("tale", (), (HALE, SON), tuple(Quotation(1, 0, 1, c, "explicit") for c in (0, 4)))
    apart = {0: {"h": 0.95, "s": 0.05}, 4: {"s": 1.0}}
    assert naming.merged_in_the_text(novel, apart) == [False, False]
    assert naming.merged_in_the_text(novel, {**apart, 4: {"s": 0.9, "h": 0.1}}) == [True, True]


PLANTED = (
    "Captain Hale shut the door. Ida Orme sat down. “You are late,” said Captain Hale. “I am not,” said Ida Orme.\n\n"
    "Captain Hale laughed, and Ida Orme laughed with him. “Then eat,” said Captain Hale."
)


def merged(alias: str) -> list[bool]:
    """Whether two who talk are one, by the whole way from text to measure, with an entity that is given `alias`."""
    study = OfflineExtractor().study(PLANTED)
    assert study is not None
    records = study.records()
    if alias:
        records = [_joined(record) for record in records if record.get("name") != alias]
    people = (Character(0, "Captain Hale", ()), Character(1, "Ida Orme", ()))
    said = (Quotation(1, 51, 64, 0, "explicit"), Quotation(1, 86, 97, 1, "explicit"))
    novel = Novel("tale", (Chapter(1, PLANTED),), people, said)
    memory = Memory({1: records}, {1: PLANTED})
    ask = meaning.understood({1: study.reading()}, memory.meant)
    found = meaning.places(novel, naming.own_names(people))
    return naming.merged_in_the_text(novel, meaning.shares(found, ask))


def _joined(record: dict[str, Any]) -> dict[str, Any]:
    aliases = [*record.get("aliases", []), "Ida Orme"]
    return {**record, "aliases": aliases} if record.get("name") == "Captain Hale" else record


def test_a_merge_that_is_planted_is_caught_and_without_it_there_is_none() -> None:
    assert merged("") == [False, False]
    assert merged("Ida Orme") == [True, True]


def test_pairs_that_are_apart_are_told_with_whom_their_names_are_taken_for() -> None:
    entities = {(0, "hale"): frozenset({"h"}), (0, "tom hale"): frozenset({"s"}), (4, "young tom"): frozenset({"s"})}
    (pair,) = naming.apart(tale(), entities)
    assert pair.to_json() == {
        "novel": "tale",
        "character": "Mr. Hale",
        "names": ("hale", "tom hale"),
        "taken_for": (("h",), ("s",)),
    }
    assert [(t.right, t.wrong, t.missed) for t in naming.alias_tallies(entities)] == [(0, 1, 1)]
