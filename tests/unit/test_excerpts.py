"""Excerpts: short, cut between words, and with what they are shown for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.reading.excerpts import UNTOLD, excerpt, without_most_untold

LONG = "The lamps were lit. " * 40 + "The Knave of Hearts, he stole those tarts.\n\n" + "Nobody asked who paid. " * 40


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert excerpt("She had\n\nthe key.", "key") == "She had the key."


def test_a_long_text_is_shown_around_the_answer() -> None:
    shown = excerpt(LONG, "the knave of hearts", 120)
    assert "The Knave of Hearts, he stole" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) <= 124


def test_where_the_answer_stands_in_other_words_its_longest_word_counts() -> None:
    assert "stole those tarts" in excerpt(LONG, "he took the tarts", 120)


def test_without_an_answer_a_text_is_shown_from_its_beginning() -> None:
    assert excerpt(LONG, None, 60).startswith("The lamps were lit.")


@given(st.text(st.sampled_from("ab \nßİ")), st.text(st.sampled_from("ab ßİ")), st.integers(1, 40))
def test_an_excerpt_is_a_part_of_the_line_and_no_longer_than_wanted(text: str, words: str, longest: int) -> None:
    shown = excerpt(text, words, longest).removeprefix("… ").removesuffix(" …")
    assert shown in " ".join(text.split())
    assert len(shown) <= max(longest, len(words))


def test_of_what_was_merely_not_told_a_few_are_shown_and_all_that_a_record_says() -> None:
    said = [{"why": why, "fact": str(n)} for n, why in enumerate(["unaware", "mistaken"] * 20)]
    untold = [{"why": "untold", "fact": str(n)} for n in range(UNTOLD + 5)]
    assert without_most_untold([*said, *untold]) == ([*said, *untold[:UNTOLD]], 5)
    assert without_most_untold(said) == (said, 0)
