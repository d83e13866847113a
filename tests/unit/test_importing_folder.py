"""A folder of chapter files becomes chapters."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.publishing.importing import examine, read_source
from services.publishing.importing.errors import (
    DuplicateNumber,
    ImportRefused,
    InvalidSidecar,
    InvalidSize,
    NoChapters,
    NotUtf8,
    NumberTooHigh,
)


def filled(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("__", ".").replace("_", "-")).write_bytes(text.encode("utf-8"))
    return folder


def test_the_file_names_give_the_numbers(tmp_path: Path) -> None:
    folder = filled(tmp_path, chapter_003__txt="c", chapter_001__txt="a", chapter_010__txt="j")
    assert [(c.number, c.text) for c in read_source(folder)] == [
        (1, "a"),
        (3, "c"),
        (10, "j"),
    ]


def test_without_padding_ten_comes_after_two(tmp_path: Path) -> None:
    folder = filled(tmp_path, ch10__txt="j", ch2__txt="b")
    assert [c.number for c in read_source(folder)] == [2, 10]


def test_where_one_file_has_no_number_the_natural_order_counts(tmp_path: Path) -> None:
    folder = filled(tmp_path, a_2__txt="two", a_10__txt="ten", afterword__txt="end")
    assert [(c.number, c.text) for c in read_source(folder)] == [
        (1, "two"),
        (2, "ten"),
        (3, "end"),
    ]


def test_the_number_after_the_word_chapter_is_meant(tmp_path: Path) -> None:
    folder = filled(tmp_path, vol2_chapter_7__txt="a", vol2_chapter_8__txt="b")
    assert [c.number for c in read_source(folder)] == [7, 8]


def test_text_markdown_and_html_may_stand_side_by_side(tmp_path: Path) -> None:
    folder = filled(
        tmp_path,
        chapter_1__txt="plain",
        chapter_2__md="# The Oil\n\ntext",
        chapter_3__html="<h1>Glass</h1><p>a<br>b</p>",
    )
    assert [(c.title, c.text) for c in read_source(folder)] == [
        (None, "plain"),
        ("The Oil", "# The Oil\n\ntext"),
        ("Glass", "Glass\n\na\nb"),
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Chapter 4: The Quay\n\nText.", "The Quay"),
        ("IV\n\nThe Quay\n\nText.", "The Quay"),
        ("IV\n\nThe lamps were lit.", None),
        ("It began at night.\n\nText.", None),
    ],
    ids=["on the line", "below a numeral", "a sentence below", "no heading"],
)
def test_the_first_lines_of_a_text_give_its_title(tmp_path: Path, text: str, title: str | None) -> None:
    assert read_source(filled(tmp_path, chapter_4__txt=text))[0].title == title


def test_the_text_of_a_file_is_left_as_it_is(tmp_path: Path) -> None:
    text = "\n  Chapter 1\r\n\r\n text \u00a0 \n"
    assert read_source(filled(tmp_path, chapter_1__txt=text))[0].text == text


@pytest.mark.parametrize("name", ["chapter_1__records__json", "chapter_1__json"])
def test_a_records_file_beside_a_chapter_goes_with_it(tmp_path: Path, name: str) -> None:
    sidecar = '{"schema": "fabula.records/1", "records": []}'
    folder = filled(tmp_path, chapter_1__txt="a", chapter_2__txt="b", **{name: sidecar})
    assert [c.records for c in read_source(folder)] == [
        {"schema": "fabula.records/1", "records": []},
        None,
    ]


def test_hidden_and_unrelated_files_are_left_aside_and_reported(tmp_path: Path) -> None:
    folder = filled(
        tmp_path,
        chapter_1__txt="a",
        meta__json="{}",
        README__md="x",
        __DS_Store="x",
        chapter_9__records__json="[]",
    )
    (folder / "drafts").mkdir()
    assert {ignored.name: ignored.reason for ignored in examine(folder).ignored} == {
        ".DS-Store": "hidden",
        "README.md": "not a chapter file",
        "chapter-9.records.json": "records without a chapter file of the same name",
        "drafts": "a folder; only files directly in the one that is imported are read",
        "meta.json": "not a chapter file",
    }


def test_two_files_with_the_same_number_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DuplicateNumber, match=r"chapter-01\.md and chapter-1\.txt are both chapter 1"):
        read_source(filled(tmp_path, chapter_1__txt="a", chapter_01__md="b"))


@pytest.mark.parametrize("name", ["chapter_99999999999999999999__txt", "ep_1000001__md", "第9999999章__txt"])
def test_a_number_beyond_the_last_chapter_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(NumberTooHigh, match="chapters are numbered from 1 to 1000000"):
        read_source(filled(tmp_path, chapter_1__txt="a", **{name: "b"}))


def test_the_last_number_that_a_chapter_can_have_is_taken(tmp_path: Path) -> None:
    assert [c.number for c in read_source(filled(tmp_path, chapter_1000000__txt="a"))] == [1_000_000]


def test_dates_of_eight_digits_are_an_order_and_no_numbers(tmp_path: Path) -> None:
    source = examine(filled(tmp_path, **{"20240115__txt": "a", "20240203__txt": "b"}))
    assert ([c.number for c in source.chapters], source.renumbered) == ([1, 2], None)


@pytest.mark.parametrize("stray", ["afterword__txt", "chapter_0__txt"])
def test_numbers_that_are_given_up_for_the_order_are_told(tmp_path: Path, stray: str) -> None:
    source = examine(filled(tmp_path, chapter_3__txt="a", chapter_7__txt="b", **{stray: "c"}))
    assert [c.number for c in source.chapters] == [1, 2, 3]
    assert source.renumbered is not None
    assert "1 to 3" in source.renumbered


def test_numbers_that_stand_are_not_spoken_of(tmp_path: Path) -> None:
    assert examine(filled(tmp_path, chapter_3__txt="a", chapter_7__txt="b")).renumbered is None


def test_a_link_to_nothing_is_left_aside_as_what_it_is(tmp_path: Path) -> None:
    filled(tmp_path, chapter_1__txt="a")
    (tmp_path / "chapter-2.txt").symlink_to("nowhere.txt")
    assert [(each.name, each.reason) for each in examine(tmp_path).ignored] == [("chapter-2.txt", "a link to nothing")]


@pytest.mark.parametrize("text", ["\0", "\ufeff", "\0\ufeff\0"])
def test_a_file_of_which_nothing_is_kept_is_refused_before_anything_is_published(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidSize, match=r"chapter-2\.txt has 0 characters"):
        read_source(filled(tmp_path, chapter_1__txt="a", chapter_2__txt=text))


def test_utf_16_is_called_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "chapter-1.txt").write_bytes("Mara".encode("utf-16"))
    with pytest.raises(NotUtf8, match="iconv -f UTF-16 "):
        read_source(tmp_path)


def test_a_folder_without_chapter_files_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(NoChapters, match=r"chapter-001\.txt"):
        read_source(filled(tmp_path, meta__json="{}"))


def test_an_empty_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidSize, match=r"chapter-2\.txt has 0 characters"):
        read_source(filled(tmp_path, chapter_1__txt="a", chapter_2__txt=""))


def test_a_blank_chapter_is_a_chapter(tmp_path: Path) -> None:
    assert read_source(filled(tmp_path, chapter_1__txt=" \n"))[0].text == " \n"


def test_one_bad_file_refuses_the_whole_folder(tmp_path: Path) -> None:
    filled(tmp_path, chapter_1__txt="a")
    (tmp_path / "chapter-2.txt").write_bytes(b"ab\xff")
    with pytest.raises(NotUtf8, match=r"chapter-2\.txt is not UTF-8: byte 2 is 0xff"):
        read_source(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        '{"records": 3}',
        '"records"',
        "[" * 100_000,
        '{"schema": "fabula.records/1"}',
        "[1e999]",
        '[{"id": "x"}]',
        '[{"id": "x", "kind": "entity", "type": "character", "name": "M", "depends_on": ["9:o1"], "evidence": [{"quote": "a"}]}]',
    ],
    ids=[
        "cut off",
        "no list",
        "a string",
        "nested without end",
        "no records",
        "no number",
        "no record",
        "on a later chapter",
    ],
)
def test_a_records_file_that_is_none_is_refused_by_name(tmp_path: Path, content: str) -> None:
    with pytest.raises(InvalidSidecar, match=r"chapter-1\.records\.json"):
        read_source(filled(tmp_path, chapter_1__txt="a", chapter_1__records__json=content))


def test_every_refusal_can_be_caught_as_one(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused):
        read_source(tmp_path)
