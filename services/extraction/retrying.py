"""How often, and after how long, something that failed is tried again."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

import psycopg

from events.errors import DomainRefusal, Postponed, Unavailable

_OUTAGES: Final = (Unavailable, ConnectionError, TimeoutError, psycopg.OperationalError, psycopg.InterfaceError)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """A bound on attempts, and a wait between them that doubles and is scattered.

    `outage_attempts` bounds attempts that failed because a service did not answer, `attempts` all others except
    refusals, which are never tried again, and what is postponed, which is taken up again later. Waits are in seconds;
    each is drawn from [half, whole] of its length.
    """

    attempts: int = 3
    outage_attempts: int = 4
    first: float = 0.2
    longest: float = 5.0

    def allows(self, error: BaseException, attempts: int) -> bool:
        """Whether there is another attempt after `attempts`, the last of which ended in `error`."""
        if isinstance(error, DomainRefusal | Postponed):
            return False
        return attempts < (self.outage_attempts if is_outage(error) else self.attempts)

    def wait(self, attempts: int, draw: random.Random) -> float:
        """How long to wait after that many attempts."""
        longest = min(self.longest, self.first * 2.0 ** min(attempts - 1, 32))
        return longest * (0.5 + 0.5 * draw.random())


def is_outage(error: BaseException) -> bool:
    """Whether a service did not answer, which says nothing about what was asked of it."""
    return isinstance(error, _OUTAGES)


EMBEDDED: Final = RetryPolicy()
"""For somebody who waits: a few seconds at most."""
WORKER: Final = RetryPolicy(attempts=4, outage_attempts=14, first=0.5, longest=120.0)
"""For a worker: four attempts, or some fourteen minutes where a service does not answer before others have their turn."""
