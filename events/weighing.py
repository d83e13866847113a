"""Weighing a chapter: who is meant by its names, and which of its records are live.

A chapter's outcome follows from the chapters before it and from itself, never from a later one, so a story is weighed in
chapter order and every cascade ends. Inside a chapter the records that say who is who (entity, identity) are weighed
first, with what they depend on, then the links that follow from them hold for the rest; a record is weighed after the
records of its chapter that it depends on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple, Protocol

from events.diffing import Former, content_of
from events.domain_events import Mention, Setting, Term
from events.ids import EntityId
from events.keys import ENTITY_ARGUMENTS, ParsedKey
from events.names import AMBIGUOUS, CLASS_OF_TYPE, UNKNOWN, class_of, entity_id, fact_key, key_of, literal_key, name_key
from events.ordering import identifying as identifying
from events.ordering import in_weighing_order as in_weighing_order
from events.references import fact_reference, fact_text, literal, references, settings
from events.registry import LocalNames, Registry
from events.revisions import Entry, RevisionState
from events.sidecar import dependency

KeyList = list[tuple[tuple[int, int, int, int], int, Entry]]
"""The live settings of one key in story order: (place, index of the setting in its record, record)."""

MAX_RECORD_NAME = 108


class Read(NamedTuple):
    """A record's names as they are understood; `keys` are the keys of all its names, entities or not."""

    mentions: tuple[Mention, ...]
    states: tuple[Setting, ...]
    content: str
    keys: tuple[str, ...]


class Surroundings(Protocol):
    """What weighing a chapter looks at around it."""

    registry: Registry
    keys: dict[str, KeyList]

    def current(self, chapter: int) -> RevisionState | None: ...
    def revision_of(self, entry: Entry) -> RevisionState: ...
    def bound(self, entry: Entry, chapter: int, local: str) -> Entry | None: ...
    def former_names(self, chapter: int) -> dict[str, Former]: ...


def local_names(around: Surroundings, chapter: int, entries: Iterable[Entry]) -> LocalNames:
    """Who a revision's own entity records introduce, as of the chapter before it."""
    names: dict[str, list[EntityId]] = {}
    aliases: dict[str, list[EntityId]] = {}
    for entry, entity in _introduced(around, chapter, entries):
        key = name_key(entry.payload["name"])
        if entity not in names.setdefault(key, []):
            names[key].append(entity)
        for alias in entry.payload.get("aliases", ()):
            other = name_key(alias)
            if other != key and not around.registry.is_cut(other, key_of(entity)):
                of = aliases.setdefault(other, [])
                of += [entity] if entity not in of else []
    return LocalNames(names, aliases)


def _introduced(around: Surroundings, chapter: int, entries: Iterable[Entry]) -> list[tuple[Entry, EntityId]]:
    """The entity of each entity record; a name that several claim is looked up again when the chapter's others are known."""
    former = around.former_names(chapter)
    stated = [(e, name_key(e.payload["name"]), e.payload["type"]) for e in entries if e.kind == "entity"]
    first = [introduced(around.registry, chapter, key, type_, former.get(key)) for _, key, type_ in stated]
    told = [(key, entity) for (_, key, _), entity in zip(stated, first, strict=True) if class_of(entity) != AMBIGUOUS]
    return [
        (entry, introduced(around.registry, chapter, key, type_, former.get(key), told))
        if class_of(entity) == AMBIGUOUS
        else (entry, entity)
        for (entry, key, type_), entity in zip(stated, first, strict=True)
    ]


def introduced(
    registry: Registry,
    chapter: int,
    key: str,
    type_: str,
    former: Former | None,
    others: Iterable[tuple[str, EntityId]] | None = None,
) -> EntityId:
    """The entity that an entity record is about: one known by that name and class, one known by that alias, or a new one.

    `others`: whom the chapter introduces by names that tell who they are, with these names.
    """
    cls = CLASS_OF_TYPE[type_]
    if former is not None:
        return entity_id(cls, former.key)
    known = registry.introduced_before(key, chapter)
    fitting = [e for e in known if class_of(e) == cls] or (known if cls == UNKNOWN and len(known) == 1 else [])
    if fitting:
        return fitting[0]
    return registry.introduced_as_alias(key, cls, chapter, others) or entity_id(cls, key)


def read_names(around: Surroundings, entry: Entry, local: LocalNames) -> Read:
    """The mentions, would-be settings and content of a record, given what its revision introduces."""
    registry, chapter = around.registry, entry.chapter
    found: dict[str, Mention] = {}
    keys: list[str] = []
    for reference in references(entry.payload):
        key = name_key(reference.surface)
        keys += [key, key_of(key)] if "/" in key else [key]
        if entry.kind == "entity" and reference.slot == "name":
            cls = CLASS_OF_TYPE[entry.payload["type"]]
            of = local.names[key]
            entity = next((e for e in of if class_of(e) == cls), of[0])
        elif named := _by_id(registry, reference.surface, chapter, local):
            entity = named
        elif reference.soft and not _plainly_named(reference.surface, registry, chapter, local):
            continue
        else:
            entity = registry.resolve(key, reference.prefer, chapter, local)
        found[reference.slot] = Mention(reference.slot, entity, reference.surface)
    states = settings(entry.payload, found, _fact(around, entry))
    mentions = tuple(found.values())
    return Read(mentions, states, content_of(entry.payload, mentions, states), tuple(keys))


def weigh(around: Surroundings, entry: Entry, at: int) -> None:
    """Sets `live`, `reason` and `cause`, by what holds so far; names are one as of chapter `at`."""
    entry.live, entry.reason, entry.cause = True, "", None
    for chapter, local in entry.depends:
        ground = around.bound(entry, chapter, local)
        if ground is None or not (ground.live if chapter == entry.chapter else _holds(around, ground)):
            entry.live, entry.reason, entry.cause = False, "dependency_withdrawn", ground
            return
    for key, value in entry.requires:
        found = last_before(around, entry, requirement_keys(around, entry, key, at))
        if not _meets(around, entry, found, value, at):
            entry.live, entry.reason, entry.cause = False, "precondition_failed", found[1] if found else None
            return


def grounds(entry: Entry) -> set[int]:
    """The other chapters that the record names records of, as dependencies or as its fact."""
    found = {chapter for chapter, _ in entry.depends}
    if (reference := fact_reference(entry.payload)) is not None and len(reference) <= MAX_RECORD_NAME:
        found.add(dependency(reference, entry.chapter)[0])
    return found - {entry.chapter}


def requirement_keys(around: Surroundings, entry: Entry, key: ParsedKey, at: int) -> list[str]:
    """The keys by entity ids under which what a requirement names may have been set, joined entities counted as one."""
    setting = required_setting(around, entry, key)
    return equivalent_keys(around.registry, setting, at) if setting else []


def required_setting(around: Surroundings, entry: Entry, key: ParsedKey) -> Setting | None:
    """A requirement's key with its names looked up as of the record's chapter."""
    functor = key.functor
    if functor not in ENTITY_ARGUMENTS:
        return None
    local = around.revision_of(entry).local
    terms: list[Term] = []
    for is_entity, arg in zip(ENTITY_ARGUMENTS[functor], key.args, strict=False):
        known = is_entity or (
            functor in ("fact", "character")
            and len(terms) == 2
            and _plainly_named(arg, around.registry, entry.chapter, local)
        )
        if known and arg != "reader":
            terms.append(Term(_named(around.registry, arg, entry.chapter, local), arg, entity=True))
        elif functor == "identity":
            terms.append(Term(_named(around.registry, arg, entry.chapter, local), arg))
        elif functor == "knowledge" and len(terms) == 1:
            terms.append(Term(fact_key(arg), arg))
        else:
            terms.append(literal(arg))
    return Setting(functor, tuple(terms), None, key.arrow)


def equivalent_keys(registry: Registry, setting: Setting, at: int | None) -> list[str]:
    """The node keys that are this one once entities joined by chapter `at` count as one (None: ever joined)."""
    groups = [sorted(registry.links.group(EntityId(t.key), at)) if t.entity else [t.key] for t in setting.args]
    found = []
    for keys in product(*groups):
        args = tuple(Term(k, t.text, t.entity) for k, t in zip(keys, setting.args, strict=True))
        found.append(Setting(setting.functor, args, None, setting.arrow).node_key)
    return found


def last_before(around: Surroundings, entry: Entry, node_keys: list[str]) -> tuple[Setting, Entry] | None:
    """The last live setting of any of the keys before the record, in story order."""
    best: tuple[tuple[int, int, int, int], int, Entry] | None = None
    for node_key in node_keys:
        settings_ = around.keys.get(node_key, [])
        at = bisect_left(settings_, (entry.place,))
        if at and (best is None or settings_[at - 1][:2] > best[:2]):
            best = settings_[at - 1]
    return (best[2].settings[best[1]], best[2]) if best else None


def _holds(around: Surroundings, ground: Entry) -> bool:
    """Whether the current revision of the ground's chapter asserts a live record of its content."""
    current = around.current(ground.chapter)
    if current is None:
        return False
    if ground.live and ground.sequence == current.sequence:
        return True
    content = ground.content if ground.sequence == current.sequence else stale_content(around, ground)
    return any(e.live for e in current.with_content(content))


def stale_content(around: Surroundings, entry: Entry) -> str:
    """The content of a record of a superseded revision, as its names are understood now."""
    return read_names(around, entry, local_names(around, entry.chapter, around.revision_of(entry).entries)).content


def _meets(around: Surroundings, entry: Entry, found: tuple[Setting, Entry] | None, value: str | None, at: int) -> bool:
    held = found[0].value if found else None
    if held is None or value is None:
        return held is None and value is None
    apart = found is not None and found[0].functor == "identity"
    if not held.entity and not apart:
        return literal_key(value) == held.key
    wanted = _named(around.registry, value, entry.chapter, around.revision_of(entry).local)
    if apart:
        return wanted == held.key
    links = around.registry.links
    return links.representative(EntityId(held.key), at) == links.representative(wanted, at)


def _named(registry: Registry, surface: str, chapter: int, local: LocalNames) -> EntityId:
    return _by_id(registry, surface, chapter, local) or registry.resolve(name_key(surface), (), chapter, local)


def _by_id(registry: Registry, surface: str, chapter: int, local: LocalNames) -> EntityId | None:
    """The entity, where `surface` is the id of one that was introduced by then, or that the chapter introduces.

    The id of one that nobody had introduced means whoever goes by that name now.
    """
    if "/" not in surface:
        return None
    entity, key = EntityId(surface), key_of(surface)
    if class_of(surface) == UNKNOWN:
        return registry.resolve(key, (), chapter, local)
    known = entity in local.names.get(key, ()) or entity in registry.introduced_before(key, chapter)
    return entity if known else None


def _plainly_named(surface: str, registry: Registry, chapter: int, local: LocalNames) -> bool:
    """Whether a field that may also be a plain word names an entity: it is known, and written as a name or with an article."""
    key = name_key(surface)
    if not registry.is_known(key, chapter, local):
        return False
    return not surface[:1].islower() or literal_key(surface) != key


def _fact(around: Surroundings, entry: Entry) -> str | None:
    """The text of the record that a `fact` field names, if it names one."""
    reference = fact_reference(entry.payload)
    if reference is None or len(reference) > MAX_RECORD_NAME:
        return None
    chapter, local = dependency(reference, entry.chapter)
    ground = around.bound(entry, chapter, local) if chapter <= entry.chapter else None
    return fact_text(ground.payload) if ground is not None and ground is not entry else None
