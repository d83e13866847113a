"""How the states of two branches differ, or of a branch and its parent."""

from __future__ import annotations

from typing import Any

from services.documents import Document


def differences(one: Document, other: Document) -> Document:
    """What `other` has beside `one`, two replies of `state`, entry by entry in the order of the keys.

    `added` are entries that only `other` has, `removed` those that only `one` has; `changed` has `{"key", "before",
    "after"}` where the value is another or holds from another chapter on.
    """
    old: dict[str, Any] = {entry["key"]: entry for entry in one["state"]}
    new: dict[str, Any] = {entry["key"]: entry for entry in other["state"]}
    both = sorted(old.keys() & new.keys())
    return {
        "same": one["digest"] == other["digest"],
        "added": [new[key] for key in sorted(new.keys() - old.keys())],
        "removed": [old[key] for key in sorted(old.keys() - new.keys())],
        "changed": [
            {"key": key, "before": old[key], "after": new[key]} for key in both if _holds(old[key]) != _holds(new[key])
        ],
    }


def _holds(entry: dict[str, Any]) -> tuple[Any, Any]:
    return entry["value"], entry["valid_from"]
