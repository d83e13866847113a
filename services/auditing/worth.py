"""How much a record matters to who is told the story so far: its kind, whom it is about, how lately it is told, what rests on it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final, Literal

from events.names import fact_key
from projections.story_state.found import RecordRow
from services.auditing.clauses import Topics
from services.auditing.material import Material
from services.auditing.sentences import DEAD

Audience = Literal["reader", "writer"]

_WEIGHTS: Final = {
    "identity": 4.0, "revelation": 3.5, "thread": 3.5, "event": 2.0, "relationship_delta": 2.2, "situation": 1.6,
    "character_delta": 1.2, "arc_delta": 1.5, "object_delta": 1.4, "knowledge": 1.3, "interaction": 1.2, "world_rule": 1.0,
}  # fmt: skip
_ATTRIBUTES: Final = {"status": 2.0, "goal": 1.8, "allegiance": 1.8, "disguise": 1.8, "occupation": 1.6, "emotion": 0.6}
_DEATH: Final = 5.0
_GROUND: Final = 1.0
"""What it adds to an event that other records rest on it."""
_FOR_WRITERS: Final = {"thread": 1.4, "knowledge": 1.5, "world_rule": 2.0}
_BACKGROUND: Final = 0.25
"""The worth of what a reader who asks for what happened since a chapter knows already."""
_NAMING: Final = 0.2
"""The worth of an identity that only tells the name of whom the same chapter brings in."""


def is_clause(row: RecordRow) -> bool:
    """Whether it is what rules read off a clause."""
    return row.kind in ("event", "interaction") and row.payload.get("confidence", 1.0) < 1.0


def first_name(row: RecordRow) -> str:
    """Whom a clause is about first, as the text calls them."""
    slots = ("participants.0", "source")
    return next((m.surface for slot in slots for m in row.mentions if m.slot.startswith(slot)), "")


class Weighing:
    """How much a record matters as of the moment: its kind, whom it is about, how lately it is told, and what rests on it."""

    def __init__(self, material: Material, audience: Audience, since: int | None) -> None:
        self._material = material
        self._audience = audience
        self._since = since
        self._cast = _prominence(material)
        self._grounds = Counter(name for row in material.actual for name in _rested_on(row))
        self._half = max(2.0, material.moment.at / 4)
        self._topics = Topics(row for row in material.rows if is_clause(row))
        self._first: dict[str, int] = {}
        for row in material.rows:
            for mention in row.mentions:
                self._first[mention.entity] = min(row.chapter, self._first.get(mention.entity, row.chapter))

    def worth(self, row: RecordRow) -> float:
        worth = _WEIGHTS[row.kind]
        if row.kind == "character_delta":
            attribute = str(row.payload["attribute"]).casefold()
            worth = _ATTRIBUTES.get(attribute, worth)
            if attribute == "status" and DEAD & set(fact_key(str(row.payload["value"])).split()):
                worth = _DEATH
        if self._grounds[row.name]:
            worth += _GROUND
        if row.kind == "identity" and self._is_naming(row):
            worth *= _NAMING
        if is_clause(row):
            worth *= self._topics.worth(row, first_name(row))
        if self._audience == "writer":
            worth *= _FOR_WRITERS.get(row.kind, 1.0)
        age = self._material.moment.at - row.chapter
        worth *= (
            (0.35 + 0.65 * 0.5 ** (age / self._half)) * self._people(row) * float(row.payload.get("confidence", 1.0))
        )
        if self._since is not None and row.chapter <= self._since and row.kind != "thread":
            worth *= _BACKGROUND
        return float(worth)

    def _is_naming(self, row: RecordRow) -> bool:
        return any(self._first[m.entity] == row.chapter for m in row.mentions if m.slot == "a")

    def _people(self, row: RecordRow) -> float:
        shares = sorted((self._cast.get(self._material.naming.head(m.entity), 0.0) for m in row.mentions), reverse=True)
        return 0.6 + 0.4 * (shares[0] if shares else 0.5) + 0.2 * (shares[1] if len(shares) > 1 else 0.0)


def _prominence(material: Material) -> dict[str, float]:
    """By entity, in how many chapters it is named, as a share of the most."""
    chapters: defaultdict[str, set[int]] = defaultdict(set)
    for row in material.rows:
        for mention in row.mentions:
            chapters[material.naming.head(mention.entity)].add(row.chapter)
    most = max((len(found) for found in chapters.values()), default=1)
    return {entity: len(found) / most for entity, found in chapters.items()}


def _rested_on(row: RecordRow) -> Iterable[str]:
    names = [*row.payload.get("depends_on", ()), *row.payload.get("causes", ())]
    return {name if ":" in name else f"{row.chapter}:{name}" for name in names}
