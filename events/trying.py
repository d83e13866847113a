"""Trying a publication out on a story's index: what it touches, and the intervals of the keys that may change by it.

Everything here costs what depends on the publication: keys are looked up by what it touched, never by reading the whole
story. Only where it joins or parts entities are all keys looked at once, for those that name them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from events.chapters import Publication
from events.contributions import Taken
from events.domain_events import Json, Setting, StoryEvent, Term
from events.ids import EntityId
from events.keys import render, shown_value
from events.names import IDEA, PERSON, PLACE, THING, UNKNOWN, entity_id, key_of
from events.registry import Link, Registry
from events.revisions import Entry
from events.story_index import StoryIndex
from events.validity import Assertion, fold_key

_IDENTITY: Final = "identity"


@dataclass(slots=True)
class Trial:
    """A publication that is taken in for the time being."""

    index: StoryIndex
    publication: Publication
    events: list[StoryEvent]
    rejected: list[Json]
    warnings: list[str]
    taken: Taken
    _taken_back: bool = field(default=False, init=False)

    def take_back(self) -> None:
        """The index says again what it said before. More than once is once."""
        if not self._taken_back:
            self._taken_back = True
            assert self.taken.revision is not None, "only a chapter's publication is tried out"
            self.index.take_back(self.publication.chapter, self.taken.revision)

    def touched(self) -> list[Entry]:
        """The records that were stated, or weighed again, in story order; those of the former text that are gone as well."""
        taken = self.taken
        own = taken.revision.entries if taken.revision else []
        return sorted({*own, *taken.touched, *taken.withdrawn, *(old for old, _ in taken.carried)}, key=_place)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A key has a value from one chapter to (before) another; `support` are the records that say so, first first."""

    value: str
    valid_from: int
    valid_to: int | None
    support: tuple[Entry, ...]

    @property
    def shown(self) -> tuple[str, int, int | None]:
        return (self.value, self.valid_from, self.valid_to)


Stretches = dict[str, list[Stretch]]
"""By state key as it is shown, its intervals in order."""


def touched_keys(trial: Trial) -> set[str]:
    """The keys (by entity ids) whose intervals the publication may change. Asked while it is taken in."""
    registry, taken = trial.index.registry, trial.taken
    settings: list[Setting] = [s for entry in trial.touched() for s in entry.settings]
    settings += [s for before in taken.touched.values() for s in before.settings]
    moved = {end for link in (*taken.linked, *taken.unlinked) for end in (link.a, link.b)}
    introduced = {m.entity for entry in trial.touched() if entry.kind == "entity" for m in entry.mentions}
    named = {e for entity in moved | introduced for e in _ever_one(registry, taken.unlinked, entity)}
    # an identity has its two names for good, whoever they were when it was told
    told = {_worded(setting) for setting in settings if setting.functor == _IDENTITY}
    if named or told:
        firsts = (items[0][2].settings[items[0][1]] for items in trial.index.keys.values())
        settings += [s for s in firsts if _names(s, named) or (s.functor == _IDENTITY and _worded(s) in told)]
    namesakes = _namesakes(registry)
    return {key for setting in settings for key in _equivalents(registry, taken.unlinked, namesakes, setting)}


def stretches(index: StoryIndex, node_keys: Iterable[str], at: int) -> Stretches:
    """The intervals of keys as the chapters up to `at` tell them, under the names that entities go by then."""
    said: dict[str, list[tuple[Assertion, Setting, Entry]]] = {}
    for node_key in sorted(node_keys):
        for place, number, entry in index.keys.get(node_key, ()):
            if place[0] <= at:
                setting = canonical(entry.settings[number], index.registry, at)
                value = setting.value.compared if setting.value else None
                word = Assertion(
                    (*entry.place, f"{entry.uid}#{number}"), setting.node_key, value, f"{entry.uid}#{number}"
                )
                said.setdefault(setting.node_key, []).append((word, setting, entry))
    name_of = namer(index, at)
    found: Stretches = {}
    for words in said.values():
        by_uid = {word.uid: (setting, entry) for word, setting, entry in words}
        for interval in fold_key(word for word, _, _ in words):
            setting = by_uid[interval.support[0]][0]
            shown = shown_value(setting.value, name_of)
            assert shown is not None, "an interval has a value"
            support = tuple(by_uid[uid][1] for uid in interval.support)
            stretch = Stretch(shown, interval.valid_from, interval.valid_to, support)
            found.setdefault(render(setting, name_of), []).append(stretch)
    return {key: sorted(of, key=lambda s: (s.valid_from, s.value)) for key, of in found.items()}


def canonical(setting: Setting, registry: Registry, at: int) -> Setting:
    """The setting with every entity replaced by the one under whose name it goes after chapter `at`."""

    def head(term: Term) -> Term:
        if not term.entity:
            return term
        return Term(registry.links.representative(EntityId(term.key), at), term.text, entity=True)

    value = None if setting.value is None else head(setting.value)
    return Setting(setting.functor, tuple(head(t) for t in setting.args), value, setting.arrow)


def namer(index: StoryIndex, at: int) -> Callable[[EntityId], str]:
    """What entities are called after chapter `at`: as their first introduction says, else as they are first called; whom no live record
    names, as one that is the same."""
    known: dict[EntityId, str] = {}

    def name_of(entity: EntityId) -> str:
        head = index.registry.links.representative(entity, at)
        if head not in known:
            ones = sorted(index.registry.links.group(head, at))
            shown = (_introduced_as(index, one, at) or _called(index, one, at) for one in (head, *ones))
            known[head] = next(filter(None, shown), None) or key_of(head)
        return known[head]

    return name_of


def _introduced_as(index: StoryIndex, entity: EntityId, at: int) -> str | None:
    named = index.registry.names
    entry = named.get(key_of(entity))
    chapters = entry.introduced.get(entity, ()) if entry else ()
    if not chapters:  # one who was only renamed keeps the id of the former name
        chapters = min((e.introduced[entity] for e in named.values() if entity in e.introduced), default=[])
    for chapter in chapters:
        current = index.current(chapter) if chapter <= at else None
        for each in current.entries if current else ():
            if each.live and each.kind == "entity" and each.entity("name") == entity:
                return str(each.payload["name"])
    return None


def _called(index: StoryIndex, entity: EntityId, at: int) -> str | None:
    for chapter in index.later_uses(key_of(entity), 0):
        current = index.current(chapter) if chapter <= at else None
        for each in current.entries if current else ():
            for mention in each.mentions:
                if mention.entity == entity:
                    return mention.surface
    return None


def _place(entry: Entry) -> tuple[tuple[int, int, int, int], int, str]:
    return (entry.place, entry.sequence, entry.local)


def _worded(setting: Setting) -> tuple[str, ...]:
    return tuple(term.text for term in setting.args)


def _names(setting: Setting, entities: set[EntityId]) -> bool:
    terms = (*setting.args, setting.value)
    return any(t is not None and t.entity and t.key in entities for t in terms)


def _ever_one(registry: Registry, parted: Iterable[Link], entity: EntityId) -> set[EntityId]:
    """All that are one with the entity at any time, links that have just gone included."""
    gone: dict[EntityId, set[EntityId]] = {}
    for link in parted:
        gone.setdefault(link.a, set()).add(link.b)
        gone.setdefault(link.b, set()).add(link.a)
    seen, todo = {entity}, [entity]
    while todo:
        one = todo.pop()
        fresh = (registry.links.group(one, None) | gone.get(one, set())) - seen
        seen |= fresh
        todo.extend(fresh)
    return seen


def _equivalents(
    registry: Registry, parted: Iterable[Link], namesakes: Mapping[EntityId, set[EntityId]], setting: Setting
) -> Iterable[str]:
    """The keys of all that may be one with the setting's entities, or be shown under the same name."""
    groups = [
        sorted(_shown_alike(registry, parted, namesakes, EntityId(t.key))) if t.entity else [t.key]
        for t in setting.args
    ]
    for keys in product(*groups):
        args = tuple(Term(k, t.text, t.entity) for k, t in zip(keys, setting.args, strict=True))
        yield Setting(setting.functor, args, None, setting.arrow).node_key


def _shown_alike(
    registry: Registry, parted: Iterable[Link], namesakes: Mapping[EntityId, set[EntityId]], entity: EntityId
) -> set[EntityId]:
    ones = _ever_one(registry, parted, entity)
    others = {other for one in ones for other in namesakes.get(one, ())} - ones
    return ones.union(*(_ever_one(registry, parted, other) for other in others))


def _of_key(key: str) -> set[EntityId]:
    """Everybody and everything whose id has this name."""
    return {entity_id(kind, key) for kind in (PERSON, PLACE, THING, IDEA, UNKNOWN)}


def _namesakes(registry: Registry) -> Mapping[EntityId, set[EntityId]]:
    """By entity all others that are introduced by, or have the id of, one of its names: a person and a thing of one name."""
    found: dict[EntityId, set[EntityId]] = {}
    for key, entry in registry.names.items():
        if entry.introduced:
            bearers = {*entry.introduced, *_of_key(key)}
            for one in bearers:
                found.setdefault(one, set()).update(bearers - {one})
    return found


def differing(before: Mapping[str, list[Stretch]], after: Mapping[str, list[Stretch]]) -> list[str]:
    """The keys, in order, whose intervals are not the same."""
    return sorted(
        key
        for key in before.keys() | after.keys()
        if [s.shown for s in before.get(key, ())] != [s.shown for s in after.get(key, ())]
    )
