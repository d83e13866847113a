"""The immutable domain events: one stream a story, in the order in which its publications were taken in.

All events of one publication are appended in one transaction and share its `correlation`. `caused_by` names the event
that made this one necessary, so a chain of causes leads back from any invalidation to the edit it began with.

Every event says which chapter it concerns (0: the whole story), so a reader at chapter n can leave out what comes later.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, TypeAlias

from events.ids import Chapter, EntityId, EventId, PublicationId, RecordName, RecordUid, Revision, Sequence, event_id

SEPARATOR: Final = "\x1f"
"""Between the arguments of a node key. No key has it: it counts as white space, of which keys have single spaces only."""

Json: TypeAlias = Any
"""A JSON value. Payloads are validated where they enter (see `events.sidecar`), and plain data from there on."""


@dataclass(frozen=True, slots=True)
class Mention:
    """That a field of a record names an entity: `slot` is the field (`owner`, `participants.0`), `surface` its text."""

    slot: str
    entity: EntityId
    surface: str


@dataclass(frozen=True, slots=True)
class Term:
    """An argument or value of a state key: an entity, or a literal `text` compared by its `key`."""

    key: str
    text: str
    entity: bool = False

    @property
    def compared(self) -> str:
        """What two terms that mean the same have in common."""
        return ("@" if self.entity else "=") + self.key


def node_key(functor: str, args: list[str], arrow: bool) -> str:
    """A state key by what its arguments are compared by. The arguments of a symmetric relationship get sorted."""
    if functor == "relationship" and not arrow:
        args.sort()
    return functor + ("->" if arrow else "") + "(" + SEPARATOR.join(args) + ")"


@dataclass(frozen=True, slots=True)
class Setting:
    """That a record sets a state key to a value. `value` None ends the key (op `remove`).

    `functor` is the word before the parenthesis (`owner`), `arrow` is set for directed relationships, whose two
    arguments are shown as `X->Y`; for symmetric ones the two are shown in alphabetical order of their names.
    """

    functor: str
    args: tuple[Term, ...]
    value: Term | None
    arrow: bool = False

    @property
    def node_key(self) -> str:
        """The key by entity ids: equal for two settings of the same key before any two entities are joined."""
        return node_key(self.functor, [t.compared for t in self.args], self.arrow)


@dataclass(frozen=True, slots=True)
class Order:
    """Story order inside a chapter: scene, position of the first evidence span, order in the file."""

    scene: int
    start: int
    ordinal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEvent:
    """What every event carries. `version` counts the events of the story from 1."""

    TOPIC: ClassVar[str] = ""
    VERSION: ClassVar[int] = 1

    story: str
    version: int
    recorded_at: datetime
    correlation: PublicationId
    caused_by: EventId | None
    chapter: Chapter

    @property
    def originator_id(self) -> str:
        return self.story

    @property
    def originator_version(self) -> int:
        return self.version

    @property
    def id(self) -> EventId:
        return event_id(self.story, self.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterPublished(StoryEvent):
    """A chapter has a text (`revision` 1) or a new one. `superseded`: a later revision had already arrived.

    `text_hash` and `length` (code points) point to the text, which is kept apart. `rejected` lists the records that
    were refused, as `{"record", "reason"}`; `warnings` are sentences for the author. `rereads` is the number of the
    publication whose text was read anew, where no new text was published.
    """

    TOPIC: ClassVar[str] = "fabula.chapter-published"
    VERSION: ClassVar[int] = 2

    revision: Revision
    sequence: Sequence
    text_hash: str
    content_hash: str
    length: int
    title: str | None
    language: str
    extractor: str
    superseded: bool
    rejected: tuple[Json, ...]
    warnings: tuple[str, ...]
    rereads: Sequence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterRetracted(StoryEvent):
    """A chapter is withdrawn until it is published again. It counts as a revision without text."""

    TOPIC: ClassVar[str] = "fabula.chapter-retracted"

    revision: Revision
    sequence: Sequence
    superseded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEvent(StoryEvent):
    """An event about one record. `record` is its name in the revision named."""

    uid: RecordUid
    record: RecordName
    revision: Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordStated(RecordEvent):
    """What is common to a record's first assertion and its being carried into another revision.

    `payload` is the record as handed in, without id and evidence; `evidence` holds (start, end) code point offsets.
    `content` identifies the record across revisions. `settings` is empty unless the modality is actual.
    `provenance` says what read the record out of the text, and is no part of its content: `{"extractor"}`, and of a
    model `{"model", "prompt", "prompt_digest", "text"}` as well; None where a person handed it in, or nobody noted it.
    """

    VERSION: ClassVar[int] = 3

    kind: str
    payload: Json
    evidence: tuple[tuple[int, int], ...]
    order: Order
    content: str
    mentions: tuple[Mention, ...]
    settings: tuple[Setting, ...]
    provenance: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordAsserted(RecordStated):
    """A record that the chapter did not make before. It is live until a `RecordInvalidated` says otherwise."""

    TOPIC: ClassVar[str] = "fabula.record-asserted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCarried(RecordStated):
    """A record the chapter already made stands in another revision too: its evidence, name and wording may differ.

    If `revision` is lower than the chapter's current one the record keeps what it shows: the older revision only
    arrived late. Liveness does not change.
    """

    TOPIC: ClassVar[str] = "fabula.record-carried"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRebound(RecordEvent):
    """Names in the record mean other entities than before, since an earlier chapter introduces them differently."""

    TOPIC: ClassVar[str] = "fabula.record-rebound"

    content: str
    mentions: tuple[Mention, ...]
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordInvalidated(RecordEvent):
    """A record no longer holds. `reason`: superseded_revision, superseded_extraction (the same text was read anew
    and does not give it), chapter_retracted, dependency_withdrawn, precondition_failed."""

    TOPIC: ClassVar[str] = "fabula.record-invalidated"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReinstated(RecordEvent):
    """A record whose ground had gone holds again."""

    TOPIC: ClassVar[str] = "fabula.record-reinstated"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityLinkEvent(StoryEvent):
    """From `chapter` on (0: from the beginning) `a` and `b` are one entity, under the name of `b`.

    `origin`: name (a name used before it was introduced), alias, identity, merge. `rank` orders links of one chapter.
    `record` is the record that says so, if one does.
    """

    a: EntityId
    b: EntityId
    origin: str
    rank: int
    record: RecordName | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityLinked(EntityLinkEvent):
    TOPIC: ClassVar[str] = "fabula.entity-linked"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityUnlinked(EntityLinkEvent):
    TOPIC: ClassVar[str] = "fabula.entity-unlinked"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitiesMerged(StoryEvent):
    """An editor says that `b` is `a`, from `since` on (0: from the beginning); `a`'s name stays."""

    TOPIC: ClassVar[str] = "fabula.entities-merged"

    sequence: Sequence
    a: EntityId
    b: EntityId
    since: Chapter


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitiesSplit(StoryEvent):
    """An editor says that the name `alias` does not belong to the entity known by `names` (name keys).

    `review` lists records whose side the text does not settle.
    """

    TOPIC: ClassVar[str] = "fabula.entities-split"

    sequence: Sequence
    alias: str
    names: tuple[str, ...]
    review: tuple[RecordName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointNamed(StoryEvent):
    """A reader's place gets a name; `at` is the chapter. A later event of the same name moves it."""

    TOPIC: ClassVar[str] = "fabula.checkpoint-named"

    sequence: Sequence
    name: str
    at: Chapter


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadDue(StoryEvent):
    """An editor plans by which chapter a thread is paid off; `due` None: no longer. `thread` is its key, not its wording."""

    TOPIC: ClassVar[str] = "fabula.thread-due"

    sequence: Sequence
    thread: str
    due: Chapter | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingExempted(StoryEvent):
    """An editor lets a finding of a check stand, with a reason. It holds as long as the records that decide it are the same."""

    TOPIC: ClassVar[str] = "fabula.finding-exempted"

    sequence: Sequence
    finding: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrecognisedEvent(StoryEvent):
    """An event of a type (`topic`) or version that only a newer release knows. Never written."""

    topic: str


EVENT_TYPES: tuple[type[StoryEvent], ...] = (
    ChapterPublished,
    ChapterRetracted,
    RecordAsserted,
    RecordCarried,
    RecordRebound,
    RecordInvalidated,
    RecordReinstated,
    EntityLinked,
    EntityUnlinked,
    EntitiesMerged,
    EntitiesSplit,
    CheckpointNamed,
    ThreadDue,
    FindingExempted,
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event and its position in the log."""

    position: int
    event: StoryEvent
