"""Which scenes may be the next of one another: by the entities they share and how alike their summaries are, never all pairs.

NKW, appendix D.1: an entity filter brings 173 × 172 / 2 pairs down to some thousand; a semantic prior and the distance in script
order tighten it further.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from projections.embedding import Embedder
from services.auditing.chains.scenes import Scene

REACH: Final = 8
"""How many of the next scenes that share an entity a scene is compared with."""
FARTHEST: Final = 80
"""Scenes between two that may belong together, at most."""
KEPT: Final = 4
"""Candidates of each scene that are kept, the strongest."""
LEAST: Final = 0.35
STRONG: Final = 0.5
_PLACE, _PEOPLE, _THINGS, _LIKENESS = 0.4, 0.25, 0.15, 0.2


@dataclass(frozen=True, slots=True)
class Link:
    """That `after` may follow `before` in one setting: what they share, and how strongly, from 0 to 1."""

    before: int
    after: int
    score: float
    places: frozenset[str]
    people: frozenset[str]
    things: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """The links kept, with how many pairs there are, and how many the entities left."""

    links: list[Link]
    pairs: int
    filtered: int


def candidates(scenes: Sequence[Scene], embedder: Embedder) -> Found:
    """The links that entities and likeness suggest, strongest first."""
    pairs = sorted(_sharing(scenes))
    vectors = embedder.embed([scene.summary for scene in scenes]) if pairs else None
    by_scene: defaultdict[int, list[Link]] = defaultdict(list)
    for one, other in pairs:
        # rounded: the last bits of a product may differ between machines
        alike = 0.0 if vectors is None else max(0.0, round(float(vectors[one] @ vectors[other]), 4))
        link = _link(scenes[one], scenes[other], alike)
        if link.score >= LEAST:
            by_scene[one].append(link)
    kept = [link for links in by_scene.values() for link in sorted(links, key=_strongest)[:KEPT]]
    return Found(sorted(kept, key=_strongest), len(scenes) * (len(scenes) - 1) // 2, len(pairs))


def chained(links: Iterable[Link], count: int) -> list[list[int]]:
    """Paths through the scenes, by number: every scene is followed by one at most and follows one at most."""
    after: dict[int, int] = {}
    before: dict[int, int] = {}
    for link in links:
        if link.before not in after and link.after not in before:
            after[link.before], before[link.after] = link.after, link.before
    paths = []
    for first in range(count):
        if first in after and first not in before:
            path = [first]
            while path[-1] in after:
                path.append(after[path[-1]])
            paths.append(path)
    return paths


def _strongest(link: Link) -> tuple[float, int, int]:
    return (-link.score, link.after - link.before, link.before)


def _sharing(scenes: Sequence[Scene]) -> set[tuple[int, int]]:
    """Pairs that share a place, an object, or two people, and are not set in different places."""
    where: defaultdict[str, list[int]] = defaultdict(list)
    found: set[tuple[int, int]] = set()
    for scene in scenes:
        for entity in sorted(scene.places | scene.people | scene.things):
            for other in where[entity][-REACH:]:
                if scene.number - other <= FARTHEST and _may_go_on(scenes[other], scene):
                    found.add((other, scene.number))
            where[entity].append(scene.number)
    return found


def _may_go_on(one: Scene, other: Scene) -> bool:
    if one.places and other.places and not one.places & other.places:
        return False
    return bool(one.places & other.places or one.things & other.things or len(one.people & other.people) > 1)


def _link(one: Scene, other: Scene, alike: float) -> Link:
    places, people, things = one.places & other.places, one.people & other.people, one.things & other.things
    either = one.people | other.people
    score = _PLACE * bool(places) + _PEOPLE * (len(people) / len(either) if either else 0.0)
    score += _THINGS * bool(things) + _LIKENESS * alike
    return Link(one.number, other.number, round(score, 4), places, people, things)
