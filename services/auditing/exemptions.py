"""Findings that an editor let stand, with reasons. One lapses when the records that decide it are no longer the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg_pool import ConnectionPool

from events.domain_events import Json
from services.auditing.checking.findings import of_what

_DECISIONS: Final = """SELECT sequence, published_at, body->'decision' FROM ledger.publications
    WHERE story = %s AND action = %s AND status = 'appended' ORDER BY sequence"""


@dataclass(frozen=True, slots=True)
class Exemption:
    finding: str
    reason: str
    decided_at: datetime

    def to_json(self) -> Json:
        return {"finding": self.finding, "reason": self.reason, "decided_at": self.decided_at.isoformat()}


def exemptions(pool: ConnectionPool[Any], story: str) -> list[Exemption]:
    """The exemptions of the story in the order in which they were decided."""
    with pool.connection() as connection:
        rows = connection.execute(_DECISIONS, (story, "exempt")).fetchall()
    return [Exemption(decision["finding"], decision["reason"], at) for _, at, decision in rows]


def plans(pool: ConnectionPool[Any], story: str) -> Mapping[str, int]:
    """By thread key, the chapter by which an editor wants it paid off."""
    with pool.connection() as connection:
        rows = connection.execute(_DECISIONS, (story, "due")).fetchall()
    latest = {decision["thread"]: decision["due"] for _, _, decision in rows}
    return {thread: due for thread, due in latest.items() if due is not None}


def applied(names: Sequence[str], decided: Sequence[Exemption]) -> dict[str, tuple[Exemption, bool]]:
    """By finding the latest exemption of what it is about, and whether it still stands."""
    by_what = {of_what(each.finding)[0]: each for each in decided}
    standing = {each.finding: each for each in decided}
    found: dict[str, tuple[Exemption, bool]] = {}
    for name in names:
        if name in standing:
            found[name] = (standing[name], True)
        elif (other := by_what.get(of_what(name)[0])) is not None:
            found[name] = (other, False)
    return found
