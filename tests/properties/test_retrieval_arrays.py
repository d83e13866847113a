"""What is computed for a whole story at once is what each text, run or row would give alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.passages.read import PassageRow
from projections.search.analysis import terms
from services.retrieval.fusion import ranked
from services.retrieval.lexicon import Vocabulary
from services.retrieval.passages import cosines
from services.retrieval.provenance import Provenance
from services.retrieval.sentences import Sentences

WORDS = ("snow", "ferry", "keys", "Mara's", "夜道を", "—", "burnt")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=6)
SCORES = st.lists(st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0, -1.0]), max_size=30).map(
    lambda s: np.array(s, dtype=float)
)


def sentences(chapters: list[int]) -> Sentences:
    """A story with so many sentences in each chapter."""
    rows = []
    for chapter, count in enumerate(chapters, start=1):
        text = " ".join("Snow fell on the roof." for _ in range(count))
        rows.append(PassageRow(chapter, 1, 0, len(text), text, f"{count}".encode()))
    return Sentences(rows, Vocabulary())


@given(before=TEXTS, texts=TEXTS)
def test_texts_analysed_together_have_their_own_terms(before: list[str], texts: list[str]) -> None:
    vocabulary = Vocabulary()
    vocabulary.analysed(before)  # numbers depend on what was read before, terms do not
    keyed = [(text.encode(), text) for text in texts]
    for found in (vocabulary.documents(keyed), vocabulary.documents(keyed)):
        known = {vocabulary.id_of(term): term for text in texts for term in terms(text)}
        told = [{known[i]: n for i, n in zip(ids.tolist(), counts.tolist(), strict=True)} for ids, counts in found]
        assert told == [dict(Counter(terms(text))) for text in texts]


@settings(deadline=None)
@given(chapters=st.lists(st.integers(1, 40), min_size=1, max_size=5), data=st.data())
def test_a_scene_ends_with_its_chapter(chapters: list[int], data: st.DataObject) -> None:
    story = sentences(chapters)
    drawn = data.draw(st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0]), min_size=len(story), max_size=len(story)))
    scores = np.array(drawn)
    alone = []
    for count, first in zip(chapters, np.cumsum([0, *chapters]), strict=False):
        part = scores[first : first + count]
        alone.append(Provenance(sentences([count]), []).around(part))
    assert Provenance(story, []).around(scores) == pytest.approx(np.concatenate(alone), abs=1e-12)


@given(scores=SCORES, above=st.sampled_from([0.0, 0.25, -2.0]))
def test_a_ranking_above_a_score_is_the_beginning_of_the_whole_one(scores: np.ndarray, above: float) -> None:
    assert ranked(scores, above=above).tolist() == [n for n in ranked(scores).tolist() if scores[n] > above]


@given(rows=st.integers(1, 40), more=st.integers(0, 40), seed=st.integers(0, 9))
def test_a_cosine_does_not_depend_on_the_rows_beside_it(rows: int, more: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    vectors = draw.normal(size=(rows + more, 384)).astype(np.float32)
    asked = draw.normal(size=384).astype(np.float32)
    assert cosines(vectors, lambda: asked)[:rows].tobytes() == cosines(vectors[:rows], lambda: asked).tobytes()
