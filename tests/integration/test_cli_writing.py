"""Writing from the command line, in process and as a real process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from services.cli.main import cli
from tests.serving_fixtures import entity, fabula, owns

TEXT = "Mara Voss held the brass key."
RECORDS = [entity("e1", "Mara Voss"), owns("o1", "brass key", "Mara Voss", "held the brass key")]
Run = Callable[..., Result]


@pytest.fixture
def run(shared_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process."""
    for name, value in shared_environment.items():
        monkeypatch.setenv(name, value)

    def run_command(*arguments: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(cli, list(arguments), input=stdin)

    return run_command


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A chapter and its records, as files."""
    (tmp_path / "chapter.txt").write_text(TEXT)
    (tmp_path / "records.json").write_text(json.dumps({"schema": "fabula.records/1", "records": RECORDS}))
    return str(tmp_path / "chapter.txt"), str(tmp_path / "records.json")


def document(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_chapter_is_published_with_its_records_and_read_at_once(run: Run, story: str, files: tuple[str, str]) -> None:
    reply = document(run("publish", story, "1", "--file", files[0], "--records", files[1], "--json"))
    assert (reply["revision"], reply["unchanged"], reply["rejected"]) == (1, False, [])
    assert document(run("state", story, "--json"))["state"][0]["value"] == "Mara Voss"


def test_publishing_the_same_again_says_that_nothing_changed(run: Run, story: str, files: tuple[str, str]) -> None:
    run("publish", story, "1", "--file", files[0], "--records", files[1])
    again = run("publish", story, "1", "--file", files[0], "--records", files[1])
    assert again.exit_code == 0
    assert "nothing changed" in again.stdout


def test_an_edit_is_answered_with_the_command_that_shows_what_it_changed(
    run: Run, story: str, files: tuple[str, str]
) -> None:
    first = run("publish", story, "1", "--file", files[0], "--records", files[1])
    assert "what that changed" not in first.stdout
    edit = run("publish", story, "1", "-", stdin=b"Nobody held it.")
    told = edit.stdout.partition("what that changed: ")[2].split()
    assert told[:3] == ["fabula", "diff", story]
    assert "owner(brass key)" in run(*told[1:]).stdout


@pytest.mark.parametrize("arguments", [["-"], ["--file", "-"]])
def test_a_chapter_is_read_from_standard_input(run: Run, story: str, arguments: list[str]) -> None:
    reply = document(run("publish", story, "1", *arguments, "--json", stdin=TEXT.encode()))
    assert reply["revision"] == 1


def test_bytes_that_are_no_utf_8_are_refused_naming_the_byte(run: Run, story: str) -> None:
    result = run("publish", story, "1", "-", stdin=b"Mara \xff Voss")
    assert result.exit_code == 1
    assert "byte 5" in result.stderr
    assert "0xff" in result.stderr
    assert story not in [each["story"] for each in document(run("stories", "--json"))["stories"]]


@pytest.mark.parametrize(
    ("content", "said"), [(b"{", "not JSON"), (b"[NaN]", "not JSON"), (b"[3]", "record"), (b"3", "records")]
)
def test_records_that_cannot_be_used_are_refused(
    run: Run, story: str, tmp_path: Path, files: tuple[str, str], content: bytes, said: str
) -> None:
    (tmp_path / "broken.json").write_bytes(content)
    result = run("publish", story, "1", "--file", files[0], "--records", str(tmp_path / "broken.json"))
    assert result.exit_code == 1
    assert said in result.stderr


def test_a_file_that_is_not_there_is_refused(run: Run, story: str) -> None:
    result = run("publish", story, "1", "--file", "/no/such/file")
    assert result.exit_code == 1
    assert "/no/such/file" in result.stderr


@pytest.mark.parametrize("chapter", ["0", "1000001"])
def test_a_chapter_number_out_of_range_is_refused(run: Run, story: str, files: tuple[str, str], chapter: str) -> None:
    assert run("publish", story, chapter, "--file", files[0]).exit_code == 1


def test_a_rejected_record_is_told_with_its_reason(
    run: Run, story: str, tmp_path: Path, files: tuple[str, str]
) -> None:
    (tmp_path / "more.json").write_text(json.dumps([*RECORDS, owns("o9", "lamp", "Mara Voss", "no such words")]))
    result = run("publish", story, "1", "--file", files[0], "--records", str(tmp_path / "more.json"))
    assert result.exit_code == 0
    assert "rejected o9" in result.stdout


def test_a_retracted_chapter_is_gone_and_can_come_back(run: Run, story: str, files: tuple[str, str]) -> None:
    publish = ("publish", story, "1", "--file", files[0], "--records", files[1], "--json")
    document(run(*publish))
    assert run("retract", story, "1").exit_code == 0
    assert document(run("state", story, "--at", "1", "--json"))["state"] == []
    assert document(run(*publish))["revision"] == 3
    assert document(run("state", story, "--at", "1", "--json"))["state"] != []


def test_an_editor_joins_two_and_parts_them_again(run: Run, story: str, tmp_path: Path, files: tuple[str, str]) -> None:
    def owner() -> Any:
        return document(run("state", story, "--key", "owner(", "--json"))["state"][0]["value"]

    document(run("publish", story, "1", "--file", files[0], "--records", files[1], "--json"))
    (tmp_path / "courier.json").write_text(json.dumps([entity("e1", "the courier", quote="The courier")]))
    courier = ("publish", story, "2", "-", "--records", str(tmp_path / "courier.json"), "--json")
    document(run(*courier, stdin=b"The courier waited."))
    assert run("merge", story, "the courier", "Mara Voss").exit_code == 0
    assert owner() == "the courier"
    assert run("split", story, "Mara Voss", "--from", "the courier").exit_code == 0
    assert owner() == "Mara Voss"


def test_a_checkpoint_is_named_after_the_last_chapter(run: Run, story: str, files: tuple[str, str]) -> None:
    document(run("publish", story, "4", "--file", files[0], "--records", files[1], "--json"))
    assert run("checkpoint", story, "part one").exit_code == 0
    assert document(run("state", story, "--at", "part one", "--json"))["at"] == 4


def test_merging_somebody_unknown_is_refused(run: Run, story: str, files: tuple[str, str]) -> None:
    run("publish", story, "1", "--file", files[0], "--records", files[1])
    assert run("merge", story, "Mara Voss", "Nobody").exit_code == 1
    assert run("split", story, "Nobody", "--from", "Mara Voss").exit_code == 1


def test_a_folder_is_imported_and_a_second_run_changes_nothing(run: Run, story: str, tmp_path: Path) -> None:
    for number in (1, 2, 10):
        (tmp_path / f"chapter-{number:03}.txt").write_text(f"Chapter {number}\n\nMara walked on, day {number}.\n")
    first = document(run("import", story, str(tmp_path), "--json"))
    assert [each["chapter"] for each in first["chapters"]] == [1, 2, 10]
    assert (first["published"], first["unchanged"]) == (3, 0)
    again = document(run("import", story, str(tmp_path), "--json"))
    assert (again["published"], again["unchanged"]) == (0, 3)


def test_an_import_publishes_only_what_is_missing_or_changed(run: Run, story: str, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"chapter-{number:03}.txt").write_text(f"Chapter {number}\n\nMara walked on, day {number}.\n")
    run("import", story, str(tmp_path))
    (tmp_path / "chapter-002.txt").write_text("Chapter 2\n\nMara slept.\n")
    (tmp_path / "chapter-003.txt").write_text("Chapter 3\n\nMara woke.\n")
    reply = document(run("import", story, str(tmp_path), "--json"))
    assert [(each["chapter"], each["unchanged"]) for each in reply["chapters"]] == [(1, True), (2, False), (3, False)]


def test_a_long_import_without_a_terminal_says_now_and_then_how_far_it_is(
    run: Run, story: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        (tmp_path / f"chapter-{number:03}.txt").write_text(f"Chapter {number}\n\nMara walked on, day {number}.\n")
    assert "chapters are published" not in run("import", story, str(tmp_path)).stderr
    monkeypatch.setattr("services.cli.importing._SILENCE_SECONDS", -1.0)
    told = run("import", story, str(tmp_path), "--json")
    assert "1 of 2 chapters are published" in told.stderr
    assert document(told)["unchanged"] == 2


def test_a_dry_run_lists_the_chapters_and_publishes_nothing(run: Run, story: str, tmp_path: Path) -> None:
    (tmp_path / "chapter-001.txt").write_text("Chapter 1\n\nMara walked on.\n")
    reply = document(run("import", story, str(tmp_path), "--dry-run", "--json"))
    assert [each["chapter"] for each in reply["chapters"]] == [1]
    assert story not in [each["story"] for each in document(run("stories", "--json"))["stories"]]


def test_a_source_that_cannot_be_read_is_refused(run: Run, story: str) -> None:
    assert run("import", story, "/no/such/folder").exit_code == 1


def test_there_are_no_dead_letters_where_nothing_failed(run: Run) -> None:
    assert document(run("dead-letters", "list", "--json")) == {"dead_letters": []}
    assert run("dead-letters", "retry", "nowhere/1").exit_code == 1
    assert run("dead-letters", "discard", "nowhere/1").exit_code == 1


def test_a_real_process_prints_one_document_and_nothing_else(
    shared_environment: dict[str, str], story: str, files: tuple[str, str]
) -> None:
    arguments = ("publish", story, "1", "--file", files[0], "--records", files[1], "--wait", "--json")
    result = fabula(*arguments, environment={**shared_environment, "FABULA_LOG_LEVEL": "debug", "FABULA_LOG": "json"})
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["revision"] == 1
    assert all(json.loads(line)["level"] for line in result.stderr.splitlines())


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"FABULA_PORT": "many"}, b"FABULA_PORT"),
        ({"FABULA_POSTGRES": "postgresql://nobody@127.0.0.1:1/none"}, b"FABULA_POSTGRES"),
        ({"FABULA_POSTGRES": "port=x"}, b"FABULA_POSTGRES"),
    ],
)
def test_a_configuration_that_does_not_work_is_one_message(
    shared_environment: dict[str, str], environment: dict[str, str], said: bytes
) -> None:
    result = fabula("state", "s", environment={**shared_environment, **environment})
    assert (result.returncode, result.stdout) == (1, b"")
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
