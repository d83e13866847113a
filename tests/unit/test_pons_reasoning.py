"""Anchoring, awakening, matching and filtering, on graphs small enough to work out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from services.retrieval.pons.anchor import Anchors, personalised_pagerank
from services.retrieval.pons.awaken import LAMBDA, awaken, co_hits
from services.retrieval.pons.bridge import Bridge, shared_out
from services.retrieval.pons.characters import CharacterLayer
from services.retrieval.pons.flow import Thread, flow, pruned
from services.retrieval.pons.matching import match
from services.retrieval.pons.options import Options
from services.retrieval.pons.routing import kind
from services.retrieval.pons.similarity import facets
from services.retrieval.pons.steps import follow_up


def layer(mentions: Sequence[Sequence[int]]) -> CharacterLayer:
    matrix = csr_array(np.array(mentions, dtype=np.float64))
    return CharacterLayer(matrix, matrix.T.tocsr(), matrix, np.zeros((len(mentions), 2), dtype=np.float32))


def edges(weights: Sequence[Sequence[float]]) -> Bridge:
    matrix = csr_array(np.array(weights, dtype=np.float32))
    return Bridge(matrix, shared_out(matrix).T.tocsr(), shared_out(matrix.T.tocsr()).T.tocsr())


# --- anchor ---


def test_a_walk_reaches_who_is_told_of_together_with_the_seed_and_nobody_else() -> None:
    walk = personalised_pagerank(layer([[1, 1, 0], [1, 0, 0], [0, 0, 1]]), np.array([1.0, 0.0, 0.0]))
    assert walk[0] > walk[1] > 0
    assert walk[2] == 0
    assert walk.sum() == pytest.approx(1.0)


def test_the_walk_of_two_figures_with_one_record_is_the_closed_form() -> None:
    # half the walk restarts at the first, the other half ends at either alike: x = 1/2 e + 1/4
    walk = personalised_pagerank(layer([[1], [1]]), np.array([3.0, 0.0]))
    assert walk.tolist() == pytest.approx([0.75, 0.25])


def test_without_a_seed_nothing_is_anchored() -> None:
    assert personalised_pagerank(layer([[1], [1]]), np.zeros(2)).tolist() == [0.0, 0.0]


# --- awaken ---


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=4, max_size=4), min_size=3, max_size=3),
    st.lists(st.integers(0, 3), min_size=7, max_size=7),
)
def test_the_activation_is_steady(weights: list[list[float]], first: list[int]) -> None:
    bridge = edges(weights)
    x0, y0 = np.array(first[:3], dtype=float), np.array(first[3:], dtype=float)
    x, y = co_hits(bridge, x0, y0)
    assert (1 - LAMBDA) * x0 + LAMBDA * (bridge.to_figures @ y) == pytest.approx(x, abs=0.02)
    assert (1 - LAMBDA) * y0 + LAMBDA * (bridge.to_plot @ x) == pytest.approx(y, abs=0.02)


def test_an_event_that_shares_no_word_with_the_question_is_awakened_over_its_figure() -> None:
    anchors = Anchors(np.array([0]), np.array([0]), np.array([1.0, 0.0]))
    awake = awaken(edges([[1, 2, 0], [0, 0, 1]]), anchors, np.array([0.9, 0.0, 0.0]), Options())
    assert awake.plot.tolist() == [1]
    assert awake.figures.tolist() == []


def test_without_awakening_nothing_is_awakened() -> None:
    anchors = Anchors(np.array([0]), np.array([0]), np.array([1.0, 0.0]))
    awake = awaken(edges([[1, 2, 0], [0, 0, 1]]), anchors, np.array([0.9, 0.0, 0.0]), Options(awaken=False))
    assert (awake.plot.tolist(), awake.plot_scores.tolist()) == ([], [1.0, 0.0, 0.0])


# --- match ---

WEIGHTS = csr_array(np.array([[5.0, 4.0, 3.0], [4.0, 1.0, 0.0]], dtype=np.float32))
ALL = np.array([0, 1]), np.array([0, 1, 2])


def pairs(**chosen: object) -> list[tuple[int, int]]:
    return [(p.figure, p.plot) for p in match(WEIGHTS, *ALL, Options(**chosen))]  # type: ignore[arg-type]


def test_pairs_are_the_heaviest_together_not_one_by_one() -> None:
    assert sorted(pairs()) == [(0, 1), (1, 0)]  # 4 + 4 beats 5 + 1


def test_one_figure_may_have_several_events_but_an_event_has_one_figure() -> None:
    found = pairs(degree=2)
    assert sorted(found) == [(0, 1), (0, 2), (1, 0)]


def test_without_matching_the_heaviest_edges_are_taken_and_a_figure_repeats() -> None:
    assert pairs(matching="edges", k4=2) == [(0, 0), (0, 1)]


def test_dense_keeps_every_edge() -> None:
    assert len(pairs(matching="dense", k4=1)) == 5


def test_only_candidates_are_paired() -> None:
    found = match(WEIGHTS, np.array([1]), np.array([2, 1]), Options())
    assert [(p.figure, p.plot, p.weight) for p in found] == [(1, 1, 1.0)]


# --- flow ---


def thread(plot: int, relevance: float, chapter: int) -> Thread:
    return Thread(plot, None, relevance, (chapter, 0), ())


def test_what_is_far_below_the_best_is_dropped_and_ties_are_in_story_order() -> None:
    kept = flow("Who has the key?", [thread(0, 1.0, 9), thread(1, 0.2, 1), thread(2, 1.0, 3)])
    assert [t.plot for t in kept] == [2, 0]


@pytest.mark.parametrize(
    ("question", "first"), [("Where does she live at last?", 1), ("Where does she live at first?", 0)]
)
def test_words_of_time_weigh_the_beginning_or_the_end(question: str, first: int) -> None:
    assert flow(question, [thread(0, 1.0, 1), thread(1, 1.0, 30)])[0].plot == first


class Picks:
    """A model that answers with fixed indices."""

    def __init__(self, *indices: int) -> None:
        self.indices = indices
        self.shown: Sequence[str] = ()

    def choose(self, question: str, said: Sequence[str]) -> Sequence[int]:
        self.shown = said
        return self.indices


def test_a_model_chooses_among_what_it_is_shown_in_story_order() -> None:
    model = Picks(1, 77)
    kept = pruned("?", [thread(0, 1.0, 9), thread(1, 0.9, 2)], ["late", "early"], model)
    assert model.shown == ["early", "late"]
    assert [t.plot for t in kept] == [0]


def test_a_model_that_chooses_nothing_there_is_changes_nothing() -> None:
    assert len(pruned("?", [thread(0, 1.0, 9), thread(1, 0.9, 2)], ["a", "b"], Picks())) == 2


# --- the question ---


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What religion is Octavio Amber?", "char"), ("Who is the ferryman's daughter?", "char"),
        ("Where does Tomas live at the end?", "plot"), ("Why did they leave the mill?", "plot"),
        ("Who was the man called Arthur before the fire?", "mix"), ("钥匙", "mix"),
    ],
)  # fmt: skip
def test_questions_are_routed_by_their_words(question: str, expected: str) -> None:
    assert kind(question) == expected


def test_a_question_for_two_things_has_two_facets() -> None:
    question = "Who has been told of the tunnel, and what is the mother still not being told?"
    assert facets(question) == ["Who has been told of the tunnel", "and what is the mother still not being told?"]


@pytest.mark.parametrize("question", ["Who has the key?", "", "Who, and when?", "x" * 5_000, ", , , —"])
def test_a_question_for_one_thing_has_none(question: str) -> None:
    assert facets(question) == []


def test_a_follow_up_goes_on_from_the_next_thing_found_until_there_is_none() -> None:
    said = ["Odran hid the key.", "Mara left."]
    assert [follow_up("Who?", said, step) for step in (1, 2, 3)] == ["Who? Odran hid the key.", "Who? Mara left.", None]
