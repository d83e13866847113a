"""The index of a story: what the ledger knows of it, kept so that taking in a publication costs what depends on it.

`StoryIndex.take` takes in one publication and says what changed. Its outcome is a function of the set of publications
taken in with their numbers, never of the order of their arrival. A changed chapter is weighed anew (`events.weighing`);
from there on only chapters are weighed again that use a name, require a key, or depend on a record that changed.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise

from events.contributions import Before, Contribution, Taken
from events.diffing import Former, matched, renamed
from events.domain_events import Json
from events.introducing import Introducing
from events.names import UNKNOWN, class_of, key_of, name_key
from events.references import entities_of
from events.registry import NO_NAMES, Registry
from events.revisions import Entry, RevisionState
from events.watching import Watching
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


class StoryIndex:
    """All that is known of one story. `text_of` gives the text of a hash, or None where it was erased."""

    def __init__(self, story: str, text_of: Callable[[str], str | None]) -> None:
        self.story = story
        self.version = 0
        self.told_at = datetime.min.replace(tzinfo=UTC)
        """When the last of it was recorded. What comes is recorded no earlier, whatever the clock says."""
        self.registry = Registry()
        self.keys: dict[str, KeyList] = {}
        self._text_of = text_of
        self._sequences: set[int] = set()
        self._chapters: dict[int, list[RevisionState]] = {}
        self._decisions: dict[int, dict[str, Json]] = {}
        self._contributions: dict[int, Contribution] = {}
        self._watching = Watching()
        self._introducing = Introducing(self.registry, self._watching)
        self._renames: dict[tuple[int, int], dict[str, Former]] = {}
        self._touched: dict[Entry, Before] = {}

    @contextmanager
    def lent(self, digest: str | None, text: str | None) -> Iterator[None]:
        """Within the block a hash has this text, stored or not; without both nothing is lent."""
        if digest is None or text is None:
            yield
            return
        stored = self._text_of
        self._text_of = lambda asked: text if asked == digest else stored(asked)
        try:
            yield
        finally:
            self._text_of = stored

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
        return self._introducing.names_of(key)

    @property
    def decisions(self) -> Mapping[int, dict[str, Json]]:
        """The editor's decisions on identity, by their numbers."""
        return self._decisions

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
        return self._watching.uses(key, chapter)

    def take(self, chapter: int, revision: RevisionState) -> Taken:
        """Takes in a chapter's publication or retraction."""
        taken = self._begin(revision.sequence)
        taken.revision = revision
        revisions = self._chapters.setdefault(chapter, [])
        former = revisions[-1] if revisions else None
        insort(revisions, revision, key=lambda r: r.sequence)
        for entry in revision.entries:
            self._watching.depend(chapter, grounds(entry))
        taken.superseded = revisions[-1] is not revision
        if taken.superseded:
            self._file_late(chapter, revision, taken)
        else:
            self._weigh_chapter(chapter)
            self._match(former, revision, taken)
        self._watching.mark_dependents(chapter)
        self._settle()
        return self._finish(taken)

    def take_back(self, chapter: int, revision: RevisionState) -> None:
        """Undoes `take` of the latest publication, at the cost of what depends on it: the index says what it said before."""
        self._touched = {}
        self._sequences.discard(revision.sequence)
        revisions = self._chapters[chapter]
        revisions.remove(revision)
        self._renames = {pair: found for pair, found in self._renames.items() if revision.sequence not in pair}
        first = not revisions
        if first:  # nothing was there: what it brought leaves with a revision that says nothing
            revisions.append(RevisionState(revision.sequence, revision.revision, None, retracted=True))
        self._weigh_chapter(chapter)
        self._watching.mark_dependents(chapter)
        self._settle()
        if first:
            del self._chapters[chapter], self._contributions[chapter]
        self._finish(Taken())

    def decide(self, sequence: int, decision: dict[str, Json]) -> Taken:
        """Takes in an editor's decision: `{"merge": [a, b], "since": chapter}` or `{"split": alias, "names": [keys]}`."""
        taken = self._begin(sequence)
        self._decisions[sequence] = decision
        self._introducing.decide(self._decisions)
        self._settle()
        return self._finish(taken)

    def _begin(self, sequence: int) -> Taken:
        self._sequences.add(sequence)
        self._touched = {}
        return Taken()

    def _finish(self, taken: Taken) -> Taken:
        taken.touched = self._touched
        taken.linked, taken.unlinked = self._introducing.changes()
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
        self._watching.mark([chapter])

    # -- propagation --------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        while (chapter := self._watching.next_due()) is not None:
            self._weigh_chapter(chapter)

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
        self._introducing.collect(revision.entries, self.former_names(chapter), new)
        self._introducing.update(chapter, old, new)
        self._watching.use(chapter, old, new)
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
        self._watching.forget(chapter, old)
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
            entities = entities_of(setting)
            if value is not None:
                local = self.revision_of(entry).local
                entities.append(self.registry.resolve(name_key(value), (), entry.chapter, local))
            self._watching.require(entry.chapter, setting, entities, new)

    def _spread(self, chapter: int, old: Contribution, new: Contribution) -> None:
        """Marks the later chapters that must be weighed again for what changed in this one."""
        for was, now in ((old.introduced, new.introduced), (old.claimed, new.claimed)):
            for key in {*was, *now}:
                if was.get(key) != now.get(key):
                    self._watching.mark_uses(key, above=chapter)
        for node_key in {*old.keys_shown, *new.keys_shown} if self._watching.requires_anything else ():
            if old.keys_shown.get(node_key) != new.keys_shown.get(node_key):
                entry = (new.keys.get(node_key) or old.keys[node_key])[0][2]
                setting = next((s for s in entry.settings if s.node_key == node_key), None)
                same = equivalent_keys(self.registry, setting, None) if setting else [node_key]
                for key in {node_key, *same}:
                    self._watching.mark_requiring_key(key, above=chapter)
        if old.outcome != new.outcome:
            self._watching.mark_dependents(chapter)
