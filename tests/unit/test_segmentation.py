"""Passages of a chapter: 360 words that overlap by 80, at spans of the chapter's own text."""

from __future__ import annotations

from itertools import pairwise

import pytest

from projections.words.segmentation import OVERLAP, WORDS, windows


def words(count: int) -> str:
    return " ".join(f"w{i}" for i in range(count))


def cut(text: str) -> list[str]:
    return [text[w.start : w.end] for w in windows(text)]


def test_a_short_chapter_is_one_passage_without_its_outer_white_space() -> None:
    assert cut("  One sentence.\nAnother.\n ") == ["One sentence.\nAnother."]


@pytest.mark.parametrize("text", ["", " \n\t\u3000", "\u00a0"])
def test_white_space_has_no_passages(text: str) -> None:
    assert windows(text) == []


def test_exactly_360_words_are_one_passage_and_361_are_two() -> None:
    assert len(windows(words(WORDS))) == 1
    assert len(windows(words(WORDS + 1))) == 2


def test_neighbours_share_80_words() -> None:
    first, second = cut(words(500))
    assert first.split()[-OVERLAP:] == second.split()[:OVERLAP]
    assert len(first.split()) == WORDS


def test_every_word_is_in_a_passage_and_spans_ascend() -> None:
    text = words(2000)
    found = windows(text)
    assert {w for passage in cut(text) for w in passage.split()} == set(text.split())
    assert [w.ordinal for w in found] == list(range(len(found)))
    assert all(a.start < b.start < a.end for a, b in pairwise(found))


def test_a_script_without_spaces_counts_its_characters_as_words() -> None:
    found = windows("夜" * 700)
    assert [(w.start, w.end) for w in found] == [(0, 360), (280, 640), (560, 700)]


def test_a_run_of_letters_without_any_space_is_still_cut() -> None:
    found = windows("x" * 100_000)
    assert len(found) > 1
    assert max(w.end - w.start for w in found) <= WORDS * 40


def test_a_passage_does_not_cut_a_combined_character() -> None:
    text = "a" * 39 + "e\u0301" * 200_00
    assert all(text[w.start] != "\u0301" and text[w.end : w.end + 1] != "\u0301" for w in windows(text))


def test_an_overlap_as_long_as_the_passage_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        windows("a b", words=5, overlap=5)
