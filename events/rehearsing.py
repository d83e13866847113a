"""What publications would change, worked out on a story's index that is thrown away afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from events.domain_events import StoryEvent
from events.ids import EntityId
from events.keys import render, shown_value
from events.names import key_of
from events.story_index import StoryIndex
from events.validity import Assertion, Interval, as_of, fold

Changed: TypeAlias = tuple[str, str | None, str | None]
"""A state key, its value before, its value after; None where it has none."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a story as an index has it: chapters with a text, and the intervals of every key."""

    chapters: tuple[int, ...]
    intervals: tuple[Interval, ...]

    def after(self, chapter: int) -> dict[str, str]:
        """The value of each key after the chapter has been read."""
        return {key: interval.value for key, interval in as_of(self.intervals, chapter).items()}


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The events that would be appended, and the state of the whole story before and after them."""

    events: list[StoryEvent]
    before: Snapshot
    after: Snapshot

    def changed(self) -> Mapping[int, list[Changed]]:
        """By chapter, the keys whose value after it would be another, each where the difference begins."""
        found: dict[int, list[Changed]] = {}
        last: set[Changed] = set()
        for chapter in sorted({*self.before.chapters, *self.after.chapters}):
            old, new = self.before.after(chapter), self.after.after(chapter)
            here = {
                (key, old.get(key), new.get(key)) for key in old.keys() | new.keys() if old.get(key) != new.get(key)
            }
            if begins := sorted(here - last, key=lambda changed: changed[0]):
                found[chapter] = begins
            last = here
        return found


def snapshot(index: StoryIndex) -> Snapshot:
    """The state now, entities under the names that the whole story gives them."""
    chapters = index.chapters
    at = chapters[-1] if chapters else 0
    names: dict[EntityId, str] = {}
    # whoever is introduced goes by the name of the introduction, others by the one they are first called
    for entry in sorted(index.live_entries(), key=lambda e: e.kind != "entity"):
        for mention in entry.mentions:
            names.setdefault(mention.entity, mention.surface)

    def name_of(entity: EntityId) -> str:
        head = index.registry.links.representative(entity, at)
        return names.get(head) or key_of(head)

    assertions = [
        Assertion((*entry.place, entry.uid), render(setting, name_of), shown_value(setting.value, name_of), entry.uid)
        for entry in index.live_entries()
        for setting in entry.settings
    ]
    return Snapshot(tuple(chapters), tuple(fold(assertions)))
