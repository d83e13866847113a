"""What the operations reply, as types. A reply may have more fields than are named here; none is taken away.

Field by field the contract is the HTTP API's; see `/docs` of a server.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

Document: TypeAlias = dict[str, Any]
Checkpoint: TypeAlias = int | str | None
"""A chapter from 1, or the name of a checkpoint; None is the last chapter."""
Moment: TypeAlias = int | str | None
"""A position of the log, or an ISO 8601 time; None is now."""


class Evidence(TypedDict):
    """A span of a chapter's text: code point offsets, half open. `quote` is empty where the text was erased."""

    chapter: int
    revision: int
    start: int
    end: int
    quote: str


class Story(TypedDict):
    story: str
    chapters: int
    last_chapter: int | None
    position: int


class Stories(TypedDict):
    stories: list[Story]


class StateEntry(TypedDict):
    key: str
    value: str
    valid_from: int
    record: str
    confidence: float
    evidence: list[Evidence]


class State(TypedDict):
    """`digest` is equal for equal state, on any machine."""

    story: str
    at: int
    position: int
    digest: str
    state: list[StateEntry]


class Interval(TypedDict):
    """A value on both axes: chapters (`valid_*`), and positions of the log (`recorded_*`); None is open."""

    value: str
    valid_from: int
    valid_to: int | None
    recorded_from: int
    recorded_to: int | None
    record: str
    evidence: list[Evidence]


class History(TypedDict):
    story: str
    key: str
    at: int | None
    intervals: list[Interval]


class Thread(TypedDict):
    thread: str
    kind: str | None
    status: str
    description: str | None
    opened: int
    last: int
    record: str
    evidence: list[Evidence]


class Threads(TypedDict):
    story: str
    at: int
    position: int
    threads: list[Thread]


class Entity(TypedDict):
    """`candidates` has those whom a name that several share may mean."""

    story: str
    at: int
    position: int
    id: str
    name: str
    type: str
    aliases: list[str]
    profile: str | None
    state: list[StateEntry]
    relationships: list[Document]
    appearances: Document
    threads: list[Thread]
    candidates: list[Document]


class Timeline(TypedDict):
    story: str
    at: int
    position: int
    chapters: list[int]
    characters: list[Document]


class Difference(TypedDict):
    """`added`, `removed`: entries; `changed`: `{"key", "before", "after"}`."""

    story: str
    added: list[Document]
    removed: list[Document]
    changed: list[Document]


class AuditedEvent(TypedDict):
    position: int
    recorded_at: str
    id: str
    type: str
    chapter: int
    revision: int | None
    record: str | None
    reason: str | None
    caused_by: str | None
    correlation: str
    detail: Document


class Audit(TypedDict):
    story: str
    events: list[AuditedEvent]
    takedowns: list[Document]


class Status(TypedDict):
    story: str
    chapters: Document
    waiting: list[Document]
    needs_retry: list[Document]
    position: int | None
    read_models: list[Document]


class PacketItem(TypedDict):
    id: str
    type: str
    text: str
    chapter: int
    evidence: list[Document]
    score: float
    channel: str


class Packet(TypedDict):
    """`used` counts what the packet has of its budget, and never exceeds it."""

    question: str
    at: int
    method: str
    budget: int
    used: int
    items: list[PacketItem]
    trace: list[Any]


class Answer(TypedDict):
    """`answer` is None where the reader abstained; every id of `evidence_ids` is in the packet."""

    answer: str | None
    abstained: bool
    evidence_ids: list[str]
    support: Any
    audit: Document
    skills: list[str]
    packet: Packet


class Checked(TypedDict):
    """`exempted` are findings that an editor lets stand."""

    story: str
    after: int
    violations: list[Document]
    exempted: list[Document]
    constraints: list[Document]


class Promises(TypedDict):
    """`debt` is the sum of the ages of what is open."""

    story: str
    at: int
    position: int
    open: int
    overdue: int
    debt: int
    promises: list[Document]


class Suggestions(TypedDict):
    story: str
    at: int
    position: int
    suggestions: list[Document]


class Published(TypedDict):
    """`position` is None while nobody has taken the publication in."""

    story: str
    chapter: int
    revision: int
    position: int | None
    unchanged: bool
    rejected: list[Document]
    warnings: list[str]


class TakenDown(TypedDict):
    story: str
    takedown: int
    asked_at: str
    erased: list[Document]
    kept: list[Document]


class Branches(TypedDict):
    story: str
    branches: list[Document]


class BranchDifference(TypedDict):
    """`a` and `b` say which state of which story was compared; `same` whether their digests are equal."""

    story: str
    a: Document
    b: Document
    same: bool
    added: list[StateEntry]
    removed: list[StateEntry]
    changed: list[Document]


class Forked(TypedDict):
    """`branch` is the id of the story that the branch is. `unchanged`: it was there, as it was asked for."""

    story: str
    branch: str
    name: str
    forked_at: int
    chapters: int
    position: int
    unchanged: bool


class PromotionPreview(TypedDict):
    """`blocking` are chapters of the parent, published since the fork, that promoting would not respect."""

    story: str
    branch: str
    forked_at: int
    chapters: list[Document]
    changes: list[Document]
    moved: list[int]
    blocking: list[int]
    left: Document
