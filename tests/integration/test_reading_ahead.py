"""Chapters read ahead by other processes: the same story as without them, whatever becomes of those processes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import psycopg
import pytest

from services.cli.importing import publish_all
from services.composition import Application
from services.extraction import reading_ahead
from services.extraction.reading_ahead import ReadingAhead, Unread, readers_for
from services.publishing.importing.chapters import Source, SourceChapter
from services.settings import Settings
from tests.services_fixtures import fresh_database
from tests.serving_fixtures import environment_for, fabula

PLACES = ("mill", "harbour", "chapel", "ferry", "orchard")


def told(number: int) -> str:
    place = PLACES[number % len(PLACES)]
    return (
        f"Chapter {number}\n\nMara Voss walked to the {place} before dawn. Tomas Reyle waited there with the lantern.\n\n"
        f"“You are late, Mara,” said Tomas. “I counted {number} boats.”\n\n"
        f"She gave him the ledger of Arden, and he hid it in the {place}. Nobody in Calder saw them leave.\n"
    )


def unread(count: int) -> list[Unread]:
    return [Unread(number, told(number), "en") for number in range(1, count + 1)]


@pytest.fixture
def folder(tmp_path: Path) -> Source:
    return Source([SourceChapter(n, None, told(n), None, f"chapter-{n}.txt") for n in range(1, 6)], [])


@pytest.fixture
def with_readers(monkeypatch: pytest.MonkeyPatch) -> list[ReadingAhead]:
    """Two readers however short the chapters; the list has what was started."""
    started: list[ReadingAhead] = []

    class Noted(ReadingAhead):
        def __enter__(self) -> Self:
            started.append(self)
            super().__enter__()
            return self

    monkeypatch.setattr(reading_ahead, "readers_for", lambda _: 2)
    monkeypatch.setattr(reading_ahead, "ReadingAhead", Noted)
    return started


def log_of(dsn: str) -> list[tuple[object, ...]]:
    """The whole log, but for the times."""
    with psycopg.connect(dsn) as conn:
        rows = conn.execute(
            "SELECT notification_id, originator_id, originator_version, topic, convert_from(state, 'UTF8')"
            " FROM ledger.stored_events ORDER BY 1"
        ).fetchall()
    return [(*row[:4], json.dumps({**json.loads(row[4]), "recorded_at": None})) for row in rows]


def imported(server: str, directory: Path, source: Source) -> list[tuple[object, ...]]:
    with fresh_database(server) as dsn:
        chosen = Settings.from_env({**environment_for(dsn, directory), "FABULA_EXTRACTOR": "offline"})
        with Application(chosen) as application:
            reply = publish_all(application, "lantern", source, "en")
            assert reply["published"] == len(source.chapters)
        return log_of(dsn)


def test_an_import_with_readers_gives_the_log_of_one_without(
    postgres_server: str, tmp_path: Path, folder: Source, with_readers: list[ReadingAhead]
) -> None:
    ahead = imported(postgres_server, tmp_path, folder)
    assert len(with_readers) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_ahead, "readers_for", lambda _: 0)
        alone = imported(postgres_server, tmp_path, folder)
    assert len(with_readers) == 1
    assert ahead == alone
    assert any(row[3] == "fabula.record-asserted" for row in ahead)


def test_readers_that_are_killed_cost_no_chapter(
    postgres_server: str,
    tmp_path: Path,
    folder: Source,
    with_readers: list[ReadingAhead],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = imported(postgres_server, tmp_path, folder)
    ask = ReadingAhead.records

    def killing(self: ReadingAhead, text: str, *, chapter: int, language: str) -> object:
        if chapter == 3:
            for pid in self.process_ids:
                os.kill(pid, signal.SIGKILL)
        return ask(self, text, chapter=chapter, language=language)

    monkeypatch.setattr(ReadingAhead, "records", killing)
    assert imported(postgres_server, tmp_path, folder) == expected


def test_an_import_that_is_killed_leaves_no_reader_and_the_next_does_the_rest(
    environment: dict[str, str], story: str, tmp_path: Path
) -> None:
    for number in range(1, 5):
        # no language model is needed for a language that it does not know
        (tmp_path / f"chapter-{number}.txt").write_text(f"{told(number)}\n" + "La pluie tombait sur Arden.\n\n" * 500)
    environment["FABULA_EXTRACTOR"] = "offline"
    command = ("import", story, str(tmp_path), "--language", "fr", "--json")
    killed = fabula(*command, environment={**environment, "FABULA_FAILPOINTS": f"before_append=kill@{story}/3"})
    assert killed.returncode == -signal.SIGKILL
    again = fabula(*command, environment=environment)
    assert again.returncode == 0, again.stderr
    reply = json.loads(again.stdout)
    assert [each["chapter"] for each in reply["chapters"] if each["unchanged"]] == [1, 2, 3]
    assert all(each["position"] for each in reply["chapters"])
    assert [each["revision"] for each in reply["chapters"]] == [1, 1, 1, 1]
    assert not list(readers_of(environment["FABULA_HOME"]))


def readers_of(home: str) -> Iterator[int]:
    """The reading processes that were started in an environment with this home."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            mine = home in (process / "environ").read_text(errors="replace")
            if mine and reading_ahead.MODULE in (process / "cmdline").read_text():
                yield int(process.name)
        except OSError:
            continue


def test_chapters_that_nobody_asks_for_hold_nothing_up() -> None:
    chapters = unread(12)
    with ReadingAhead("none", chapters, 2) as ahead:
        asked = [ahead.records(each.text, chapter=each.chapter, language="en") for each in chapters[::5]]
    assert asked == [[], [], []]


def test_a_chapter_that_was_not_announced_is_left_to_the_one_who_asks() -> None:
    with ReadingAhead("none", unread(2), 1) as ahead:
        assert ahead.records("Another text.", chapter=1, language="en") is None
        assert ahead.records(told(1), chapter=1, language="en") == []
        assert ahead.records(told(1), chapter=1, language="en") is None


def test_no_more_chapters_are_read_than_there_is_room_for() -> None:
    chapters = unread(20)
    with ReadingAhead("none", chapters, 2) as ahead:
        for each in chapters:
            ahead.records(each.text, chapter=each.chapter, language="en")
            assert len([place for place in ahead._queue if place.taken]) <= 2 * reading_ahead.AHEAD


def test_a_reader_that_cannot_start_leaves_the_reading_to_the_one_who_asks() -> None:
    with ReadingAhead("no such extractor", unread(2), 2) as ahead:
        assert ahead.records(told(1), chapter=1, language="en") is None
        assert ahead.records(told(2), chapter=2, language="en") is None


def test_leaving_early_ends_the_readers() -> None:
    with ReadingAhead("none", unread(4), 2) as ahead:
        pids = ahead.process_ids
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


@pytest.mark.parametrize(
    ("sizes", "cores", "readers"),
    [
        ([100] * 5, 4, 0),
        ([100_000], 4, 0),
        ([100_000] * 2, 1, 0),
        ([100_000] * 3, 2, 2),
        ([30_000] * 2, 4, 2),
        ([], 2, 0),
    ],
)
def test_readers_are_started_where_they_repay_it(sizes: list[int], cores: int, readers: int) -> None:
    assert readers_for([Unread(n, "a" * size, "en") for n, size in enumerate(sizes)], cores) == readers
