"""Who must be weighed again: which chapters use a name, require a key or an entity, or depend on a chapter."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Iterable

from events.contributions import Contribution
from events.domain_events import Setting
from events.ids import EntityId
from events.registry import add_chapter, drop_chapter


class Watching:
    """The watches of a story, and the chapters that are due, which come out in story order."""

    def __init__(self) -> None:
        self._uses: dict[str, list[int]] = {}
        self._dependents: dict[int, set[int]] = {}
        self._of_key: dict[str, set[int]] = {}
        self._of_entity: dict[EntityId, set[int]] = {}
        self._due: list[int] = []

    def depend(self, chapter: int, on: Iterable[int]) -> None:
        for ground in on:
            self._dependents.setdefault(ground, set()).add(chapter)

    def require(self, chapter: int, setting: Setting, entities: Iterable[EntityId], new: Contribution) -> None:
        """A record of the chapter requires the key of `setting`; `entities` are those in it and in the wanted value."""
        new.watched_keys.add(setting.node_key)
        self._of_key.setdefault(setting.node_key, set()).add(chapter)
        for entity in entities:
            new.watched_entities.add(entity)
            self._of_entity.setdefault(entity, set()).add(chapter)

    def forget(self, chapter: int, old: Contribution) -> None:
        """Takes back what the chapter required."""
        for key in old.watched_keys:
            self._of_key[key].discard(chapter)
        for entity in old.watched_entities:
            self._of_entity[entity].discard(chapter)

    def use(self, chapter: int, old: Contribution, new: Contribution) -> None:
        """The names that the chapter uses now."""
        for key in old.names - new.names:
            drop_chapter(self._uses[key], chapter)
        for key in new.names - old.names:
            add_chapter(self._uses.setdefault(key, []), chapter)

    def uses(self, key: str, above: int = 0) -> list[int]:
        """The chapters after `above` that use the name."""
        uses = self._uses.get(key, [])
        return uses[bisect_right(uses, above) :]

    @property
    def requires_anything(self) -> bool:
        return bool(self._of_key)

    # -- what is due --------------------------------------------------------------------------------------------------

    def mark(self, chapters: Iterable[int], above: int = 0) -> None:
        for chapter in chapters:
            if chapter > above and chapter not in self._due:
                heapq.heappush(self._due, chapter)

    def mark_dependents(self, chapter: int) -> None:
        self.mark(self._dependents.get(chapter, ()), above=chapter)

    def mark_uses(self, key: str, above: int = 0) -> None:
        self.mark(self.uses(key, above))

    def mark_requiring_key(self, key: str, above: int) -> None:
        self.mark(self._of_key.get(key, ()), above)

    def mark_requiring_entities(self, entities: Iterable[EntityId], above: int = 0) -> None:
        for entity in entities:
            self.mark(self._of_entity.get(entity, ()), above)

    def next_due(self) -> int | None:
        return heapq.heappop(self._due) if self._due else None
