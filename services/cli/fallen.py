"""What an edit brought down, in a few words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Event = dict[str, Any]


def fallen(events: Iterable[Event]) -> list[Event]:
    """The invalidations among events, in log order."""
    return [each for each in events if each["type"] == "RecordInvalidated"]


def describe(record: dict[str, Any]) -> str:
    """A record in a few words."""
    match record["kind"]:
        case "object_delta":
            fields = (f"{name} {record[name]}" for name in ("owner", "location", "state") if record.get(name))
            return f"{record['object']}: {', '.join(fields)}"
        case "character_delta":
            return f"{record['character']}: {record['attribute']} {record['value']}"
        case "knowledge":
            return f"{record['knower']} {record.get('stance', 'knows')}: {record['fact']}"
        case "relationship_delta":
            return f"{record['source']} and {record['target']}: {record['relation']}"
        case "fact":
            negation = "not " if record.get("negated") else ""
            return f"{negation}{record['subject']} {record['predicate']} {record['object']}"
        case "arc_delta":
            return f"{record['subject']}: {record['stage']}"
        case "thread":
            return f"{record['thread']}: {record['status'].replace('_', ' ')}"
        case "revelation":
            return f"revealed: {record['fact']}"
        case _:
            return str(record.get("summary") or record.get("name") or record["kind"])
