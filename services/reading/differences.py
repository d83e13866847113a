"""`diff`: what changed in the story between two chapters, and what changed in our belief between two positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from events.domain_events import Json
from events.keys import render, shown_value
from services.reading.beliefs import Believed
from services.reading.history import beliefs_of
from services.reading.naming import Naming
from services.reading.session import Session
from services.reading.slices import StateSlice

K = TypeVar("K", str, tuple[str, int])


def story_differences(before: StateSlice, after: StateSlice) -> Json:
    """`added`, `removed`: entries of the state; `changed`: `{"key", "before", "after"}` where the value is another."""
    old = {entry.key: entry.shown for entry in before.entries}
    new = {entry.key: entry.shown for entry in after.entries}
    return _differences(old, new, lambda shown: shown["value"])


def belief_differences(session: Session, story: str, p: int, q: int) -> Json:
    """How the intervals of all keys differ between what was believed at two positions.

    `added` and `removed` are intervals `{"key", "value", "valid_from", "valid_to"}`; `changed` has those that begin in
    the same chapter with another value or end.
    """
    moments = [session.whole(story, position) for position in (p, q)]
    old, new = ({} if not m.believed else _intervals(session, m.story, m.believed) for m in moments)
    return _differences(old, new, lambda shown: (shown["value"], shown["valid_to"]))


def _intervals(session: Session, story: str, believed: int) -> dict[tuple[str, int], Json]:
    moment = session.whole(story, believed)
    naming = Naming(session, moment)
    found = list(beliefs_of(session, moment, None).at(believed).values())
    naming.load({t.key for b in found for t in (*b.setting.args, b.value) if t.entity})
    shown = (_shown(b, naming) for b in found)
    return {(each["key"], each["valid_from"]): each for each in shown}


def _shown(belief: Believed, naming: Naming) -> Json:
    return {
        "key": render(belief.setting, naming.name),
        "value": shown_value(belief.value, naming.name),
        "valid_from": belief.valid_from,
        "valid_to": belief.valid_to,
    }


def _differences(old: Mapping[K, Json], new: Mapping[K, Json], content: Callable[[Json], Json]) -> Json:
    changed: Iterable[K] = (key for key in old.keys() & new.keys() if content(old[key]) != content(new[key]))
    return {
        "added": [new[key] for key in sorted(new.keys() - old.keys())],
        "removed": [old[key] for key in sorted(old.keys() - new.keys())],
        "changed": [{"key": old[key]["key"], "before": old[key], "after": new[key]} for key in sorted(changed)],
    }
