"""What a chapter contributes to its story's indexes, and what taking in a publication changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from events.domain_events import Mention, Setting
from events.ids import EntityId
from events.registry import Link
from events.revisions import Entry, RevisionState


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
