"""The terms by which lexical search matches."""

from __future__ import annotations

import pytest

from projections.search.analysis import LONGEST_TERM, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hides", "hiding"), ("hide", "hides"), ("stopped", "stops"), ("carries", "carry"), ("Mara's", "Mara"), ("Mara’s", "mara"),
        ("passes", "pass"), ("falling", "fall"), ("ＢＲＡＳＳ", "brass"), ("Straße", "STRASSE"),
    ],
)  # fmt: skip
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(
    ("one", "other"), [("king", "kin"), ("bus", "bu"), ("bed", "b"), ("news", "knew"), ("string", "str")]
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert terms(one) != terms(other)


def test_chinese_and_japanese_give_pairs_of_characters() -> None:
    assert terms("東京都") == ["東京", "京都"]
    assert terms("夜") == ["夜"]


@pytest.mark.parametrize("text", ["", "?!… —", "\0", "💡👩\u200d🚀", "___"])
def test_a_text_without_letters_has_no_terms(text: str) -> None:
    assert terms(text) == []


def test_operators_of_query_languages_are_only_words() -> None:
    assert terms("mara AND (key OR *) -- DROP TABLE x; <b>") == terms("mara and key or drop table x b")


def test_a_term_has_a_bounded_length() -> None:
    assert [len(t) for t in terms("q1" * 5000)] == [LONGEST_TERM]
