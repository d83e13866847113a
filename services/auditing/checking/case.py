"""A draft beside the state after the chapter before it: what it says, who is meant, and what holds at each of its records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from events.diffing import Former
from events.domain_events import Setting, Term
from events.ids import EntityId
from events.keys import render, shown_value
from events.names import key_of, name_key
from events.registry import Registry
from events.revisions import Entry, RevisionState
from events.story_index import StoryIndex
from events.trying import canonical, namer
from events.validity import Assertion, fold_key
from events.weighing import KeyList, local_names, read_names
from services.auditing.checking.cues import around


@dataclass(frozen=True, slots=True)
class Held:
    """That a key holds: its setting and value under canonical ids, the records that say so, first first."""

    setting: Setting
    value: Term
    since: int
    support: tuple[Entry, ...]

    @property
    def last(self) -> Entry:
        return self.support[-1]


State = dict[str, Held]
"""By canonical node key."""


class _Surroundings:
    """The story up to a chapter, with a draft of the next: what comes later is not there."""

    def __init__(self, index: StoryIndex, draft: RevisionState, chapter: int) -> None:
        self._index, self._draft, self._chapter = index, draft, chapter
        self.registry: Registry = index.registry
        self.keys: dict[str, KeyList] = index.keys

    def current(self, chapter: int) -> RevisionState | None:
        if chapter == self._chapter:
            return self._draft
        return self._index.current(chapter) if chapter < self._chapter else None

    def revision_of(self, entry: Entry) -> RevisionState:
        return self._draft if entry.sequence == self._draft.sequence else self._index.revision_of(entry)

    def bound(self, entry: Entry, chapter: int, local: str) -> Entry | None:
        current = self.current(chapter)
        found = current.by_local(local) if current else None
        if found is None and chapter < self._chapter:
            return self._index.bound(entry, chapter, local)
        return found

    def former_names(self, chapter: int) -> dict[str, Former]:
        return {} if chapter >= self._chapter else self._index.former_names(chapter)


class Case:
    """A draft of chapter `after` + 1. Used while the index is held; nothing of later chapters has a part in it."""

    def __init__(self, index: StoryIndex, draft: RevisionState, text: str, after: int) -> None:
        self.index, self.text, self.after = index, text, after
        self.chapter = after + 1
        self.around = _Surroundings(index, draft, self.chapter)
        draft.local = local_names(self.around, self.chapter, draft.entries)
        for entry in draft.entries:
            entry.mentions, entry.states, entry.content, _ = read_names(self.around, entry, draft.local)
            entry.live, entry.uid = True, f"draft:{entry.local}"
        self.entries = draft.entries
        self._before: dict[str, EntityId] = {}
        self._patterns: dict[str, re.Pattern[str] | None] = {}
        self._joined: dict[str, EntityId] = {}
        for entry in self.entries:
            if entry.kind == "identity" and entry.actual:
                self._joined[self.before(entry.entity("a") or "")] = self.before(entry.entity("b") or "")
        self._name_of = namer(index, after)
        self._own_names = {
            m.entity: m.surface
            for e in sorted(self.entries, key=lambda e: e.kind != "entity")
            for m in e.mentions[::-1]
        }

    # -- who is meant -------------------------------------------------------------------------------------------------

    def before(self, entity: str) -> EntityId:
        """Who the entity is as of the chapter before the draft."""
        if entity not in self._before:
            self._before[entity] = self.index.registry.links.representative(EntityId(entity), self.after)
        return self._before[entity]

    def head(self, entity: str) -> EntityId:
        """Who the entity is once the draft has been read."""
        found = self.before(entity)
        return self._joined.get(found, found)

    def same(self, a: str | None, b: str | None) -> bool:
        return a is not None and b is not None and self.head(a) == self.head(b)

    def name(self, entity: str) -> str:
        found = self._name_of(self.head(entity))
        return self._own_names.get(EntityId(entity), found) if found == key_of(self.head(entity)) else found

    def called(self, entity: str) -> list[str]:
        """Every name that the story so far, or the draft, has for the entity; longest first."""
        group = self.index.registry.links.group(self.before(entity), self.after)
        names = {key_of(e) for e in group}
        names |= self._of_group.get(self.before(entity), set())
        names |= {
            name_key(name)
            for e in self.entries
            if e.kind == "entity" and self.head(e.entity("name") or "") == self.head(entity)
            for name in (e.payload["name"], *e.payload.get("aliases", ()))
        }
        return sorted(names, key=lambda n: (-len(n), n))

    @cached_property
    def _of_group(self) -> dict[EntityId, set[str]]:
        found: dict[EntityId, set[str]] = {}
        for key, entry in self.index.registry.names.items():
            for entities in (entry.introduced, entry.claimed):
                for entity, chapters in entities.items():
                    if chapters and chapters[0] <= self.after:
                        found.setdefault(self.before(entity), set()).add(key)
        return found

    def names_in(self, text: str, entity: str) -> bool:
        """Whether the text calls the entity by one of its names."""
        if entity not in self._patterns:
            names = [re.escape(name) for name in self.called(entity) if len(name) > 2]
            self._patterns[entity] = re.compile(rf"\b(?:{'|'.join(names)})\b") if names else None
        pattern = self._patterns[entity]
        return pattern is not None and pattern.search(text.casefold().replace("’", "'")) is not None

    # -- what holds ---------------------------------------------------------------------------------------------------

    def setting(self, setting: Setting) -> Setting:
        found = canonical(setting, self.index.registry, self.after)
        if not self._joined:
            return found
        args = tuple(self._joined_term(t) for t in found.args)
        return replace(found, args=args, value=found.value and self._joined_term(found.value))

    def _joined_term(self, term: Term) -> Term:
        return Term(self.head(term.key), term.text, entity=True) if term.entity else term

    @cached_property
    def state(self) -> State:
        """What holds after the chapter before the draft."""
        said: dict[str, list[tuple[Assertion, Setting, Entry]]] = {}
        for node_key in sorted(self.index.keys):
            for place, number, entry in self.index.keys[node_key]:
                if place[0] > self.after:
                    break
                setting = self.setting(entry.settings[number])
                value = setting.value.compared if setting.value else None
                uid = f"{entry.uid}#{number}"
                word = Assertion((*entry.place, uid), setting.node_key, value, uid)
                said.setdefault(setting.node_key, []).append((word, setting, entry))
        found: State = {}
        for key, words in said.items():
            by_uid = {word.uid: (setting, entry) for word, setting, entry in words}
            for interval in fold_key(word for word, _, _ in words):
                if interval.valid_to is None:
                    setting = by_uid[interval.support[0]][0]
                    assert setting.value is not None, "an interval has a value"
                    support = tuple(by_uid[uid][1] for uid in interval.support)
                    found[key] = Held(setting, setting.value, interval.valid_from, support)
        return found

    def walk(self) -> Iterator[tuple[Entry, State]]:
        """The draft's records in order, each with what holds just before it. The state is the same object throughout."""
        state = dict(self.state)
        for entry in self.entries:
            yield entry, state
            for setting in (self.setting(s) for s in entry.settings):
                held = state.get(setting.node_key)
                if setting.value is None:
                    state.pop(setting.node_key, None)
                elif held and held.value.compared == setting.value.compared:
                    state[setting.node_key] = replace(held, support=(*held.support, entry))
                else:
                    state[setting.node_key] = Held(setting, setting.value, self.chapter, (entry,))

    def state_at_end(self) -> State:
        """What holds after the draft."""
        end = dict(self.state)
        for _, state in self.walk():
            end = state
        return end

    def earlier(self, kinds: Sequence[str]) -> list[Entry]:
        """The live records of the kinds in the chapters before the draft, in story order."""
        found = []
        for chapter in (c for c in self.index.chapters if c <= self.after):
            current = self.index.current(chapter)
            found += [e for e in (current.entries if current else ()) if e.live and e.actual and e.kind in kinds]
        return found

    # -- as it is shown -----------------------------------------------------------------------------------------------

    def key(self, held: Held) -> str:
        return render(held.setting, lambda e: self.name(e))

    def value(self, held: Held) -> str:
        return shown_value(held.value, lambda e: self.name(e)) or ""

    def sentences(self, entry: Entry, reach: int = 0) -> str:
        return around(self.text, entry.evidence, reach)


def fact_of(held: Held) -> str:
    """What is known, in the words of the record that says so last; as its key has it where that names another record."""
    fact = str(held.last.payload.get("fact") or "").strip()
    return fact.rstrip(".") if " " in fact else held.setting.args[1].text


def words_of(entry: Entry) -> str:
    """What a record says of itself in words."""
    fields = ("summary", "description", "type", "fact", "statement", "learned_via", "relation", "function")
    return " ".join(str(entry.payload[f]) for f in fields if isinstance(entry.payload.get(f), str))


def people_of(entry: Entry) -> list[str]:
    """The entities that take part in an event, a situation or an interaction."""
    return [m.entity for m in entry.mentions if m.slot.split(".")[0] in ("participants", "source", "target")]


def mentioned(entries: Iterable[Entry], entity: str, case: Case) -> list[Entry]:
    """The records that name the entity."""
    return [e for e in entries if any(case.same(m.entity, entity) for m in e.mentions)]
