"""What a question may ask for."""

from __future__ import annotations

import pytest

from events.errors import InvalidInput
from services.retrieval.questions import MAX_BUDGET, question


def test_a_budget_of_any_size_that_json_carries_is_taken() -> None:
    assert question("Who?", "hybrid", MAX_BUDGET).budget == MAX_BUDGET


@pytest.mark.parametrize("budget", [0, -1, True, 1.5, "10", None, 10**30])
def test_a_budget_that_is_no_number_of_characters_is_refused(budget: object) -> None:
    with pytest.raises(InvalidInput, match="The budget is a whole number of characters"):
        question("Who?", "hybrid", budget)


def test_marks_that_nobody_sees_are_not_asked_for() -> None:
    assert question("\u202eWho\u200bhas the \u2067brass\u2069 key?\ufeff", "hybrid", 1).text == "Who has the brass key?"
    assert question("نمی‌دانم کجاست", "hybrid", 1).text == "نمی‌دانم کجاست"
