"""The index of a story: what the ledger knows of it, kept so that taking in a publication costs what depends on it.

`StoryIndex.take` takes in one publication and says what changed. Its outcome is a function of the set of publications
taken in with their numbers, never of the order of their arrival. A changed chapter is weighed anew (`events.weighing`);
from there on only chapters are weighed again that use a name, require a key, or depend on a record that changed.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from events.diffing import Former, matched, renamed
from events.domain_events import Json, Mention, Setting
from events.ids import EntityId
from events.names import UNKNOWN, class_of, key_of, name_key
from events.registry import NO_NAMES, RANK, Link, Registry, add_chapter, drop_chapter
from events.revisions import Entry, RevisionState
from events.weighing import (
    KeyList,
    equivalent_keys,
    grounds,
    identifying,
    in_weighing_order,
    local_names,
    read_names,
    required_setting,
    weigh,
)


@dataclass(slots=True)
class Contribution:
    """What a chapter, as last weighed, contributes to the indexes."""

    names: set[str] = field(default_factory=set)
    """Every name key it uses."""
    introduced: dict[str, set[EntityId]] = field(default_factory=dict)
    claimed: dict[str, set[EntityId]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    identities: set[Link] = field(default_factory=set)
    keys: dict[str, list[tuple[tuple[int, int, int, int], int, Entry]]] = field(default_factory=dict)
    keys_shown: dict[str, tuple[object, ...]] = field(default_factory=dict)
    watched_keys: set[str] = field(default_factory=set)
    watched_entities: set[EntityId] = field(default_factory=set)
    outcome: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Before:
    """What a record was before the publication."""

    live: bool
    mentions: tuple[Mention, ...]
    settings: tuple[Setting, ...]


@dataclass(slots=True)
class Taken:
    """What taking in a publication changed."""

    revision: RevisionState | None = None
    superseded: bool = False
    carried: list[tuple[Entry, Entry]] = field(default_factory=list)
    """(record of the revision before, the same in this one)"""
    asserted: list[Entry] = field(default_factory=list)
    withdrawn: list[Entry] = field(default_factory=list)
    """Records of the former revision that are gone, live until now."""
    touched: dict[Entry, Before] = field(default_factory=dict)
    linked: list[Link] = field(default_factory=list)
    unlinked: list[Link] = field(default_factory=list)


class StoryIndex:
    """All that is known of one story. `text_of` gives the text of a hash, or None where it was erased."""

    def __init__(self, story: str, text_of: Callable[[str], str | None]) -> None:
        self.story = story
        self.version = 0
        self.registry = Registry()
        self.keys: dict[str, KeyList] = {}
        self._text_of = text_of
        self._sequences: set[int] = set()
        self._chapters: dict[int, list[RevisionState]] = {}
        self._decisions: dict[int, dict[str, Json]] = {}
        self._contributions: dict[int, Contribution] = {}
        self._uses: dict[str, list[int]] = {}
        self._dependents: dict[int, set[int]] = {}
        self._key_watchers: dict[str, set[int]] = {}
        self._entity_watchers: dict[EntityId, set[int]] = {}
        self._own_links: dict[str, list[Link]] = {}
        self._claims_of: dict[EntityId, set[str]] = {}
        self._merges: set[Link] = set()
        self._renames: dict[tuple[int, int], dict[str, Former]] = {}
        self._link_changes: dict[Link, int] = {}
        self._touched: dict[Entry, Before] = {}
        self._dirty: list[int] = []

    # -- what weighing looks at ---------------------------------------------------------------------------------------

    def current(self, chapter: int) -> RevisionState | None:
        revisions = self._chapters.get(chapter)
        return revisions[-1] if revisions else None

    def revision_of(self, entry: Entry) -> RevisionState:
        return next(r for r in self._chapters[entry.chapter] if r.sequence == entry.sequence)

    def bound(self, entry: Entry, chapter: int, local: str) -> Entry | None:
        """The record that a name means: in the revision current when `entry` was published, else in the first that has it."""
        if chapter == entry.chapter:
            return self.revision_of(entry).by_local(local)
        revisions = self._chapters.get(chapter, [])
        at = bisect_left(revisions, entry.sequence, key=lambda r: r.sequence)
        if at and (found := revisions[at - 1].by_local(local)):
            return found
        return next((found for r in revisions[at:] if (found := r.by_local(local))), None)

    def former_names(self, chapter: int) -> dict[str, Former]:
        """Who an edit of the chapter only renamed: name key -> what they were first introduced as."""
        revisions = [r for r in self._chapters.get(chapter, []) if not r.retracted]
        former: dict[str, Former] = {}
        for old, new in pairwise(revisions):
            for key, was in self._renamed(old, new).items():
                origin = former.pop(was.key, None)
                origin = Former(origin.key, origin.names | was.names) if origin else was
                if not self.registry.introduced_before(origin.key, chapter) and key != origin.key:
                    former[key] = origin
        return former

    def _renamed(self, old: RevisionState, new: RevisionState) -> dict[str, Former]:
        if old.text_hash is None or new.text_hash is None or old.text_hash == new.text_hash:
            return {}
        pair = (old.sequence, new.sequence)
        if pair not in self._renames:
            entities = [[e.payload for e in r.entries if e.kind == "entity"] for r in (old, new)]
            keys = [{name_key(p["name"]) for p in payloads} for payloads in entities]
            found: dict[str, Former] = {}
            if keys[0] - keys[1] and keys[1] - keys[0]:
                texts = self._text_of(old.text_hash), self._text_of(new.text_hash)
                if texts[0] is not None and texts[1] is not None:
                    found = renamed(entities[0], entities[1], texts[0], texts[1])
            self._renames[pair] = found
        return self._renames[pair]

    def live_entries(self) -> Iterator[Entry]:
        """The live records of the current revisions, in story order."""
        for chapter in self.chapters:
            revision = self.current(chapter)
            yield from (e for e in (revision.entries if revision else ()) if e.live)

    def text_of(self, entry: Entry) -> str | None:
        """The text that the record's evidence lies in, unless it was erased."""
        digest = self.revision_of(entry).text_hash
        return self._text_of(digest) if digest else None

    def names_of(self, key: str) -> set[str]:
        """The name keys of whoever is named `key`: the name itself, and the aliases claimed for it."""
        return {key} | {k for entity, keys in self._claims_of.items() if key_of(entity) == key for k in keys}

    def merged_in(self, alias: str, names: Collection[str]) -> int | None:
        """The number of the last decision that made `alias` one with any of `names`; None if there is none."""
        pairs = {frozenset((alias, name)) for name in names}
        found = [
            sequence
            for sequence, decision in self._decisions.items()
            if "merge" in decision and frozenset(key_of(e) for e in decision["merge"]) in pairs
        ]
        return max(found, default=None)

    # -- taking in ----------------------------------------------------------------------------------------------------

    def note(self, sequence: int) -> None:
        """Remembers that a publication without consequences was taken in."""
        self._sequences.add(sequence)

    def has(self, sequence: int) -> bool:
        return sequence in self._sequences

    @property
    def chapters(self) -> list[int]:
        """The chapters that have a text now."""
        return sorted(c for c, revisions in self._chapters.items() if not revisions[-1].retracted)

    def later_uses(self, key: str, chapter: int) -> list[int]:
        """The chapters after `chapter` that use the name."""
        uses = self._uses.get(key, [])
        return uses[bisect_right(uses, chapter) :]

    def take(self, chapter: int, revision: RevisionState) -> Taken:
        """Takes in a chapter's publication or retraction."""
        taken = self._begin(revision.sequence)
        taken.revision = revision
        revisions = self._chapters.setdefault(chapter, [])
        former = revisions[-1] if revisions else None
        insort(revisions, revision, key=lambda r: r.sequence)
        for entry in revision.entries:
            for of in grounds(entry):
                self._dependents.setdefault(of, set()).add(chapter)
        taken.superseded = revisions[-1] is not revision
        if taken.superseded:
            self._file_late(chapter, revision, taken)
        else:
            self._weigh_chapter(chapter)
            self._match(former, revision, taken)
        self._mark(self._dependents.get(chapter, ()), above=chapter)
        self._settle()
        return self._finish(taken)

    def decide(self, sequence: int, decision: dict[str, Json]) -> Taken:
        """Takes in an editor's decision: `{"merge": [a, b], "since": chapter}` or `{"split": alias, "names": [keys]}`."""
        taken = self._begin(sequence)
        self._decisions[sequence] = decision
        merges, cuts = self._decided()
        keys = {k for cut in cuts ^ self.registry.cuts for k in cut}
        self.registry.cuts = cuts
        for link in self._merges - merges:
            self._drop_link(link)
        for link in merges - self._merges:
            self._add_link(link)
        self._merges = merges
        for key in keys:
            self._relink(key)
            self._mark(self._uses.get(key, ()))
            for entity in [*self.registry.entry(key).introduced, *self.registry.entry(key).claimed]:
                self._mark(self._watchers([entity]))
        self._settle()
        return self._finish(taken)

    def _decided(self) -> tuple[set[Link], frozenset[frozenset[str]]]:
        merges: dict[frozenset[str], Link] = {}
        cuts: set[frozenset[str]] = set()
        for sequence in sorted(self._decisions):
            decision = self._decisions[sequence]
            if "merge" in decision:
                a, b = (EntityId(e) for e in decision["merge"])
                pair = frozenset((a, b))
                cuts.discard(frozenset((key_of(a), key_of(b))))
                merges[pair] = Link(decision["since"], RANK["merge"] + sequence, b, a, "merge")
            elif "split" in decision:
                alias = decision["split"]
                apart = {frozenset((alias, name)) for name in decision["names"] if name != alias}
                cuts |= apart
                merges = {p: m for p, m in merges.items() if frozenset((key_of(m.a), key_of(m.b))) not in apart}
        return set(merges.values()), frozenset(cuts)

    def _begin(self, sequence: int) -> Taken:
        self._sequences.add(sequence)
        self._touched, self._dirty = {}, []
        self._link_changes = {}
        return Taken()

    def _finish(self, taken: Taken) -> Taken:
        taken.touched = self._touched
        taken.linked = sorted(link for link, change in self._link_changes.items() if change > 0)
        taken.unlinked = sorted(link for link, change in self._link_changes.items() if change < 0)
        self._touched = {}
        return taken

    def _match(self, former: RevisionState | None, revision: RevisionState, taken: Taken) -> None:
        taken.carried = matched(former.entries if former else (), revision.entries)
        kept = {old for old, _ in taken.carried}
        for old, new in taken.carried:
            new.uid = old.uid
            self._touched[new] = Before(self._was_live(old), old.mentions, old.settings)
        taken.withdrawn = [e for e in (former.entries if former else ()) if e not in kept and self._was_live(e)]
        taken.asserted = [e for e in revision.entries if not e.uid]
        for entry in taken.asserted:
            entry.uid = f"{entry.chapter}r{entry.revision}:{entry.local}"

    def _was_live(self, entry: Entry) -> bool:
        before = self._touched.get(entry)
        return before.live if before else entry.live

    def _file_late(self, chapter: int, revision: RevisionState, taken: Taken) -> None:
        """An older revision arrives after a newer one: it is kept, for what names in it may be bound to."""
        revision.local = local_names(self, chapter, revision.entries)
        for entry in revision.entries:
            entry.mentions, entry.states, entry.content, _ = read_names(self, entry, revision.local)
        current = self._chapters[chapter][-1]
        taken.carried = matched(current.entries, revision.entries)
        for old, new in taken.carried:
            new.uid = old.uid
        taken.asserted = [e for e in revision.entries if not e.uid]
        for entry in taken.asserted:
            entry.uid = f"{entry.chapter}r{entry.revision}:{entry.local}"
        self._mark([chapter])

    # -- propagation --------------------------------------------------------------------------------------------------

    def _mark(self, chapters: Iterable[int], above: int = 0) -> None:
        for chapter in chapters:
            if chapter > above and chapter not in self._dirty:
                heapq.heappush(self._dirty, chapter)

    def _settle(self) -> None:
        while self._dirty:
            self._weigh_chapter(heapq.heappop(self._dirty))

    def _weigh_chapter(self, chapter: int) -> None:
        revision = self.current(chapter)
        if revision is None:
            return
        old = self._withdraw(chapter)
        new = Contribution()
        for entry in revision.entries:
            if entry.uid:
                self._touched.setdefault(entry, Before(entry.live, entry.mentions, entry.settings))
        revision.local = local_names(self, chapter, revision.entries) if revision.entries else NO_NAMES
        for entry in revision.entries:
            entry.mentions, entry.states, entry.content, keys = read_names(self, entry, revision.local)
            new.names.update(keys)
            new.names.update(name_key(name) for key, value in entry.requires for name in (*key.args, value or ""))
            new.names.update(name_key(a) for a in entry.payload.get("aliases", ()) if entry.kind == "entity")
            new.unknown.update(key_of(m.entity) for m in entry.mentions if class_of(m.entity) == UNKNOWN)
        first = identifying(revision.entries)
        ordered = list(in_weighing_order(revision.entries))
        self._weigh_entries([e for e in ordered if e.local in first], chapter - 1, new)
        self._introduce(chapter, revision, new, old)
        self._weigh_entries([e for e in ordered if e.local not in first], chapter, new)
        new.outcome = tuple((e.content, e.live) for e in revision.entries)
        self._contributions[chapter] = new
        self._spread(chapter, old, new)

    def _withdraw(self, chapter: int) -> Contribution:
        """Takes the chapter's keys and watches out of the indexes. Names stay until it is known what the chapter says now."""
        old = self._contributions.pop(chapter, Contribution())
        for node_key, items in old.keys.items():
            listed = self.keys[node_key]
            for place, index, _ in items:
                at = bisect_left(listed, (place, index), key=lambda item: item[:2])
                del listed[at]
            if not listed:
                del self.keys[node_key]
        for key in old.watched_keys:
            self._key_watchers[key].discard(chapter)
        for entity in old.watched_entities:
            self._entity_watchers[entity].discard(chapter)
        return old

    def _weigh_entries(self, entries: list[Entry], at: int, new: Contribution) -> None:
        for entry in entries:
            weigh(self, entry, at)
            self._watch(entry, new)
            if not entry.live:
                continue
            for index, setting in enumerate(entry.settings):
                item = (entry.place, index, entry)
                insort(self.keys.setdefault(setting.node_key, []), item, key=lambda i: i[:2])
                new.keys.setdefault(setting.node_key, []).append(item)
                value = setting.value and (setting.value.entity, setting.value.key)
                shown = new.keys_shown.get(setting.node_key, ())
                new.keys_shown[setting.node_key] = (*shown, (entry.place, value))

    def _watch(self, entry: Entry, new: Contribution) -> None:
        for key, value in entry.requires:
            setting = required_setting(self, entry, key)
            if setting is None:
                continue
            entities = [EntityId(t.key) for t in setting.args if t.entity]
            new.watched_keys.add(setting.node_key)
            self._key_watchers.setdefault(setting.node_key, set()).add(entry.chapter)
            if value is not None:
                local = self.revision_of(entry).local
                entities.append(self.registry.resolve(name_key(value), (), entry.chapter, local))
            new.watched_entities.update(entities)
            for entity in entities:
                self._entity_watchers.setdefault(entity, set()).add(entry.chapter)

    def _introduce(self, chapter: int, revision: RevisionState, new: Contribution, old: Contribution) -> None:
        """Brings the names and links of the chapter up to date, once it is known which entity records are live."""
        former = self.former_names(chapter)
        for entry in revision.entries:
            if not entry.live:
                continue
            if entry.kind == "entity":
                self._introduce_entity(entry, former, new)
            elif entry.kind == "identity" and entry.actual:
                a, b = entry.entity("a"), entry.entity("b")
                if a and b and a != b and not self.registry.is_cut(key_of(a), key_of(b)):
                    rank = RANK["identity"] + entry.order.ordinal
                    new.identities.add(Link(chapter, rank, EntityId(a), EntityId(b), "identity", entry.name))
        for key in {*old.introduced, *new.introduced, *old.claimed, *new.claimed, *old.unknown, *new.unknown}:
            self._rename_entry(chapter, key, old, new)
        for link in old.identities - new.identities:
            self._drop_link(link)
        for link in new.identities - old.identities:
            self._add_link(link)
        for key in old.names - new.names:
            drop_chapter(self._uses[key], chapter)
        for key in new.names - old.names:
            add_chapter(self._uses.setdefault(key, []), chapter)

    def _introduce_entity(self, entry: Entry, former: dict[str, Former], new: Contribution) -> None:
        entity = entry.entity("name")
        if entity is None:
            return
        of, key = EntityId(entity), name_key(entry.payload["name"])
        if key == key_of(of) or key in former:
            if class_of(of) not in (UNKNOWN, "ambiguous"):
                new.introduced.setdefault(key, set()).add(of)
        else:
            new.claimed.setdefault(key, set()).add(of)
        for was in former[key].names if key in former else ():
            new.claimed.setdefault(was, set()).add(of)
        for alias in entry.payload.get("aliases", ()):
            if (other := name_key(alias)) != key:
                new.claimed.setdefault(other, set()).add(of)

    def _rename_entry(self, chapter: int, key: str, old: Contribution, new: Contribution) -> None:
        entry = self.registry.entry(key)
        pairs = ((entry.introduced, old.introduced, new.introduced), (entry.claimed, old.claimed, new.claimed))
        changed = (key in old.unknown) != (key in new.unknown)
        for index, was, now in pairs:
            gone, come = was.get(key, set()) - now.get(key, set()), now.get(key, set()) - was.get(key, set())
            changed = changed or bool(gone or come)
            for entity in gone:
                drop_chapter(index[entity], chapter)
                if not index[entity]:
                    del index[entity]
                    if index is entry.claimed:
                        self._claims_of[entity].discard(key)
            for entity in come:
                add_chapter(index.setdefault(entity, []), chapter)
                if index is entry.claimed:
                    self._claims_of.setdefault(entity, set()).add(key)
        if key in new.unknown:
            add_chapter(entry.unknown_in, chapter)
        elif key in old.unknown:
            drop_chapter(entry.unknown_in, chapter)
        if changed:
            self._relink(key)

    def _relink(self, key: str) -> None:
        was, now = self._own_links.get(key, []), self.registry.own_links(key)
        for link in was:
            if link not in now:
                self._drop_link(link)
        for link in now:
            if link not in was:
                self._add_link(link)
        self._own_links[key] = now

    def _add_link(self, link: Link) -> None:
        self.registry.links.add(link)
        self._link_changed(link, +1)

    def _drop_link(self, link: Link) -> None:
        self._link_changed(link, -1)
        self.registry.links.discard(link)

    def _link_changed(self, link: Link, change: int) -> None:
        self._link_changes[link] = self._link_changes.get(link, 0) + change
        joined = self.registry.links.group(link.a, None) | self.registry.links.group(link.b, None)
        self._mark(self._watchers(joined), above=link.chapter - 1)
        for entity in joined:
            for key in self._claims_of.get(entity, ()):
                if len(self.registry.entry(key).claimed) > 1:
                    self._mark(self._uses.get(key, ()), above=link.chapter)

    def _watchers(self, entities: Iterable[EntityId]) -> set[int]:
        return {c for entity in entities for c in self._entity_watchers.get(entity, ())}

    def _spread(self, chapter: int, old: Contribution, new: Contribution) -> None:
        """Marks the later chapters that must be weighed again for what changed in this one."""
        for was, now in ((old.introduced, new.introduced), (old.claimed, new.claimed)):
            for key in {*was, *now}:
                if was.get(key) != now.get(key):
                    self._mark(self._uses.get(key, ()), above=chapter)
        for node_key in {*old.keys_shown, *new.keys_shown} if self._key_watchers else ():
            if old.keys_shown.get(node_key) != new.keys_shown.get(node_key):
                entry = (new.keys.get(node_key) or old.keys[node_key])[0][2]
                setting = next((s for s in entry.settings if s.node_key == node_key), None)
                same = equivalent_keys(self.registry, setting, None) if setting else [node_key]
                for key in {node_key, *same}:
                    self._mark(self._key_watchers.get(key, ()), above=chapter)
        if old.outcome != new.outcome:
            self._mark(self._dependents.get(chapter, ()), above=chapter)
