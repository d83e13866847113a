"""A log made by hand: what the ledger would hold, without a ledger. Publications are whole, positions have gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from events.domain_events import (
    ChapterPublished,
    ChapterRetracted,
    Mention,
    Order,
    RecordAsserted,
    RecordCarried,
    Recorded,
    RecordInvalidated,
    RecordReinstated,
    Setting,
    StoryEvent,
    Term,
)
from events.ids import Chapter, EntityId, EventId, RecordName, RecordUid, Revision, publication_id
from events.ids import Sequence as SequenceNumber
from events.names import literal_key

START = datetime(2026, 1, 1, tzinfo=UTC)


def entity(key: str) -> Term:
    return Term(key, key.partition("/")[2], entity=True)


def literal(text: str) -> Term:
    return Term(literal_key(text), text)


def owner(thing: str, value: Term | None) -> Setting:
    return Setting("owner", (entity(f"thing/{thing}"),), value)


@dataclass
class HandmadeLog:
    """A `projections.projection.Log` in memory."""

    events: list[Recorded] = field(default_factory=list)
    gap: int = 1
    sequences: dict[str, int] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    on_read: Callable[[], None] = lambda: None

    def events_after(self, position: int, limit: int) -> list[Recorded]:
        self.on_read()
        return [recorded for recorded in self.events if recorded.position > position][:limit]

    def story_events(self, story: str, after_version: int = 0) -> Iterator[Recorded]:
        return (r for r in list(self.events) if r.event.story == story and r.event.version > after_version)

    def last_position(self) -> int:
        return self.events[-1].position if self.events else 0

    def stories(self) -> list[str]:
        return list(dict.fromkeys(r.event.story for r in self.events))

    def publish(self, story: str, *makers: Callable[[dict[str, Any]], StoryEvent]) -> int:
        """Append one publication; returns its last position. Each maker gets what every event carries."""
        sequence = self.sequences[story] = self.sequences.get(story, 0) + 1
        for make in makers:
            version = self.versions[story] = self.versions.get(story, 0) + 1
            shared = {
                "story": story,
                "version": version,
                "recorded_at": START + timedelta(seconds=len(self.events)),
                "correlation": publication_id(story, sequence),
                "caused_by": EventId(f"{story}#{version - 1}") if version > 1 else None,
            }
            self.events.append(Recorded(self.last_position() + self.gap, make(shared)))
        return self.last_position()


def published(
    chapter: int, revision: int = 1, *, superseded: bool = False, text_hash: str = "sha256:0"
) -> Callable[[dict[str, Any]], StoryEvent]:
    return lambda shared: ChapterPublished(
        **shared,
        chapter=Chapter(chapter),
        revision=Revision(revision),
        sequence=SequenceNumber(1),
        text_hash=text_hash,
        content_hash="sha256:1",
        length=100,
        title=None,
        language="en",
        extractor="sidecar",
        superseded=superseded,
        rejected=(),
        warnings=(),
    )


def retracted(chapter: int, revision: int) -> Callable[[dict[str, Any]], StoryEvent]:
    return lambda shared: ChapterRetracted(
        **shared, chapter=Chapter(chapter), revision=Revision(revision), sequence=SequenceNumber(1), superseded=False
    )


@dataclass(frozen=True)
class HandmadeRecord:
    """A record to be asserted, carried, invalidated and reinstated."""

    uid: str
    chapter: int
    kind: str = "object_delta"
    payload: dict[str, Any] = field(default_factory=dict)
    settings: tuple[Setting, ...] = ()
    mentions: tuple[Mention, ...] = ()
    start: int = 0
    scene: int = 0
    ordinal: int = 0
    revision: int = 1

    def _fields(self) -> dict[str, Any]:
        return {
            "chapter": Chapter(self.chapter),
            "uid": RecordUid(self.uid),
            "record": RecordName(f"{self.chapter}:{self.uid}"),
            "revision": Revision(self.revision),
        }

    def _statement(self) -> dict[str, Any]:
        return self._fields() | {
            "kind": self.kind,
            "payload": {"kind": self.kind} | self.payload,
            "evidence": ((self.start, self.start + 5),),
            "order": Order(self.scene, self.start, self.ordinal),
            "content": f"content of {self.uid}",
            "mentions": self.mentions,
            "settings": self.settings,
        }

    def asserted(self, shared: dict[str, Any]) -> StoryEvent:
        return RecordAsserted(**shared, **self._statement())

    def carried(self, shared: dict[str, Any]) -> StoryEvent:
        return RecordCarried(**shared, **self._statement())

    def invalidated(self, shared: dict[str, Any]) -> StoryEvent:
        return RecordInvalidated(**shared, **self._fields(), reason="superseded_revision")

    def reinstated(self, shared: dict[str, Any]) -> StoryEvent:
        return RecordReinstated(**shared, **self._fields())


def mention(slot: str, entity_id: str, surface: str) -> Mention:
    return Mention(slot, EntityId(entity_id), surface)


def owns(uid: str, chapter: int, who: str | None, *, thing: str = "key", **fields: Any) -> HandmadeRecord:
    """That somebody (None: nobody any more) owns the thing from a chapter on."""
    value = None if who is None else entity(f"person/{who}")
    mentions = [mention("object", f"thing/{thing}", thing)]
    mentions += [] if who is None else [mention("owner", f"person/{who}", who)]
    return HandmadeRecord(uid, chapter, settings=(owner(thing, value),), mentions=tuple(mentions), **fields)


def flattened(
    makers: Sequence[Sequence[Callable[[dict[str, Any]], StoryEvent]]],
) -> list[Callable[[dict[str, Any]], StoryEvent]]:
    return [maker for group in makers for maker in group]
