"""What may be spent: how it is written, when it begins anew, and when it is reached."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from services.extraction.claude.budget import Budget
from services.extraction.claude.errors import BudgetReached, ClaudeNotConfigured
from services.settings import InvalidSetting, Settings

NOW = datetime(2026, 12, 30, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "budget"),
    [("25", Budget(25.0)), ("$2.50/day", Budget(2.5, "day")), (" 25 / Month ", Budget(25.0, "month"))],
)
def test_a_budget_is_dollars_in_all_a_month_or_a_day(text: str, budget: Budget) -> None:
    assert Budget.parse(text) == budget
    assert Settings.from_env({"FABULA_CLAUDE_BUDGET": text}).claude_budget == text.strip()


@pytest.mark.parametrize("text", ["lots", "-5", "5/week", "5 EUR", "1e3", "nan", "٣"])
def test_what_is_no_budget_is_refused_where_it_is_read_first(text: str) -> None:
    with pytest.raises(ClaudeNotConfigured, match="FABULA_CLAUDE_BUDGET"):
        Budget.parse(text)
    with pytest.raises(InvalidSetting, match="FABULA_CLAUDE_BUDGET"):
        Settings.from_env({"FABULA_CLAUDE_BUDGET": text})


def test_a_period_begins_at_midnight_of_utc() -> None:
    assert Budget(1.0).since(NOW) is None
    assert Budget(1.0, "day").since(NOW) == datetime(2026, 12, 30, tzinfo=UTC)
    assert Budget(1.0, "month").since(NOW) == datetime(2026, 12, 1, tzinfo=UTC)


def test_a_period_ends_when_the_next_begins() -> None:
    assert Budget(1.0).seconds_left(NOW) is None
    assert Budget(1.0, "day").seconds_left(NOW) == 6 * 3_600
    assert Budget(1.0, "month").seconds_left(NOW) == 30 * 3_600


def test_a_call_that_would_pass_the_budget_is_not_made_and_the_next_period_is_named() -> None:
    Budget(1.0).check(0.9, 0.1, NOW)
    with pytest.raises(BudgetReached, match="raise FABULA_CLAUDE_BUDGET") as reached:
        Budget(1.0, "day").check(0.9, 0.11, NOW)
    assert reached.value.retry_after == 6 * 3_600
