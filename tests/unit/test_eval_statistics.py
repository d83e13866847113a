"""Tests of significance and agreement against values published or counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evaluation.retrieval.statistics import interval, krippendorff, mcnemar, nominal, paired

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example D: four observers, twelve units
_OBSERVED = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
UNITS = list(zip(*_OBSERVED, strict=True))


def test_mcnemar_doubles_the_tail_of_the_rarer_disagreement() -> None:
    assert mcnemar(10, 2) == pytest.approx(2 * (1 + 12 + 66) / 2**12)


def test_methods_that_never_disagree_do_not_differ() -> None:
    assert mcnemar(0, 0) == 1.0


def test_mcnemar_gives_the_order_of_magnitude_that_nwm_reports() -> None:
    assert mcnemar(80, 8) == pytest.approx(5e-16, rel=0.5)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_a_probability_and_symmetric(first: int, second: int) -> None:
    assert 0.0 < mcnemar(first, second) <= 1.0
    assert mcnemar(first, second) == mcnemar(second, first)


def test_pairs_count_what_only_one_method_found() -> None:
    found = paired([True, True, False, False], [True, False, True, False])
    assert (found.only_first, found.only_second, found.n, found.difference) == (1, 1, 4, 0.0)


def test_methods_are_paired_on_the_same_questions_only() -> None:
    with pytest.raises(ValueError, match="longer"):
        paired([True], [True, False])


def test_nominal_agreement_is_that_of_the_published_example() -> None:
    assert krippendorff(UNITS, nominal) == pytest.approx(0.743, abs=5e-4)


def test_interval_agreement_is_that_of_the_published_example() -> None:
    assert krippendorff(UNITS, interval) == pytest.approx(0.849, abs=5e-4)


def test_judges_who_all_say_the_same_agree() -> None:
    assert krippendorff([["yes", "yes"], ["yes", "yes"]], nominal) == 1.0


def test_judges_who_split_every_unit_disagree_more_than_chance_would() -> None:
    assert krippendorff([["yes", "no"], ["no", "yes"]], nominal) < 0


def test_agreement_needs_two_judgments_of_something() -> None:
    with pytest.raises(ValueError, match="two judgments"):
        krippendorff([["yes", None], [None, "no"]], nominal)
