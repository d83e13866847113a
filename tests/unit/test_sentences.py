"""Cutting a slice into sentences, and what stands on them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.passages.read import PassageRow
from projections.words.material import hash_of
from projections.words.segmentation import windows
from services.retrieval.folding import Folding
from services.retrieval.lexicon import Vocabulary
from services.retrieval.sentences import LONGEST, Sentences, split


def passages(*texts: str) -> list[PassageRow]:
    return [
        PassageRow(chapter, 1, w.start, w.end, text[w.start : w.end], hash_of(text[w.start : w.end]))
        for chapter, text in enumerate(texts, 1)
        for w in windows(text)
    ]


def sentences(*texts: str) -> Sentences:
    return Sentences(passages(*texts), Vocabulary())


def shown(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Voss came in. He sat.", ["Mr. Voss came in.", "He sat."]),
        ("“Yes!” said Mara. “No?” Tomas asked.", ["“Yes!” said Mara.", "“No?”", "Tomas asked."]),
        ("One line\nruns on. Then\n\nA heading\n\nText.", ["One line\nruns on.", "Then", "A heading", "Text."]),
        ("鍵がない。夜だ。", ["鍵がない。", "夜だ。"]),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@given(st.text(alphabet="ab .!?;,“”\n鍵。", max_size=1500))
def test_sentences_cover_all_but_white_space_in_order_and_are_never_too_long(text: str) -> None:
    spans = split(text)
    assert all(0 < end - start <= LONGEST for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())


def test_a_chapter_is_put_together_again_from_its_overlapping_passages() -> None:
    text = " ".join(f"Sentence number {n} ends." for n in range(400))
    found = sentences(text)
    assert found.run(0).text == text
    assert [text[a:b] for a, b in found.spans] == [f"Sentence number {n} ends." for n in range(400)]


def test_a_word_counts_less_in_the_sentence_beside_it() -> None:
    found = sentences("Nothing here. The lantern burns. Nothing there. Nothing at all. Nothing more.")
    scores = found.scores({"lantern": 1.0})
    assert scores[1] > scores[0] > 0.0
    assert scores[2] > 0.0
    assert not scores[3:].any()


def test_a_chapter_ends_what_is_beside() -> None:
    scores = sentences("The lantern burns.", "Snow falls.").scores({"lantern": 1.0})
    assert scores[0] > 0.0
    assert scores[1] == 0.0


def test_a_span_is_found_in_the_sentences_it_touches() -> None:
    text = "One. Two two. Three."
    found = sentences("Before.", text)
    start = text.index("two.")
    assert found.at(2, start, start + 4) == (2, 3)
    assert found.at(2, 0, len(text)) == (1, 4)


def test_a_slice_without_passages_has_no_sentences() -> None:
    found = sentences()
    assert len(found) == 0
    assert found.scores({"x": 1.0}).shape == (0,)


def test_scores_do_not_depend_on_what_the_vocabulary_read_before() -> None:
    used = Vocabulary()
    Sentences(passages("Snow and ferries, lanterns and keys."), used)
    text = "The key is lost. The lantern burns."
    fresh, after = sentences(text), Sentences(passages(text), used)
    weights = {"key": 1.0, "lantern": 1.0}
    assert np.array_equal(fresh.scores(weights), after.scores(weights))


def test_folding_knows_a_text_that_only_repeats_others() -> None:
    folding = Folding()
    folding.add("The brass key lay warm in her palm, and the ferry was late again.")
    assert folding.repeats("the ferry was late again")
    assert folding.repeats("“The brass key lay warm in her palm!”")
    assert not folding.repeats("The brass key lay cold in his palm, and nobody saw the ferry.")
    assert not folding.repeats("…")
