"""The measures on texts of our own, small enough to count by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from services.cli.main import cli
from services.evaluation.extraction import attending, excerpts, naming, speaking
from services.evaluation.extraction.clustering import conll
from services.evaluation.extraction.corpora import (
    Attendance,
    Chapter,
    Character,
    NoLabelledTexts,
    Novel,
    Quotation,
    attendances,
    folder,
    missing,
    novels,
)
from services.evaluation.extraction.intervals import Tally
from services.evaluation.extraction.memory import Attribution, Memory, comparable
from services.evaluation.extraction.suite import measure
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.reading import Reading, Reference

TEXT = (
    "Mara Voss shut the door and looked at Captain Hale. Mrs. Hale slept.\n\n“You are late, Captain Hale,” said Mara.\n\n"
    "“The ferry was late,” Hale replied.\n\nMara took the key from Hale. She left the house."
)
MARA = Character(0, "Mara Voss", ("Mara", "Mara Voss"))
HALE = Character(1, "Captain Hale", ("Captain Hale", "Hale"))
WIFE = Character(2, "Mrs. Hale", ("Mrs. Hale",))


def novel(*quotations: Quotation, text: str = TEXT, start: int = 0) -> Novel:
    return Novel("tale", (Chapter(1, text, start),), (MARA, HALE, WIFE), quotations)


def said(speaker: int, words: str, kind: str = "explicit", start: int = 0) -> Quotation:
    place = TEXT.index(words)
    return Quotation(1, start + place, start + place + len(words), speaker, kind)


def test_names_are_compared_without_case_points_accents_and_article() -> None:
    assert comparable("The Abbé  St. Clair") == comparable("abbe st clair")


def test_only_characters_quoted_often_have_to_be_found() -> None:
    tale = novel(*[said(0, "You are late")] * 10, *[said(1, "The ferry")] * 9)
    assert naming.found_often(tale, naming.compared({"e": ["Somebody"]})) == [False]
    assert naming.found_often(tale, naming.compared({"e": ["Mara"]})) == [True]


def test_names_of_one_character_that_are_names_of_one_entity_are_right() -> None:
    carried = naming.compared({"a": ["Mara", "Mara Voss"], "b": ["Captain Hale", "Hale"]})
    tallies = naming.alias_tallies(naming.carried(novel(), carried))
    assert [(t.right, t.wrong, t.missed) for t in tallies] == [(1, 0, 0), (1, 0, 0)]


def test_names_of_one_character_on_two_entities_are_missed_and_of_two_on_one_are_wrong() -> None:
    carried = naming.compared({"a": ["Mara", "Mrs. Hale"], "b": ["Mara Voss"]})
    tallies = naming.alias_tallies(naming.carried(novel(), carried))
    assert sum(t.missed for t in tallies) == 2
    assert sum(t.wrong for t in tallies) == 1


def test_a_name_that_the_text_never_has_is_not_asked_for() -> None:
    assert naming.alias_tallies(naming.carried(novel(text="Mara left."), {})) == []


def test_an_entity_with_names_of_two_foremost_characters_has_merged_both() -> None:
    tale = novel(said(0, "You are late"), said(1, "The ferry"), said(2, "The ferry"))
    assert naming.merged_foremost(tale, naming.compared({"a": ["Mara", "Hale"], "b": ["Mrs. Hale"]})) == [
        True,
        True,
        False,
    ]


def test_speech_given_to_an_entity_that_stands_for_the_speaker_is_right() -> None:
    tale = novel(said(0, "You are late", start=500), said(1, "The ferry", "anaphoric", start=500), start=500)
    place = TEXT.index("You")
    given = [Attribution(1, place - 1, place + 27, "m"), Attribution(1, 0, 3, "h")]
    first, second = speaking.attributed(tale, given, {"m": 0, "h": 1})
    assert (first.right, first.given, first.kind) == (True, True, "explicit")
    assert (second.right, second.given) == (False, False)


def test_a_merged_entity_stands_for_one_character_only() -> None:
    tale = novel(said(0, "You are late"))
    assert naming.aligned(tale, naming.compared({"e": ["Mara", "Mara Voss", "Hale"]})) == {"e": 0}


def test_a_main_name_goes_before_an_alias_of_somebody_who_speaks_more() -> None:
    tale = novel(said(1, "The ferry"))
    assert naming.aligned(tale, naming.compared({"e": ["Mrs. Hale", "Hale"]})) == {"e": 2}


def test_the_memory_of_a_story_joins_what_its_chapters_have_in_common() -> None:
    texts = {1: "Mara Voss came.", 2: "Mara slept."}
    records: dict[int, list[dict[str, Any]]] = {
        1: [entity("e1", "Mara Voss", ["Mara"], "Mara Voss")],
        2: [entity("e1", "Mara", [], "Mara"), interaction("i1", "Mara", "Mara slept.")],
    }
    memory = Memory(records, texts)
    assert [sorted(called) for called in memory.names.values()] == [["Mara", "Mara Voss"]]
    assert memory.introduced() == set(memory.names)
    assert [a.speaker for a in memory.attributions()] == list(memory.names)


def entity(local: str, name: str, aliases: list[str], quote: str) -> dict[str, Any]:
    record = {"id": local, "kind": "entity", "type": "character", "name": name, "evidence": [{"quote": quote}]}
    return {**record, "aliases": aliases} if aliases else record


def interaction(local: str, source: str, quote: str) -> dict[str, Any]:
    evidence = [{"quote": quote}]
    return {
        "id": local,
        "kind": "interaction",
        "source": source,
        "target": source,
        "type": "tells",
        "evidence": evidence,
    }


@pytest.mark.parametrize(
    ("description", "names"),
    [
        ("Mr. Barkis, a carrier", ["mr barkis"]),
        ("Emily Stone (Little Em), niece of DP", ["emily stone", "little em"]),
        ("William 2, coachman", ["william"]),
    ],
)
def test_a_description_begins_with_names(description: str, names: list[str]) -> None:
    assert attending.names_of(description) == names


def test_a_surname_stands_for_whom_it_meets_in_most_chapters() -> None:
    chapters = tuple(Chapter(n, "") for n in (1, 2))
    described = {"MV": "Mara Voss, a pilot", "TV": "Tomas Voss, her father"}
    attendance = Attendance("tale", chapters, described, {1: frozenset({"TV"}), 2: frozenset({"TV", "MV"})})
    present = {1: frozenset({"voss", "nobody"}), 2: frozenset({"voss"})}
    tallies = attending.tallies(attendance, {"voss": ["Voss"], "nobody": ["Somebody"]}, present)
    assert [(t.right, t.wrong, t.missed) for t in tallies] == [(1, 0, 0), (1, 0, 1)]


def test_whoever_is_called_mister_elsewhere_is_not_the_lady_of_his_surname() -> None:
    chapters = (Chapter(1, ""), Chapter(2, ""))
    described = {"TV": "Tomas Voss, ferryman", "MV": "Mrs. Voss, his mother"}
    attendance = Attendance("tale", chapters, described, {1: frozenset({"TV", "MV"}), 2: frozenset({"TV"})})
    names = {"e": ["Voss", "Mr. Voss"]}
    present = {1: frozenset({"e"}), 2: frozenset({"e"})}
    found = attending.tallies(attendance, names, present)
    assert [(t.right, t.wrong, t.missed) for t in found] == [(1, 0, 1), (1, 0, 0)]


def test_a_man_does_not_stand_for_a_woman_of_his_name() -> None:
    attendance = Attendance("t", (Chapter(1, ""),), {"A": "Mrs. Hale, a wife"}, {1: frozenset({"A"})})
    tallies = attending.tallies(attendance, {"m": ["Mr. Hale"]}, {1: frozenset({"m"})})
    assert [(t.right, t.missed) for t in tallies] == [(0, 1)]


def test_two_who_are_only_both_old_are_not_one() -> None:
    attendance = Attendance("t", (Chapter(1, ""),), {"A": "Old Doctor, a guest"}, {1: frozenset({"A"})})
    found = [
        attending.tallies(attendance, {"m": [name]}, {1: frozenset({"m"})}) for name in ("the old man", "the doctor")
    ]
    assert [(t.right, t.missed) for tallies in found for t in tallies] == [(0, 1), (1, 0)]


LINE: dict[str, Any] = {
    "sentences": [["Mr.", "Hale", "left", "."], ['"', "He", "is", "a", "fool", ",", '"', "said", "Mara", "."]],
    "entities": [
        {"sent": 0, "start": 0, "end": 1, "label": "PER"},
        {"sent": 0, "start": 0, "end": 0, "label": "PER"},
        {"sent": 1, "start": 3, "end": 4, "label": "PER"},
        {"sent": 1, "start": 8, "end": 8, "label": "PER"},
    ],
    "events": [{"sent": 0, "start": 2, "end": 2}, {"sent": 1, "start": 7, "end": 7}],
    "mentions": [
        {"start_sent": 0, "start": 0, "end_sent": 0, "end": 1, "entity": "Hale"},
        {"start_sent": 1, "start": 1, "end_sent": 1, "end": 1, "entity": "Hale"},
        {"start_sent": 1, "start": 3, "end_sent": 1, "end": 4, "entity": None},
        {"start_sent": 1, "start": 8, "end_sent": 1, "end": 8, "entity": "Mara"},
    ],
}
EXCERPT_TEXT = 'Mr. Hale left.\n\n"He is a fool," said Mara.'


def span(words: str) -> Span:
    return Span(EXCERPT_TEXT.index(words), EXCERPT_TEXT.index(words) + len(words))


def test_an_excerpt_is_set_as_prose_with_speech_in_a_paragraph_of_its_own() -> None:
    assert excerpts.excerpt(LINE).text == EXCERPT_TEXT


def test_every_token_of_an_excerpt_has_its_place() -> None:
    gold = excerpts.excerpt(LINE)
    assert [gold.place(*span(w)) for w in ("Mr. Hale", "a fool", "Mara")] == [(0, 1), (7, 8), (12, 12)]


def test_a_reading_without_fault_gets_full_marks() -> None:
    gold = excerpts.excerpt(LINE)
    reading = Reading(
        (
            Reference(span("Mr. Hale"), "PER", "name", 0),
            Reference(span("He"), "PER", "pronoun", 0),
            Reference(span("a fool"), "PER", "description", 1),
            Reference(span("Mara"), "PER", "name", 2),
        ),
        (span("left"), span("said")),
    )
    assert excerpts.entities(gold, reading) == Tally(4, 0, 0)
    assert excerpts.triggers(gold, reading) == Tally(2, 0, 0)
    assert conll([excerpts.coreference(gold, reading)]) == pytest.approx(1.0)


def test_a_span_with_the_wrong_label_or_end_is_wrong_and_missed() -> None:
    gold = excerpts.excerpt(LINE)
    reading = Reading((Reference(span("Mara"), "GPE", "name", 2), Reference(span("fool"), "PER", "description", 1)))
    assert excerpts.entities(gold, reading) == Tally(0, 2, 4)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder laid out like the labelled texts, of one tale each."""
    place = tmp_path_factory.mktemp("data")
    tale = place / "pdnc" / "Tale"
    tale.mkdir(parents=True)
    (tale / "chapter-001.txt").write_text(TEXT, "utf-8")
    write_json(tale / "meta.json", {"chapters": [{"n": 1, "file": "chapter-001.txt", "start": 7}]})
    people = [{"id": c.id, "name": c.name, "aliases": c.aliases} for c in (MARA, HALE, WIFE)]
    write_lines(tale / "characters.jsonl", [*people, {"id": 9, "name": "_group", "aliases": ["_group"]}])
    spoken = [(said(0, "You are late", start=7), "Explicit"), (said(1, "The ferry was late", start=7), "Explicit")]
    lines = [{"chapter": 1, "spans": [[q.start, q.end]], "speaker_id": q.speaker, "type": kind} for q, kind in spoken]
    write_lines(tale / "quotations.jsonl", lines)
    (place / "litbank").mkdir()
    write_lines(place / "litbank" / "litbank.jsonl", [LINE])
    (place / "novels" / "tale").mkdir(parents=True)
    (place / "novels" / "tale" / "chapter-001.txt").write_text(TEXT, "utf-8")
    (place / "chapter_characters" / "tale").mkdir(parents=True)
    described = {"MV": {"description": "Mara Voss, a pilot"}, "CH": {"description": "Captain Hale, her friend"}}
    there = {"novel_slug": "tale", "characters": described, "chapters": [{"n": 1, "characters": ["MV", "CH"]}]}
    write_json(place / "chapter_characters" / "tale" / "chapter_characters.json", there)
    return place


def write_json(place: Path, value: object) -> None:
    place.write_text(json.dumps(value), "utf-8")


def write_lines(place: Path, values: list[dict[str, Any]]) -> None:
    place.write_text("\n".join(json.dumps(value) for value in values), "utf-8")


def test_a_novel_is_read_with_its_characters_and_quotations(data: Path) -> None:
    (tale,) = novels(data)
    assert [c.name for c in tale.characters] == ["Mara Voss", "Captain Hale", "Mrs. Hale"]
    assert [tale.chapters[0].text[q.start - 7 : q.end - 7] for q in tale.quotations] == [
        "You are late",
        "The ferry was late",
    ]


def test_a_list_without_its_novel_is_left_out(data: Path, tmp_path: Path) -> None:
    assert [a.slug for a in attendances(data)] == ["tale"]
    assert attendances(tmp_path) == []


def test_a_folder_without_any_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoLabelledTexts, match="pdnc, litbank, chapter_characters"):
        folder(tmp_path)


def test_a_missing_part_is_left_out_and_said(data: Path, tmp_path: Path) -> None:
    (tmp_path / "litbank").mkdir()
    write_lines(tmp_path / "litbank" / "litbank.jsonl", [LINE])
    assert missing(tmp_path) == ["pdnc", "chapter_characters"]
    names = {m.name for m in measure(tmp_path).measures}
    assert names == {"litbank.entities_f1", "litbank.coref_conll", "litbank.events_f1"}


def test_the_command_measures_all_that_is_promised(data: Path) -> None:
    result = CliRunner().invoke(cli, ["eval", "extraction", "--data", str(data), "--json"])
    measures = {m["name"]: m for m in json.loads(result.stdout)["measures"]}
    assert set(measures) == {
        # nobody is quoted ten times in so short a tale: pdnc.recall10 has nothing to count
        *("pdnc.alias_f1", "pdnc.alias_f1_alone", "pdnc.alias_f1_listed", "pdnc.alias_f1_carried"),
        *("pdnc.merged10", "pdnc.merged10_carried", "pdnc.speaker_explicit", "pdnc.speaker"),
        *("litbank.entities_f1", "litbank.coref_conll", "litbank.events_f1", "presence.f1"),
        *("words_per_s", "spacy_words_per_s", "peak_mb"),
    }
    assert all(set(m) == {"name", "value", "low", "high", "n"} for m in measures.values())
    assert measures["pdnc.speaker_explicit"]["value"] == 1.0
    assert measures["presence.f1"]["value"] == 1.0
    # the extractor parses, too, and both are counted over the same words
    assert measures["words_per_s"]["n"] == measures["spacy_words_per_s"]["n"]
    assert measures["peak_mb"]["value"] > 50


def test_without_a_folder_the_command_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FABULA_DATA", raising=False)
    result = CliRunner().invoke(cli, ["eval", "extraction"])
    assert result.exit_code == 1
    assert "--data" in result.stderr
    assert "FABULA_DATA" in result.stderr


def test_whoever_is_listed_twice_is_not_found_under_the_half_that_never_speaks() -> None:
    tale = Novel("tale", (), (Character(0, "Josias Voss", ("Mr. Voss",)), Character(1, "Voss", ())), (said(0, "late"),))
    assert naming.aligned(tale, naming.compared({"e": ["Mr. Voss", "Voss"]})) == {"e": 0}


def test_a_woman_who_is_called_miss_and_then_mrs_stands_for_either() -> None:
    attendance = Attendance("t", (Chapter(1, ""),), {"A": "Miss Ida Hale, a sister"}, {1: frozenset({"A"})})
    found = [
        attending.tallies(attendance, {"m": called}, {1: frozenset({"m"})})
        for called in (["Mrs. Orlov", "Miss Hale"], ["Mrs. Hale"], ["Mr. Hale", "Miss Hale"])
    ]
    assert [(t.right, t.missed) for tallies in found for t in tallies] == [(1, 0), (0, 1), (0, 1)]
