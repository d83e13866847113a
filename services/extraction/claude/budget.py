"""The budget: so many dollars in all, a month or a day, and nothing is asked that would pass it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, Protocol

from services.extraction.claude.errors import BudgetReached, ClaudeNotConfigured

VARIABLE: Final = "FABULA_CLAUDE_BUDGET"
_WRITTEN: Final = re.compile(r"\$?([0-9]{1,9}(?:\.[0-9]{1,6})?)(?:\s*/\s*(day|month))?", re.IGNORECASE)
Period = Literal["all", "month", "day"]


class Spending(Protocol):
    """What knows how much was spent: an `Account`."""

    def spent(self, since: datetime | None) -> float: ...


@dataclass(frozen=True, slots=True)
class Budget:
    """US dollars that may be spent in a period; days and months are those of UTC."""

    usd: float
    period: Period = "all"

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Read `25`, `25/month` or `2.50/day`. Raises `ClaudeNotConfigured`."""
        match = _WRITTEN.fullmatch(text.strip())
        if match is None:
            raise ClaudeNotConfigured(
                f"{VARIABLE} is {text!r}; set it to US dollars, such as 25, 25/month or 2.50/day, or unset it for no bound."
            )
        period: Period = "day" if (match[2] or "").lower() == "day" else "month" if match[2] else "all"
        return cls(float(match[1]), period)

    def since(self, now: datetime) -> datetime | None:
        """When the period began; None: it began with the account."""
        if self.period == "all":
            return None
        midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight if self.period == "day" else midnight.replace(day=1)

    def seconds_left(self, now: datetime) -> float | None:
        """Until the next period begins; None: there is none."""
        begun = self.since(now)
        if begun is None:
            return None
        further = begun + timedelta(days=1 if self.period == "day" else 32)
        ends = further if self.period == "day" else further.replace(day=1)
        return (ends - now).total_seconds()

    def check(self, spent: float, expected: float, now: datetime) -> None:
        """Raises `BudgetReached` where a call of about `expected` dollars would pass it."""
        if spent + expected > self.usd:
            raise BudgetReached(
                f"${spent:.2f} of the budget of {self} are spent, and the next call takes about ${expected:.2f}. What was "
                f"read is kept, the rest waits: raise {VARIABLE} (and restart what runs), or see `fabula usage`.",
                retry_after=self.seconds_left(now),
            )

    def allow(self, account: Spending, expected: float, now: datetime) -> None:
        """Raises `BudgetReached` where the account has no room left for a call of about `expected` dollars."""
        self.check(account.spent(self.since(now)), expected, now)

    def __str__(self) -> str:
        return f"${self.usd:.2f}" + ("" if self.period == "all" else f" a {self.period}")
