"""What a story's index keeps of a chapter: its revisions in the order of their publication, each with its records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from events.domain_events import Mention, Order, Setting
from events.errors import InvalidInput
from events.ids import RecordName, record_name
from events.keys import ParsedKey, parse
from events.registry import NO_NAMES, LocalNames
from events.sidecar import dependency


@dataclass(slots=True, eq=False)
class Entry:
    """A record in a revision. What follows from the rest of the story (from `mentions` on) is set when it is weighed."""

    chapter: int
    sequence: int
    revision: int
    local: str
    payload: dict[str, Any]
    evidence: tuple[tuple[int, int], ...]
    order: Order
    depends: tuple[tuple[int, str], ...]
    requires: tuple[tuple[ParsedKey, str | None], ...]
    uid: str = ""
    mentions: tuple[Mention, ...] = ()
    states: tuple[Setting, ...] = ()
    content: str = ""
    live: bool = False
    reason: str = ""
    cause: Entry | None = None

    @property
    def kind(self) -> str:
        return str(self.payload["kind"])

    @property
    def name(self) -> RecordName:
        return record_name(self.chapter, self.local)

    @property
    def actual(self) -> bool:
        return bool(self.payload.get("modality", "actual") == "actual")

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The keys it sets: none unless it is actual."""
        return self.states if self.actual else ()

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Its place in the story order."""
        return (self.chapter, self.order.scene, self.order.start, self.order.ordinal)

    def entity(self, slot: str) -> str | None:
        return next((m.entity for m in self.mentions if m.slot == slot), None)


@dataclass(slots=True, eq=False)
class RevisionState:
    """A revision of a chapter; `entries` in story order, none if it is a retraction."""

    sequence: int
    revision: int
    text_hash: str | None
    entries: list[Entry] = field(default_factory=list)
    retracted: bool = False
    local: LocalNames = NO_NAMES
    _by_local: dict[str, Entry] = field(default_factory=dict, init=False, repr=False)

    def by_local(self, local: str) -> Entry | None:
        if len(self._by_local) != len(self.entries):
            self._by_local = {e.local: e for e in self.entries}
        return self._by_local.get(local)

    def with_content(self, content: str) -> Iterable[Entry]:
        return (e for e in self.entries if e.content == content)


def entry_of(
    record: dict[str, Any], evidence: tuple[tuple[int, int], ...], ordinal: int, at: tuple[int, int, int]
) -> Entry:
    """The entry of a validated record whose evidence is located; `at` is (chapter, sequence, revision)."""
    chapter, sequence, revision = at
    payload = {k: v for k, v in record.items() if k not in ("id", "evidence")}
    return Entry(
        chapter,
        sequence,
        revision,
        record["id"],
        payload,
        evidence,
        Order(record.get("scene") or 0, evidence[0][0], ordinal),
        tuple(dependency(name, chapter) for name in record.get("depends_on", ())),
        tuple(_requirement(r) for r in record.get("requires", ())),
    )


def _requirement(requirement: dict[str, Any]) -> tuple[ParsedKey, str | None]:
    value = requirement.get("value")
    if isinstance(value, bool):
        value = "true" if value else "false"
    try:
        return parse(requirement["key"]), value
    except InvalidInput:
        return ParsedKey("", ()), value
