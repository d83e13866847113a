from __future__ import annotations

import pytest

from services.evaluation.extraction.clustering import Cluster, b_cubed, ceaf, compare, conll, muc
from services.evaluation.extraction.intervals import Tally, count, f1_of, share


def clusters(*groups: str) -> list[Cluster]:
    return [frozenset(group) for group in groups]


GOLD = clusters("abc", "de", "f")


def test_the_right_clustering_is_worth_one() -> None:
    assert conll([compare(GOLD, clusters("de", "f", "abc"))]) == pytest.approx(1.0)


def test_nothing_found_is_worth_nothing() -> None:
    assert conll([compare(GOLD, [])]) == 0.0


def test_muc_counts_the_links_that_are_kept() -> None:
    score = muc(clusters("abcd"), clusters("ab", "cd"))
    assert (score.hit_recall / score.of_recall, score.hit_precision / score.of_precision) == (2 / 3, 1.0)


def test_b_cubed_counts_each_mentions_company() -> None:
    score = b_cubed(clusters("abcd"), clusters("ab", "cd"))
    assert (score.hit_recall / score.of_recall, score.hit_precision / score.of_precision) == (0.5, 1.0)


def test_ceaf_pairs_each_cluster_once() -> None:
    score = ceaf(clusters("abcd"), clusters("ab", "cd"))
    assert score.hit_recall / score.of_recall == pytest.approx(2 / 3)
    assert score.hit_precision / score.of_precision == pytest.approx(1 / 3)


def test_a_mention_that_nobody_marked_costs_precision_only() -> None:
    score = b_cubed(clusters("ab"), clusters("ab", "x"))
    assert score.hit_recall == score.of_recall
    assert score.hit_precision < score.of_precision


def test_a_share_lies_inside_its_interval_and_the_interval_inside_zero_and_one() -> None:
    for successes in (0, 7, 10):
        estimate = share("s", successes, 10)
        assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0
        assert estimate.low < estimate.high


def test_more_observations_narrow_the_interval() -> None:
    few, many = share("s", 8, 10), share("s", 800, 1000)
    assert many.high - many.low < few.high - few.low


def test_a_count_has_the_interval_of_its_share() -> None:
    assert count("c", 0, 10).high == pytest.approx(10 * share("c", 0, 10).high)


def test_f1_adds_up_the_units_before_it_divides() -> None:
    estimate = f1_of("f", [Tally(right=9, wrong=1, missed=0), Tally(right=0, wrong=0, missed=2)])
    assert estimate.value == pytest.approx(2 * 9 / (2 * 9 + 3))
    assert estimate.n == 11


def test_the_same_units_give_the_same_interval() -> None:
    units = [Tally(n, 5 - n, 2) for n in range(5)]
    assert f1_of("f", units) == f1_of("f", units)
