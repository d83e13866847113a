"""How often, and after how long, something is tried again."""

from __future__ import annotations

import random

import psycopg
import pytest

from events.errors import InvalidRecords, Postponed, Unavailable
from services.extraction.retrying import RetryPolicy

POLICY = RetryPolicy(attempts=2, outage_attempts=5, first=1.0, longest=8.0)


def test_a_refusal_is_never_tried_again() -> None:
    assert not POLICY.allows(InvalidRecords("no"), 1)


def test_what_is_postponed_is_left_for_later_at_once() -> None:
    assert not POLICY.allows(Postponed("the budget is spent"), 1)


@pytest.mark.parametrize(
    "error", [Unavailable("no"), ConnectionResetError(), TimeoutError(), psycopg.OperationalError()]
)
def test_a_service_that_does_not_answer_is_waited_for_longer(error: Exception) -> None:
    assert [POLICY.allows(error, n) for n in (1, 4, 5)] == [True, True, False]


def test_any_other_failure_is_tried_again_a_few_times() -> None:
    assert [POLICY.allows(KeyError("x"), n) for n in (1, 2)] == [True, False]


def test_waits_double_up_to_the_longest_and_are_scattered() -> None:
    draw = random.Random(1)
    for attempt, longest in enumerate([1.0, 2.0, 4.0, 8.0, 8.0], start=1):
        waits = {POLICY.wait(attempt, draw) for _ in range(50)}
        assert len(waits) > 1
        assert longest / 2 <= min(waits)
        assert max(waits) <= longest


def test_waiting_is_bounded_however_many_attempts_there_were() -> None:
    assert POLICY.wait(100_000, random.Random(1)) <= 8.0
