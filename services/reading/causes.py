"""How something came about: the audit read backwards, from an event to what it began with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Event = dict[str, Any]
"""An event as `audit` gives it."""


def cause_chain(event: Event, log: Iterable[Event]) -> list[Event]:
    """From what it all began with to the event itself, each the cause of the next."""
    by_id = {each["id"]: each for each in log}
    chain = [event]
    while (cause := by_id.get(chain[0]["caused_by"] or "")) is not None and cause not in chain:
        chain.insert(0, cause)
    return chain


def last_change(events: Sequence[Event], log: Iterable[Event]) -> list[Event]:
    """The chain of the last event that changed whether the record of `events` holds; empty where none did."""
    changes = [each for each in events if each["type"] in ("RecordInvalidated", "RecordReinstated")]
    return cause_chain(changes[-1], log) if changes else []


def told(step: Event) -> str:
    """A step of a chain in a line."""
    what = step["record"] or (
        f"chapter {step['chapter']}, revision {step['revision']}" if step["chapter"] else "an editor's decision"
    )
    reason = f"  {step['reason'].replace('_', ' ')}" if step["reason"] else ""
    return f"{step['position']:>5}  {step['type']}  {what}{reason}"
