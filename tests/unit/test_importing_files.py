"""One file with chapter headings becomes chapters."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.publishing.importing import SourceChapter, examine, read_source
from services.publishing.importing.errors import (
    InvalidSize,
    NoChapters,
    NotUtf8,
    SourceUnreadable,
    UnsupportedSource,
)
from services.publishing.importing.headings import parse
from services.publishing.importing.numerals import number

PROSE = "The lamps were lit one by one, and nobody asked who paid for the oil. " * 8


TWO_PARTS = "".join(
    f"{part}CHAPTER {n}\n\n{PROSE}\n\n"
    for part, n in [("PART ONE\n\n", "I"), ("", "II"), ("PART TWO\n\n", "I"), ("", "II")]
)


def written(folder: Path, text: str, name: str = "book.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return path


def read(folder: Path, text: str, name: str = "book.txt") -> list[SourceChapter]:
    return read_source(written(folder, text, name))


def shape(chapters: list[SourceChapter]) -> list[tuple[int, str | None]]:
    return [(chapter.number, chapter.title) for chapter in chapters]


@pytest.mark.parametrize(
    ("spelled", "value"),
    [
        ("7", 7),
        ("XIV", 14),
        ("xc", 90),
        ("One", 1),
        ("the First", 1),
        ("Twenty-One", 21),
        ("TWENTY FIRST", 21),
        ("One Hundred and Two", 102),
        ("thirtieth", 30),
        ("十二", 12),
        ("二十", 20),
        ("一百零三", 103),
        ("１２", 12),
    ],
)
def test_a_number_is_read_however_it_is_spelled(spelled: str, value: int) -> None:
    assert number(spelled) == value


@pytest.mark.parametrize("spelled", ["", "IIX", "Mix", "door", "twelve doors", "十二人"])
def test_what_is_no_number_is_none(spelled: str) -> None:
    assert number(spelled) is None


@pytest.mark.parametrize(
    ("line", "unit", "value", "title"),
    [
        ("CHAPTER I.", "chapter", 1, None),
        ("CHAPTER IV. The Weighhouse", "chapter", 4, "The Weighhouse"),
        ("Chapter 12: Title", "chapter", 12, "Title"),
        ("Chapter Twenty-One \u2014 Ice", "chapter", 21, "Ice"),
        ("Chapter the Third", "chapter", 3, None),
        ("Chapter the Last", "chapter", None, None),
        ("  Letter 2", "chapter", 2, None),
        ("**Chapter 3**", "chapter", 3, None),
        ("Kapitel 5", "chapter", 5, None),
        ("第十二章 灯", "chapter", 12, "灯"),
        ("BOOK THE SECOND: Oil", "part", 2, "Oil"),
        ("Part Two", "part", 2, None),
        ("PROLOGUE", "unnumbered", None, "Prologue"),
        ("Epilogue: Ash", "unnumbered", None, "Ash"),
        ("CHAPTER V. The Quay . . . . . . 57", "chapter", 5, "The Quay"),
    ],
)
def test_a_heading_says_its_unit_number_and_title(line: str, unit: str, value: int | None, title: str | None) -> None:
    heading = parse(line)
    assert heading is not None
    assert (heading.unit, heading.number, heading.title) == (unit, value, title)


@pytest.mark.parametrize(
    "line",
    [
        "Chapter 5 of the book was torn out,",
        "Chapters 4",
        "chapter and verse",
        "Part of her knew.",
        "Prologue to a war",
        "Act now",
        "x" * 400,
    ],
)
def test_a_sentence_is_no_heading(line: str) -> None:
    assert parse(line) is None


def test_chapters_with_roman_numbers_and_titles_below_are_cut(tmp_path: Path) -> None:
    text = f"CHAPTER I.\nThe Wick\n\n{PROSE}\n\n\nCHAPTER II.\nThe Oil\n\n{PROSE}\n"
    assert shape(read(tmp_path, text)) == [(1, "The Wick"), (2, "The Oil")]


def test_a_chapter_keeps_its_heading_and_its_paragraphs(tmp_path: Path) -> None:
    chapters = read(tmp_path, "Chapter 1\n\nOne.\n\nTwo.\n\nChapter 2\n\nThree.\n")
    assert [chapter.text for chapter in chapters] == [
        "Chapter 1\n\nOne.\n\nTwo.",
        "Chapter 2\n\nThree.",
    ]


def test_the_numbers_of_the_headings_are_kept_when_a_file_begins_in_the_middle(
    tmp_path: Path,
) -> None:
    text = f"Chapter 12: Ice\n\n{PROSE}\n\nChapter 13: Thaw\n\n{PROSE}\n\nEpilogue\n\n{PROSE}"
    assert shape(read(tmp_path, text)) == [(12, "Ice"), (13, "Thaw"), (14, "Epilogue")]


def test_a_prologue_is_the_first_chapter(tmp_path: Path) -> None:
    text = f"Prologue\n\n{PROSE}\n\nChapter One\n\n{PROSE}\n\nChapter Two\n\n{PROSE}"
    assert [chapter.number for chapter in read(tmp_path, text)] == [1, 2, 3]


def test_parts_that_begin_again_at_one_are_numbered_through(tmp_path: Path) -> None:
    assert [chapter.number for chapter in read(tmp_path, TWO_PARTS)] == [1, 2, 3, 4]


def test_a_heading_with_a_number_that_no_chapter_has_divides_all_the_same(tmp_path: Path) -> None:
    text = f"Chapter 1\n\n{PROSE}\n\nChapter 99999999999999999999\n\n{PROSE}\n\nChapter 2\n\n{PROSE}"
    assert [chapter.number for chapter in read(tmp_path, text)] == [1, 2, 3]


def test_chapters_that_are_counted_anew_are_told(tmp_path: Path) -> None:
    renumbered = examine(written(tmp_path, TWO_PARTS)).renumbered
    assert renumbered is not None
    assert "1 to 4 in their order" in renumbered


def test_the_heading_of_a_part_goes_with_its_first_chapter(tmp_path: Path) -> None:
    assert [chapter.text.split("\n")[0] for chapter in read(tmp_path, TWO_PARTS)] == [
        "PART ONE",
        "CHAPTER II",
        "PART TWO",
        "CHAPTER II",
    ]


def test_bare_numerals_are_chapters_when_they_count_up(tmp_path: Path) -> None:
    text = f"I\n\nThe Wick\n\n{PROSE}\n\nII\n\nThe Oil\n\n{PROSE}\n\nVII\n\nnot a chapter\n\n{PROSE}"
    assert shape(read(tmp_path, text)) == [(1, "The Wick"), (2, "The Oil")]


def test_a_numbered_list_inside_a_chapter_makes_no_chapters(tmp_path: Path) -> None:
    items = "\n\n".join(f"{n}. Knowledge of oil" for n in range(3, 9))
    text = f"I\n\n{PROSE}\n\nII\n\n{PROSE}\n\n{items}\n\n{PROSE}"
    assert [chapter.number for chapter in read(tmp_path, text)] == [1, 2]


@pytest.mark.parametrize("gap", ["\n", "\n\n"], ids=["dense", "spaced"])
def test_a_table_of_contents_is_not_mistaken_for_chapters(tmp_path: Path, gap: str) -> None:
    names = ["CHAPTER I. The Wick", "CHAPTER II. The Oil", "CHAPTER III. The Glass"]
    body = "\n\n\n".join(f"{name}\n\n{PROSE}" for name in names)
    text = f"A BOOK\n\nCONTENTS\n\n{gap.join(names)}\n\nA word by the author. {PROSE}\n\n{body}"
    chapters = read(tmp_path, text)
    assert shape(chapters) == [(1, "The Wick"), (2, "The Oil"), (3, "The Glass")]
    assert all(PROSE.strip() in chapter.text for chapter in chapters)


def test_short_chapters_are_not_mistaken_for_a_table_of_contents(
    tmp_path: Path,
) -> None:
    assert (
        len(
            read(
                tmp_path,
                "Chapter 1\n\nDark.\n\nChapter 2\n\nLight.\n\nChapter 3\n\nDark.\n",
            )
        )
        == 3
    )


def test_what_project_gutenberg_puts_around_a_book_is_dropped(tmp_path: Path) -> None:
    start, end = (f"*** {word} OF THE PROJECT GUTENBERG EBOOK LAMPS ***" for word in ("START", "END"))
    story = f"Chapter 1\n\n{PROSE}\n\nChapter 2\n\nLast words."
    text = f"The Project Gutenberg eBook\n\nChapter 9\n\n{start}\n\n{story}\n\n{end}\n\nChapter 3\n\nLicence"
    chapters = read(tmp_path, text)
    assert len(chapters) == 2
    assert chapters[-1].text.endswith("Last words.")


def test_text_before_the_first_heading_is_reported(tmp_path: Path) -> None:
    source = examine(written(tmp_path, f"By A. Nobody\n\nChapter 1\n\n{PROSE}"))
    assert [ignored.reason for ignored in source.ignored] == ["12 characters before the first chapter heading"]


def test_a_file_whose_headings_come_only_at_the_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoChapters):
        read(tmp_path, PROSE * 100 + f"\n\nChapter 1\n\n{PROSE}")


def test_markdown_headings_of_the_level_that_repeats_are_chapters(
    tmp_path: Path,
) -> None:
    text = f"# The Book\n\n## The Wick\n\n{PROSE}\n\n### a scene\n\n{PROSE}\n\n## The Oil\n\n{PROSE}"
    assert shape(read(tmp_path, text, "book.md")) == [(1, "The Wick"), (2, "The Oil")]


def test_markdown_headings_inside_code_are_text(tmp_path: Path) -> None:
    text = f"# One\n\n```\n# not a heading\n```\n\n# Two\n\n{PROSE}"
    assert shape(read(tmp_path, text, "book.md")) == [(1, "One"), (2, "Two")]


def test_underlined_markdown_headings_are_chapters(tmp_path: Path) -> None:
    text = f"The Wick\n========\n\n{PROSE}\n\nThe Oil\n=======\n\n{PROSE}"
    assert shape(read(tmp_path, text, "book.md")) == [(1, "The Wick"), (2, "The Oil")]


def test_an_html_file_is_cut_at_its_headings(tmp_path: Path) -> None:
    body = "".join(f"<h2>Chapter {n}</h2><p>Text &amp; more\n text {n}.</p>" for n in (1, 2))
    chapters = read(
        tmp_path,
        f"<html><head><title>no</title></head><body><h1>Book</h1>{body}</body></html>",
        "book.html",
    )
    assert [chapter.text for chapter in chapters] == [
        "Chapter 1\n\nText & more text 1.",
        "Chapter 2\n\nText & more text 2.",
    ]


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    assert shape(read(tmp_path, "\ufeffChapter 1\r\n\r\nA.\r\n\r\nChapter 2\r\n\r\nB.\r\n")) == [(1, None), (2, None)]


def test_a_file_without_headings_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(NoChapters, match="`Chapter 1` on a line of its own"):
        read(tmp_path, PROSE)


def test_a_file_that_is_not_utf_8_is_refused_with_the_offset(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes(b"Chapter 1\n\ncaf" + b"\xe9 noir")
    with pytest.raises(NotUtf8, match="byte 14 is 0xe9"):
        read_source(path)


def test_a_chapter_that_is_too_long_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidSize, match=r"book\.txt#1 has 20"):
        read(tmp_path, "Chapter 1\n\n" + "a" * 2_000_000)


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable):
        read_source(tmp_path / "nothing.txt")


def test_another_kind_of_file_is_refused_with_what_can_be_imported(
    tmp_path: Path,
) -> None:
    with pytest.raises(UnsupportedSource, match=r"\.epub"):
        read(tmp_path, "x", "book.pdf")


@pytest.mark.parametrize(
    "filling", [" ", ". ", "I", "\n", "- "], ids=["blank", "dots", "numerals", "line ends", "dashes"]
)
@pytest.mark.timeout(300)
def test_a_monotonous_file_does_not_take_for_ever(tmp_path: Path, filling: str) -> None:
    text = "Chapter 1\n\nx" + filling * (900_000 // len(filling)) + "x"
    assert len(read(tmp_path, text)) == 1
