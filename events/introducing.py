"""Keeping the registry up to date with what the chapters introduce, and the links with the registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from events.contributions import Contribution
from events.diffing import Former
from events.domain_events import Json
from events.ids import EntityId
from events.names import AMBIGUOUS, UNKNOWN, class_of, key_of, name_key
from events.registry import RANK, Link, NameEntry, Registry, add_chapter, drop_chapter
from events.revisions import Entry
from events.watching import Watching


class Introducing:
    """Names, aliases and links of a story. A change marks the chapters that may understand something differently."""

    def __init__(self, registry: Registry, watching: Watching) -> None:
        self._registry = registry
        self._watching = watching
        self._own_links: dict[str, list[Link]] = {}
        self._claims_of: dict[EntityId, set[str]] = {}
        self._merges: set[Link] = set()
        self._changes: dict[Link, int] = {}

    def changes(self) -> tuple[list[Link], list[Link]]:
        """The links that came and those that went since this was asked last."""
        changes, self._changes = self._changes, {}
        return sorted(k for k, n in changes.items() if n > 0), sorted(k for k, n in changes.items() if n < 0)

    def names_of(self, key: str) -> set[str]:
        """The name keys of whoever is named `key`: the name itself, and the aliases claimed for it."""
        return {key} | {k for entity, keys in self._claims_of.items() if key_of(entity) == key for k in keys}

    # -- what chapters say --------------------------------------------------------------------------------------------

    def collect(self, entries: Iterable[Entry], former: Mapping[str, Former], new: Contribution) -> None:
        """Adds to a chapter's contribution what its live records introduce, claim and identify.

        An introduction that is not live claims nothing. What its name is, in its own chapter, it says all the same, so it does in
        those that follow: there the same name would be somebody else.
        """
        for entry in entries:
            if entry.kind == "entity":
                _introduce(entry, former, new)
            elif entry.live and entry.kind == "identity" and entry.actual:
                new.identities.update(self._identity(entry))

    def _identity(self, entry: Entry) -> list[Link]:
        a, b = entry.entity("a"), entry.entity("b")
        if not a or not b or a == b or self._registry.is_cut(key_of(a), key_of(b)):
            return []
        rank = RANK["identity"] + entry.order.ordinal
        return [Link(entry.chapter, rank, EntityId(a), EntityId(b), "identity", entry.name)]

    def update(self, chapter: int, old: Contribution, new: Contribution) -> None:
        """Brings names and links from what the chapter contributed to what it contributes now."""
        for key in {*old.introduced, *new.introduced, *old.claimed, *new.claimed, *old.unknown, *new.unknown}:
            if self._update_name(chapter, key, old, new):
                self._relink(key)
        for link in old.identities - new.identities:
            self._drop(link)
        for link in new.identities - old.identities:
            self._add(link)

    def _update_name(self, chapter: int, key: str, old: Contribution, new: Contribution) -> bool:
        entry = self._registry.entry(key)
        changed = (key in old.unknown) != (key in new.unknown)
        changed |= _move(entry.introduced, chapter, old.introduced.get(key, set()), new.introduced.get(key, set()))
        was, now = old.claimed.get(key, set()), new.claimed.get(key, set())
        changed |= _move(entry.claimed, chapter, was, now)
        for entity in was ^ now:
            self._note_claim(key, entity, entry)
        if key in new.unknown:
            add_chapter(entry.unknown_in, chapter)
        elif key in old.unknown:
            drop_chapter(entry.unknown_in, chapter)
        return changed

    def _note_claim(self, key: str, entity: EntityId, entry: NameEntry) -> None:
        claims = self._claims_of.setdefault(entity, set())
        if entity in entry.claimed:
            claims.add(key)
        else:
            claims.discard(key)

    # -- what an editor says ------------------------------------------------------------------------------------------

    def decide(self, decisions: Mapping[int, Mapping[str, Json]]) -> None:
        """Brings merges and cuts to what the decisions, by their numbers, amount to."""
        merges, cuts = decided(decisions)
        keys = {k for cut in cuts ^ self._registry.cuts for k in cut}
        self._registry.cuts = cuts
        for link in self._merges - merges:
            self._drop(link)
        for link in merges - self._merges:
            self._add(link)
        self._merges = merges
        for key in keys:
            self._relink(key)
            self._watching.mark_uses(key)
            entry = self._registry.entry(key)
            self._watching.mark_requiring_entities([*entry.introduced, *entry.claimed])

    # -- links --------------------------------------------------------------------------------------------------------

    def _relink(self, key: str) -> None:
        was, now = self._own_links.get(key, []), self._registry.own_links(key)
        for link in was:
            if link not in now:
                self._drop(link)
        for link in now:
            if link not in was:
                self._add(link)
        self._own_links[key] = now

    def _add(self, link: Link) -> None:
        self._registry.links.add(link)
        self._changed(link, +1)

    def _drop(self, link: Link) -> None:
        self._changed(link, -1)
        self._registry.links.discard(link)

    def _changed(self, link: Link, change: int) -> None:
        self._changes[link] = self._changes.get(link, 0) + change
        links = self._registry.links
        joined = links.group(link.a, None) | links.group(link.b, None)
        self._watching.mark_requiring_entities(joined, above=link.chapter - 1)
        for entity in joined:
            for key in self._claims_of.get(entity, ()):
                if len(self._registry.entry(key).claimed) > 1:
                    self._watching.mark_uses(key, above=link.chapter)


def decided(decisions: Mapping[int, Mapping[str, Json]]) -> tuple[set[Link], frozenset[frozenset[str]]]:
    """The merges that stand after all decisions, and the pairs of names that must not be one."""
    merges: dict[frozenset[str], Link] = {}
    cuts: set[frozenset[str]] = set()
    for sequence in sorted(decisions):
        decision = decisions[sequence]
        if "merge" in decision:
            a, b = (EntityId(e) for e in decision["merge"])
            cuts.discard(frozenset((key_of(a), key_of(b))))
            merges[frozenset((a, b))] = Link(decision["since"], RANK["merge"] + sequence, b, a, "merge")
        elif "split" in decision:
            split = apart(decision)
            cuts |= split
            merges = {p: m for p, m in merges.items() if frozenset((key_of(m.a), key_of(m.b))) not in split}
    return set(merges.values()), frozenset(cuts)


def apart(decision: Mapping[str, Json]) -> set[frozenset[str]]:
    """The pairs of name keys that a split says must not be one."""
    alias = decision["split"]
    return {frozenset((alias, name)) for name in decision["names"] if name != alias}


def _introduce(entry: Entry, former: Mapping[str, Former], new: Contribution) -> None:
    entity = entry.entity("name")
    if entity is None:
        return
    of, key = EntityId(entity), name_key(entry.payload["name"])
    if key == key_of(of) or key in former:
        if class_of(of) not in (UNKNOWN, AMBIGUOUS):
            new.introduced.setdefault(key, set()).add(of)
    elif entry.live:
        new.claimed.setdefault(key, set()).add(of)
    if not entry.live:
        return
    aliases = {name_key(alias) for alias in entry.payload.get("aliases", ())} - {key}
    for other in aliases | (former[key].names if key in former else frozenset()):
        new.claimed.setdefault(other, set()).add(of)


def _move(index: dict[EntityId, list[int]], chapter: int, was: set[EntityId], now: set[EntityId]) -> bool:
    """Moves the chapter's part of a name from some entities to others; whether that changed anything."""
    for entity in was - now:
        drop_chapter(index[entity], chapter)
        if not index[entity]:
            del index[entity]
    for entity in now - was:
        add_chapter(index.setdefault(entity, []), chapter)
    return was != now
