"""The benchmarks on tiny stories: every measure is taken and makes sense. How fast it was is not asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.evaluation.bench import child, suite
from services.evaluation.bench.measures import Measure, at_least, at_most, percentile, skipped
from services.evaluation.bench.serial import Serial, prose
from services.evaluation.bench.sizes import Sizes

TINY = Sizes(
    appended_chapters=4,
    followed_chapters=4,
    library_events=50,
    rebuilt_chapters=4,
    rebuilt_events=500,
    waited_chapters=2,
    live_entries=100,
    state_reads=5,
    packet_chapters=4,
    packet_words=300,
    packet_questions=2,
    curve_chapters=12,
    edited_chapters=6,
    long_characters=4_000,
    embedders=("hash",),
)


@pytest.fixture(scope="module")
def measures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measure]:
    novel = tmp_path_factory.mktemp("novel")
    for number in (1, 2):
        (novel / f"chapter-{number:03}.txt").write_text(prose(3_000, number))
    return {measure.name: measure for measure in suite.ledger(TINY, novel=novel)}


def named(measures: dict[str, Measure], part: str) -> list[Measure]:
    return [measure for name, measure in measures.items() if part in name]


@pytest.mark.parametrize(
    ("part", "how_many"),
    [
        ("append beside", 1),
        ("deciding", 1),
        ("registering", 1),
        ("following the log", 3),
        ("rebuilding", 2),
        ("from publishing to the state", 1),
        ("the state as of a chapter", 1),
        ("a packet by", 4),
        ("beside chapter 10", 1),
        ("publishing chapter 1 of", 2),
        ("foreseeing an edit of chapter 1 of", 3),
        ("a chapter of", 4),
        ("importing", 1),
    ],
)
def test_every_measure_is_taken(measures: dict[str, Measure], part: str, how_many: int) -> None:
    found = named(measures, part)
    assert len(found) == how_many
    for measure in found:
        assert measure.value is not None
        assert measure.value > 0
        assert measure.n > 0


def test_the_report_is_json(measures: dict[str, Measure]) -> None:
    report = json.loads(json.dumps([measure.to_json() for measure in measures.values()]))
    assert all(set(each) == {"name", "value", "unit", "target", "met", "n", "detail"} for each in report)


def test_an_edit_weighs_its_dependants_again_and_has_nothing_else_extracted(measures: dict[str, Measure]) -> None:
    (few,) = named(measures, "few dependants")
    assert few.detail["chapters_weighed"] == 4
    assert few.detail["other_chapters_extracted"] == 0


def test_what_is_not_measured_says_why() -> None:
    measure = skipped("importing", "words/s", "no folder was given", at_least(1_000))
    assert (measure.met, measure.to_json()["detail"]) == (None, {"skipped": "no folder was given"})


@pytest.mark.parametrize(
    ("target", "value", "met"), [(at_least(2), 2, True), (at_least(2), 1, False), (at_most(2), 3, False)]
)
def test_a_target_is_met_on_its_own_side_of_the_bound(target: object, value: float, met: bool) -> None:
    measure = Measure(name="x", value=value, unit="ms", target=target)  # type: ignore[arg-type]
    assert measure.met is met


def test_a_percentile_is_a_value_that_was_observed() -> None:
    assert [percentile([3, 1, 2, 4], share) for share in (0.25, 0.5, 0.95, 1.0)] == [1, 2, 4, 4]


def test_a_chapter_is_the_same_every_time_and_its_records_are_grounded() -> None:
    chapter = Serial(records=20).chapter(7)
    assert chapter == Serial(records=20).chapter(7)
    for record in chapter.records:
        span = record["evidence"][0]
        assert chapter.text[span["start"] : span["end"]] == span["quote"]


def test_a_child_that_fails_says_why() -> None:
    with pytest.raises(child.ChildFailed, match="No module named"):
        child.measured("services.evaluation.bench.nowhere:task")


def test_a_folder_that_is_not_given_is_a_skipped_import(tmp_path: Path) -> None:
    from services.evaluation.bench import importing
    from services.evaluation.bench.place import Place

    (measure,) = importing.measure(Place("", tmp_path), None)
    assert measure.value is None
