"""The evaluation over the product itself: stories ingested into a real PostgreSQL, asked, measured, and reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from services.cli.main import cli
from services.evaluation.retrieval import folder, reporting, saved, suite
from services.evaluation.retrieval.ingesting import Library
from services.evaluation.retrieval.running import Plan, run
from services.settings import Settings
from tests.evaluation_data import write_data

PLAN = Plan(methods=("bm25", "nwm", "oracle", "full"), budgets=(200, 2_000))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def told() -> list[str]:
    return []


@pytest.fixture(scope="module")
def library(postgres_server: str, tmp_path_factory: pytest.TempPathFactory, told: list[str]) -> Library:
    place = tmp_path_factory.mktemp("library")
    settings = Settings(home=place / "home", cache=place / "cache", embedder="hash")
    return Library(postgres_server, settings, place, told.append, fresh=False)


@pytest.fixture(scope="module")
def directory(data: Path, library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run over two suites left."""
    place = tmp_path_factory.mktemp("report")
    run([folder.suite(data, name) for name in ("recorded", "fairytaleqa")], library, PLAN, place)
    return place


def test_every_question_is_put_to_every_method_under_every_budget(directory: Path) -> None:
    found = saved.read(directory)
    bounded = {(p.suite, p.question, p.method, p.budget) for p in found.packets if p.budget}
    assert len(bounded) == 4 * len(("last", "random", "bm25", "nwm")) * len(PLAN.budgets)
    assert {p.method for p in found.packets if not p.budget} == {"oracle", "full"}
    assert all(p.used <= p.budget for p in found.packets if p.budget)


def test_nothing_after_a_checkpoint_is_in_a_packet(directory: Path) -> None:
    found = saved.read(directory)
    for packet in found.packets:
        checkpoint = found.questions[packet.suite, packet.question].checkpoint
        assert not packet.leaks
        assert all(found.items[key]["chapter"] <= checkpoint for key in packet.items)


def test_the_measures_say_what_was_found(directory: Path) -> None:
    found = {m.name: m.value for m in suite.reported(directory).measures}
    assert found["recorded.bm25.gold_share@2000"] == found["recorded.full.gold_share@all"] == 1.0
    assert found["recorded.nwm.coverage@2000"] == 1.0
    assert found["fairytaleqa.oracle.gold_in_packet@all"] == 1.0
    assert found["recorded.nwm.leak@2000"] == 0.0
    assert found["fairytaleqa.index_words"] == 13


def test_a_report_is_drawn_again_byte_for_byte_from_what_is_saved(directory: Path) -> None:
    files = reporting.write(suite.reported(directory), directory)
    first = {file: file.read_bytes() for file in files}
    assert {"report.md", "report.html"} <= {file.name for file in files}
    assert b"<svg" in first[directory / "report.html"]
    assert all(file.read_bytes() == first[file] for file in reporting.write(suite.reported(directory), directory))


def test_the_report_command_prints_the_measures(directory: Path) -> None:
    done = CliRunner().invoke(cli, ["eval", "report", str(directory), "--json"])
    reply = json.loads(done.stdout)
    assert set(reply) == {"measures"}
    assert {"name", "value", "low", "high", "n"} == set(reply["measures"][0])
    assert all(m["low"] <= m["value"] <= m["high"] for m in reply["measures"])


def test_a_report_without_packets_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["eval", "report", str(tmp_path)])
    assert done.exit_code == 1
    assert "run.json" in done.stderr


def test_a_story_is_ingested_once(data: Path, library: Library, directory: Path, told: list[str]) -> None:
    story = folder.suite(data, "recorded").stories["lamp"]
    before = len(told)
    with library.opened(story) as (application, cost):
        packet = application.retriever.packet("lamp", "Who has the key?", at=1, method="nwm")
    assert told[before:] == []
    assert cost.chapters == 2
    assert cost.records >= 1
    assert packet["items"]


def test_a_method_that_does_not_exist_is_refused(data: Path) -> None:
    done = CliRunner().invoke(cli, ["eval", "retrieval", "--data", str(data), "--methods", "bm25,tarot"])
    assert done.exit_code == 1
    assert "tarot" in done.stderr
    assert "hybrid" in done.stderr
