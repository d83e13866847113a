"""The registry of a story: which entities there are, by which names, and which are one, as of a chapter.

A name is looked up as of the chapter that uses it: first among what that chapter introduces itself, then among names
introduced before, then among aliases. An alias that several entities claim means the one of them whom the chapter introduces, else
the only one who was around, else the one who has it far more often; where none of that tells it stays ambiguous. Two
entities are joined only by a link, which holds from its chapter on: a name used before it was introduced, an alias that
was somebody's name, an `identity` record, or an editor's decision.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from events.ids import EntityId
from events.names import AMBIGUOUS, UNKNOWN, class_of, entity_id, key_of

RANK: Final = {"name": 0, "alias": 10_000_000, "identity": 20_000_000, "merge": 30_000_000}
"""Links of one chapter are joined in this order of their origins."""

_AROUND: Final = 10
"""Chapters after which whoever has not been called by a name is no longer thought of at it, while others are."""
_FAR_MORE: Final = 3
"""How many times as many chapters have to give a name to one claimant as to any other for the name to be his."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """From `chapter` on `a` and `b` are one, under b's name."""

    chapter: int
    rank: int
    a: EntityId
    b: EntityId
    origin: str = "merge"
    record: str | None = None


class Links:
    """The links of a story, and who is one with whom as of a chapter."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self._of: dict[EntityId, list[Link]] = {}
        for link in links:
            self.add(link)

    def __iter__(self) -> Iterator[Link]:
        return iter(sorted({link for links in self._of.values() for link in links}))

    def of(self, entity: EntityId) -> list[Link]:
        return self._of.get(entity, [])

    def add(self, link: Link) -> None:
        for end in {link.a, link.b}:
            insort(self._of.setdefault(end, []), link)

    def discard(self, link: Link) -> None:
        for end in {link.a, link.b}:
            links = self._of.get(end, [])
            if link in links:
                links.remove(link)
            if not links:
                self._of.pop(end, None)

    def group(self, entity: EntityId, at: int | None) -> frozenset[EntityId]:
        """All that are one with `entity` after chapter `at`; None: at any time."""
        if entity not in self._of:
            return frozenset((entity,))
        seen, todo = {entity}, [entity]
        while todo:
            for link in self._of.get(todo.pop(), ()):
                if at is None or link.chapter <= at:
                    fresh = {link.a, link.b} - seen
                    seen |= fresh
                    todo.extend(fresh)
        return frozenset(seen)

    def representative(self, entity: EntityId, at: int) -> EntityId:
        """The one under whose name the group of `entity` goes after chapter `at`."""
        if entity not in self._of:
            return entity
        within = sorted({link for e in self.group(entity, at) for link in self._of.get(e, ()) if link.chapter <= at})
        head: dict[EntityId, EntityId] = {}

        def find(e: EntityId) -> EntityId:
            while e in head:
                e = head[e]
            return e

        for link in within:
            a, b = find(link.a), find(link.b)
            if a != b:
                head[a] = b
        return find(entity)


def compatible(a: str, b: str) -> bool:
    """Whether entities of these classes can be one."""
    return a == b or UNKNOWN in (a, b)


@dataclass(slots=True)
class NameEntry:
    """What is known of one name key: for each entity the chapters that introduce it so, or claim the name as alias."""

    introduced: dict[EntityId, list[int]] = field(default_factory=dict)
    claimed: dict[EntityId, list[int]] = field(default_factory=dict)
    unknown_in: list[int] = field(default_factory=list)
    """Chapters that use the name while nobody had introduced it."""


@dataclass(frozen=True, slots=True)
class LocalNames:
    """What a chapter's own entity records introduce: names beat aliases."""

    names: dict[str, list[EntityId]]
    aliases: dict[str, list[EntityId]]


NO_NAMES: Final = LocalNames({}, {})


class Registry:
    """Names of a story by key, the links between entities, and what an editor cut apart."""

    def __init__(self) -> None:
        self.names: dict[str, NameEntry] = {}
        self.links = Links()
        self.cuts: frozenset[frozenset[str]] = frozenset()

    def entry(self, key: str) -> NameEntry:
        return self.names.setdefault(key, NameEntry())

    def is_cut(self, a: str, b: str) -> bool:
        return bool(self.cuts) and frozenset((a, b)) in self.cuts

    def introduced_before(self, key: str, chapter: int) -> list[EntityId]:
        entry = self.names.get(key)
        return [e for e, chapters in entry.introduced.items() if chapters[0] < chapter] if entry else []

    def claimed_before(self, key: str, chapter: int) -> list[EntityId]:
        """Entities with the alias `key`, those that are one as of the chapter before counted once (its first claimant)."""
        return list(self._claimants(key, chapter))

    def _claimants(self, key: str, chapter: int) -> dict[EntityId, list[EntityId]]:
        """Each that claims an alias before the chapter, with all that are one with it and claim it, too."""
        entry = self.names.get(key)
        if not entry:
            return {}
        found = sorted(
            (chapters[0], e)
            for e, chapters in entry.claimed.items()
            if chapters[0] < chapter and not self.is_cut(key, key_of(e))
        )
        groups: dict[EntityId, list[EntityId]] = {}
        for _, entity in found:
            groups.setdefault(self.links.representative(entity, chapter - 1), []).append(entity)
        return {group[0]: group for group in groups.values()}

    def resolve(self, key: str, prefer: tuple[str, ...], chapter: int, local: LocalNames) -> EntityId:
        """The entity that the name means in a chapter; `unknown/…` for a name nobody introduced, `ambiguous/…` for several."""
        for candidates in (
            local.names.get(key, []),
            local.aliases.get(key, []),
            self.introduced_before(key, chapter),
        ):
            if candidates:
                return _pick(candidates, prefer) or entity_id(AMBIGUOUS, key)
        claimants = self._claimants(key, chapter)
        if not claimants:
            return entity_id(UNKNOWN, key)
        found = _pick(list(claimants), prefer)
        if found is None:
            fitting = {e: group for e, group in claimants.items() if not prefer or class_of(e) in prefer} or claimants
            here = [e for entities in local.names.values() for e in entities]
            found = self._meant(key, fitting, here, chapter)
        return found or entity_id(AMBIGUOUS, key)

    def _meant(
        self, key: str, claimants: Mapping[EntityId, list[EntityId]], here: Iterable[EntityId], chapter: int
    ) -> EntityId | None:
        """Which of several claimants a chapter means that does not say so: the one of those who are here, or the likeliest."""
        there = self._among(claimants, here, chapter)
        if there:
            return there[0] if len(there) == 1 else None
        claimed = self.names[key].claimed
        return _likeliest({e: [claimed[one] for one in group] for e, group in claimants.items()}, chapter)

    def _among(self, claimants: Iterable[EntityId], others: Iterable[EntityId], chapter: int) -> list[EntityId]:
        """The claimants that are one with any of the others as of the chapter before."""
        heads = {self.links.representative(e, chapter - 1) for e in others}
        return [e for e in claimants if self.links.representative(e, chapter - 1) in heads]

    def introduced_as_alias(
        self, key: str, kind_class: str, chapter: int, others: Iterable[tuple[str, EntityId]] | None
    ) -> EntityId | None:
        """Whom a chapter introduces by a name that was an alias so far; None where nobody of that class had it.

        `others` are those whom the chapter introduces by names that tell who they are, with these names: it tells "Anna"
        from the Anna Petrova it has as well, but where it has "Mara" and "Voss" it need not know that they are one. While
        the others are not known (None) a name of several stays ambiguous.
        """
        claimants = {e: c for e, c in self._claimants(key, chapter).items() if kind_class in (class_of(e), UNKNOWN)}
        if len(claimants) < 2:
            return next(iter(claimants), None)
        undecided = entity_id(AMBIGUOUS, key)
        if others is None:
            return undecided
        told = list(others)
        if self._among(claimants, [e for name, e in told if set(key.split()) <= set(name.split())], chapter):
            return undecided
        return self._meant(key, claimants, [e for _, e in told], chapter) or undecided

    def is_known(self, key: str, chapter: int, local: LocalNames) -> bool:
        return bool(
            key in local.names
            or key in local.aliases
            or self.introduced_before(key, chapter)
            or self.claimed_before(key, chapter)
        )

    def own_links(self, key: str) -> list[Link]:
        """The links that follow from how the name `key` is used, introduced and claimed."""
        entry = self.names.get(key)
        if not entry:
            return []
        found = [self._unknown_link(key, entry)] if entry.unknown_in else []
        found += [self._alias_link(key, entry, entity) for entity in entry.introduced]
        return [link for link in found if link]

    def _unknown_link(self, key: str, entry: NameEntry) -> Link | None:
        """A name first used and then introduced, or then claimed as alias, was that entity all along."""
        used = entry.unknown_in[0]
        unknown = entity_id(UNKNOWN, key)
        later = [(_after(chapters, used), 0, e) for e, chapters in entry.introduced.items()]
        later += [
            (_after(chapters, used), 1, e)
            for e, chapters in entry.claimed.items()
            if not self.is_cut(key, key_of(e)) and e != unknown
        ]
        return _single(unknown, [(c, o, e) for c, o, e in later if c is not None], "name")

    def _alias_link(self, key: str, entry: NameEntry, entity: EntityId) -> Link | None:
        """An entity whose name another one claims as alias, in a chapter that does not introduce it apart, is that other one."""
        introduced = entry.introduced[entity]
        found: list[tuple[int, int, EntityId]] = []
        for claimant, chapters in entry.claimed.items():
            if (
                claimant == entity
                or not compatible(class_of(claimant), class_of(entity))
                or self.is_cut(key, key_of(claimant))
            ):
                continue
            apart = set(introduced)
            first = next((c for c in chapters[bisect_left(chapters, introduced[0]) :] if c not in apart), None)
            if first is not None:
                found.append((first, 0, claimant))
        return _single(entity, found, "alias")


def add_chapter(chapters: list[int], chapter: int) -> None:
    if chapter not in chapters[bisect_left(chapters, chapter) : bisect_right(chapters, chapter)]:
        insort(chapters, chapter)


def drop_chapter(chapters: list[int], chapter: int) -> None:
    at = bisect_left(chapters, chapter)
    if at < len(chapters) and chapters[at] == chapter:
        del chapters[at]


def _pick(candidates: list[EntityId], prefer: tuple[str, ...]) -> EntityId | None:
    if len(candidates) == 1:
        return candidates[0]
    fitting = [e for e in candidates if class_of(e) in prefer]
    return fitting[0] if len(fitting) == 1 else None


def _likeliest(claims: Mapping[EntityId, list[list[int]]], chapter: int) -> EntityId | None:
    """The one claimant who was around lately; of several the one who has the name far more often, else nobody.

    `claims`: the chapters, in order, that claim the name for each of those who are the claimant.
    """
    lately = {e: _within(lists, chapter - _AROUND, chapter) for e, lists in claims.items()}
    counts = {e: n for e, n in lately.items() if n} or {e: _within(lists, 0, chapter) for e, lists in claims.items()}
    first, *others = sorted(counts, key=lambda e: (-counts[e], e))
    return first if all(counts[first] >= _FAR_MORE * counts[other] for other in others) else None


def _within(lists: list[list[int]], start: int, end: int) -> int:
    """How many chapters of [start, end) are in any of the lists."""
    return len({c for chapters in lists for c in chapters[bisect_left(chapters, start) : bisect_left(chapters, end)]})


def _after(chapters: list[int], chapter: int) -> int | None:
    at = bisect_right(chapters, chapter)
    return chapters[at] if at < len(chapters) else None


def _single(entity: EntityId, found: list[tuple[int, int, EntityId]], origin: str) -> Link | None:
    if not found:
        return None
    first = min(chapter for chapter, _, _ in found)
    kind = min(order for chapter, order, _ in found if chapter == first)
    of = sorted({e for chapter, order, e in found if chapter == first and order == kind})
    return Link(first, RANK[origin], entity, of[0], origin) if len(of) == 1 else None
