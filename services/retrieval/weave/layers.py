"""The derived layers of NKW as of a checkpoint: profiles, interactions, episodes and storylines.

All are made from the live records of one slice and nothing else, so they can be told as of any chapter. They point to records by
index; what a record stands on is the business of `provenance`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from events.ids import EntityId
from projections.passages.read import RecordRow
from services.retrieval.cast import Cast, Figure
from services.retrieval.entries import Entry

MEETINGS: Final = frozenset({"interaction", "relationship_delta"})


@dataclass(frozen=True, slots=True)
class Profile:
    """An entity's merged description: what it is called, what the chapters say it is, what holds of it."""

    name: str
    type: str
    aliases: tuple[str, ...]
    descriptions: tuple[str, ...]
    records: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Storyline:
    """A thread, an arc or a state key through the chapters: its steps in story order."""

    title: str
    steps: tuple[int, ...]


class Layers:
    """The layers over the records of a slice, each made when it is first asked for."""

    def __init__(self, records: Sequence[RecordRow], cast: Cast, entries: Mapping[str, Sequence[Entry]]) -> None:
        self._records = records
        self._cast = cast
        self._entries = entries

    def profile(self, figure: Figure) -> Profile:
        introduced = [self._records[index].payload for index in figure.introduced_in]
        descriptions = dict.fromkeys(str(p["description"]).strip() for p in introduced if p.get("description"))
        return Profile(
            name=self._cast.name(figure.id),
            type=str(introduced[0].get("type", "unknown")) if introduced else "unknown",
            aliases=tuple(self._cast.aliases(figure)),
            descriptions=tuple(descriptions),
            records=tuple(figure.introduced_in or figure.mentioned_in[:1]),
        )

    @cached_property
    def interactions(self) -> dict[frozenset[EntityId], list[int]]:
        """The records of each pair of entities that meet, or whose relation changes, in story order."""
        found: dict[frozenset[EntityId], list[int]] = {}
        for index, record in enumerate(self._records):
            if record.kind in MEETINGS:
                pair = frozenset(
                    self._cast.of(entity) for slot, entity, _ in record.mentions if slot in ("source", "target")
                )
                if len(pair) == 2:
                    found.setdefault(pair, []).append(index)
        return found

    @cached_property
    def episodes(self) -> dict[tuple[int, int], list[int]]:
        """The records of each scene, by (chapter, scene), in story order."""
        found: dict[tuple[int, int], list[int]] = {}
        for index, record in enumerate(self._records):
            found.setdefault((record.chapter, record.order[0]), []).append(index)
        return found

    @cached_property
    def storylines(self) -> list[Storyline]:
        """Threads, arcs and keys with at least two steps, in the order of their first."""
        steps: dict[str, dict[int, None]] = {}
        for key, entries in self._entries.items():
            for entry in entries:
                steps.setdefault(key, {}).update(dict.fromkeys(entry.support))
        found = [Storyline(key, tuple(sorted(of))) for key, of in steps.items() if len(of) > 1]
        return sorted(found, key=lambda line: (line.steps, line.title))

    @cached_property
    def storylines_of(self) -> dict[int, list[Storyline]]:
        """The storylines that each record is a step of."""
        found: dict[int, list[Storyline]] = {}
        for line in self.storylines:
            for step in line.steps:
                found.setdefault(step, []).append(line)
        return found

    def between(self, figures: Iterable[Figure]) -> list[int]:
        """The records in which two of the figures meet, in story order."""
        ids = {figure.id for figure in figures}
        return sorted(index for pair, of in self.interactions.items() if pair <= ids for index in of)
