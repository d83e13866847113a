"""Who is who after a chapter: entities joined by the links up to there, and the names they go by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from events.ids import EntityId
from events.names import key_of
from events.registry import Link, Links
from projections.passages.read import LinkRow, RecordRow


@dataclass(slots=True)
class Figure:
    """An entity with all that is one with it. Indices point into the slice's records, in story order."""

    id: EntityId
    mentioned_in: list[int] = field(default_factory=list)
    introduced_in: list[int] = field(default_factory=list)
    """Records of kind `entity` whose subject it is."""


class Cast:
    """The entities of records, which are in story order; `at` is the chapter after which links hold."""

    def __init__(self, records: Sequence[RecordRow], links: Iterable[LinkRow], at: int) -> None:
        self._records = records
        self._links = Links(Link(row.chapter, row.rank, EntityId(row.a), EntityId(row.b)) for row in links)
        self._at = at
        self._heads: dict[str, EntityId] = {}
        self._surfaces: dict[str, str] = {}
        self._introduced: dict[str, str] = {}
        self.figures: dict[EntityId, Figure] = {}
        for index, record in enumerate(records):
            self._read(index, record)

    def of(self, entity: str) -> EntityId:
        """The entity under whose name this one goes."""
        head = self._heads.get(entity)
        if head is None:
            head = self._heads[entity] = self._links.representative(EntityId(entity), self._at)
        return head

    def name(self, entity: str) -> str:
        """The canonical name: how the first `entity` record calls it, else how it is first mentioned, else how one is that is the same."""
        head = self.of(entity)
        return self._displayed(head) or self._as_another(head) or key_of(head)

    def _displayed(self, entity: EntityId) -> str:
        return self._introduced.get(entity) or self._surfaces.get(entity) or ""

    def _as_another(self, head: EntityId) -> str:
        """How one that is the same is called, where no record names the one under whose name they go."""
        return next(filter(None, map(self._displayed, sorted(self._links.group(head, self._at)))), "")

    def aliases(self, figure: Figure) -> list[str]:
        """The other names that its `entity` records give, in story order."""
        given: dict[str, None] = {}
        for index in figure.introduced_in:
            payload = self._records[index].payload
            given.update(dict.fromkeys([payload.get("name", ""), *payload.get("aliases", ())]))
        return [name for name in given if name and name != self.name(figure.id)]

    @cached_property
    def called(self) -> dict[str, Counter[EntityId]]:
        """How often each wording of a name means whom, as the records have resolved it where it stands; in lower case."""
        found: dict[str, Counter[EntityId]] = {}
        for record in self._records:
            for _, entity, surface in record.mentions:
                found.setdefault(surface.casefold(), Counter())[self.of(entity)] += 1
        return found

    @cached_property
    def ordered(self) -> list[Figure]:
        """Every figure, in the order of first mention."""
        return list(self.figures.values())

    def _read(self, index: int, record: RecordRow) -> None:
        seen: set[EntityId] = set()
        for slot, entity, surface in record.mentions:
            self._surfaces.setdefault(entity, surface)
            figure = self._figure(entity)
            if record.kind == "entity" and slot == "name":
                self._introduced.setdefault(entity, surface)
                if index not in figure.introduced_in[-1:]:
                    figure.introduced_in.append(index)
            if figure.id not in seen:
                seen.add(figure.id)
                figure.mentioned_in.append(index)

    def _figure(self, entity: str) -> Figure:
        head = self.of(entity)
        return self.figures.setdefault(head, Figure(head))
