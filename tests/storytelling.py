"""A log in memory for tests of read models: chapters told, edited and retracted, as the ledger would record them.

Nothing is derived here (no cascades): a record stands as long as the chapter's current revision has it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from events.chapters import text_hash
from events.domain_events import (
    ChapterPublished,
    ChapterRetracted,
    CheckpointNamed,
    EntityLinked,
    EntityUnlinked,
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
from events.ids import Chapter, EntityId, RecordUid, Revision, Sequence, publication_id, record_name
from events.names import entity_id, literal_key, name_key

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


def entity(name: str) -> EntityId:
    return entity_id("person", name_key(name))


def told(local: str, kind: str, quote: str, **fields: Any) -> dict[str, Any]:
    """A record of a test chapter; `quote` is its evidence."""
    return {"id": local, "kind": kind, "quote": quote, **fields}


def owns(local: str, thing: str, owner: str, quote: str) -> dict[str, Any]:
    return told(local, "object_delta", quote, object=thing, owner=owner)


class Telling:
    """One story's events. `texts` gives every text it ever had by its hash, as the ledger does."""

    def __init__(self, story: str = "lantern", first_position: int = 1) -> None:
        self.story = story
        self.log: list[Recorded] = []
        self._texts: dict[str, str] = {}
        self._position = first_position - 1
        self._sequence = 0
        self._revisions: dict[int, int] = {}
        self._live: dict[int, dict[str, RecordAsserted | RecordCarried]] = {}

    def texts(self, hashes: Collection[str]) -> Mapping[str, str]:
        return {h: self._texts[h] for h in hashes if h in self._texts}

    @property
    def position(self) -> int:
        return self._position

    def publish(self, chapter: int, text: str, records: Iterable[dict[str, Any]] = ()) -> list[Recorded]:
        """The events of one publication. A record of the same id and fields is carried over; others come and go."""
        began = len(self.log)
        self._begin()
        revision = self._next_revision(chapter)
        self._texts[text_hash(text)] = text
        self._say(
            ChapterPublished, chapter, revision=Revision(revision), sequence=Sequence(self._sequence), text_hash=text_hash(text),
            content_hash=text_hash(text), length=len(text), title=None, language="en", extractor="test", superseded=False,
            rejected=(), warnings=(),
        )  # fmt: skip
        before, now = self._live.get(chapter, {}), {}
        for ordinal, record in enumerate(records):
            now[record["id"]] = self._state(chapter, revision, text, ordinal, dict(record), before.get(record["id"]))
        carried = {event.uid for event in now.values()}
        self._end(old for old in before.values() if old.uid not in carried)
        self._live[chapter] = now
        return self.log[began:]

    def retract(self, chapter: int) -> list[Recorded]:
        began = len(self.log)
        self._begin()
        revision = Revision(self._next_revision(chapter))
        self._say(ChapterRetracted, chapter, revision=revision, sequence=Sequence(self._sequence), superseded=False)
        self._end(self._live.pop(chapter, {}).values())
        return self.log[began:]

    def link(self, a: str, b: str, chapter: int, rank: int = 0, *, undo: bool = False) -> list[Recorded]:
        self._begin()
        kind = EntityUnlinked if undo else EntityLinked
        self._say(kind, chapter, a=entity(a), b=entity(b), origin="merge", rank=rank, record=None)
        return self.log[-1:]

    def reinstate(self, chapter: int, local: str) -> list[Recorded]:
        """The record holds again (it must have been withdrawn with `withdraw`)."""
        return self._change(RecordReinstated, chapter, local)

    def withdraw(self, chapter: int, local: str) -> list[Recorded]:
        return self._change(RecordInvalidated, chapter, local, reason="dependency_withdrawn")

    def checkpoint(self, name: str, at: int) -> list[Recorded]:
        self._begin()
        self._say(CheckpointNamed, at, sequence=Sequence(self._sequence), name=name, at=Chapter(at))
        return self.log[-1:]

    def _change(self, kind: type[StoryEvent], chapter: int, local: str, **fields: Any) -> list[Recorded]:
        self._begin()
        stated = self._live[chapter][local]
        self._say(kind, chapter, uid=stated.uid, record=stated.record, revision=stated.revision, **fields)
        return self.log[-1:]

    def _begin(self) -> None:
        self._sequence += 1

    def _next_revision(self, chapter: int) -> int:
        self._revisions[chapter] = self._revisions.get(chapter, 0) + 1
        return self._revisions[chapter]

    def _state(
        self,
        chapter: int,
        revision: int,
        text: str,
        ordinal: int,
        record: dict[str, Any],
        old: RecordAsserted | RecordCarried | None,
    ) -> RecordAsserted | RecordCarried:
        local, quote = record.pop("id"), record.pop("quote")
        start = text.index(quote)
        same = old is not None and old.payload == record
        uid = old.uid if old is not None and same else RecordUid(f"{chapter}r{revision}:{local}")
        self._say(
            RecordCarried if same else RecordAsserted, chapter, uid=uid, record=record_name(chapter, local),
            revision=Revision(revision), kind=record["kind"], payload=record, evidence=((start, start + len(quote)),),
            order=Order(record.get("scene", 1), start, ordinal), content=uid, mentions=_mentions(record), settings=_settings(record),
        )  # fmt: skip
        event = self.log[-1].event
        assert isinstance(event, RecordAsserted | RecordCarried)
        return event

    def _end(self, records: Iterable[RecordAsserted | RecordCarried]) -> None:
        for old in list(records):
            self._say(
                RecordInvalidated,
                old.chapter,
                uid=old.uid,
                record=old.record,
                revision=old.revision,
                reason="superseded_revision",
            )

    def _say(self, event_type: type[StoryEvent], chapter: int, **fields: Any) -> None:
        self._position += 1
        moment = BEGINNING + timedelta(hours=self._sequence)
        event = event_type(
            story=self.story, version=len(self.log) + 1, recorded_at=moment, correlation=publication_id(self.story, self._sequence),
            caused_by=None, chapter=Chapter(chapter), **fields,
        )  # fmt: skip
        self.log.append(Recorded(self._position, event))


def moved(log: Iterable[Recorded], by: int) -> list[Recorded]:
    """The same events at later positions, as when other stories were written in between."""
    return [replace(recorded, position=recorded.position + by) for recorded in log]


_ENTITY_FIELDS = (
    "name",
    "owner",
    "object",
    "character",
    "knower",
    "subject",
    "source",
    "target",
    "entity",
    "location",
    "a",
    "b",
)


def _mentions(record: dict[str, Any]) -> tuple[Mention, ...]:
    found = [
        Mention(field, entity(record[field]), record[field])
        for field in _ENTITY_FIELDS
        if isinstance(record.get(field), str)
    ]
    for number, part in enumerate(record.get("participants", ())):
        name = part["entity"] if isinstance(part, dict) else part
        found.append(Mention(f"participants.{number}", entity(name), name))
    return tuple(found)


def _settings(record: dict[str, Any]) -> tuple[Setting, ...]:
    if record.get("modality", "actual") != "actual":
        return ()
    if record["kind"] == "object_delta":
        return (Setting("owner", (_entity_term(record["object"]),), _entity_term(record["owner"])),)
    if record["kind"] == "character_delta":
        arguments = (_entity_term(record["character"]), _literal(record["attribute"]))
        return (Setting("character", arguments, None if record.get("op") == "remove" else _literal(record["value"])),)
    if record["kind"] == "presence":
        return (Setting("location", (_entity_term(record["entity"]),), _entity_term(record["location"])),)
    if record["kind"] == "knowledge":
        return (
            Setting(
                "knowledge", (_entity_term(record["knower"]), _literal(record["fact"])), _literal(record["stance"])
            ),
        )
    if record["kind"] == "relationship_delta":
        pair = (_entity_term(record["source"]), _entity_term(record["target"]))
        return (Setting("relationship", pair, _literal(record["relation"]), arrow=not record.get("symmetric", True)),)
    if record["kind"] == "thread":
        return (Setting("thread", (_literal(record["thread"]),), _literal(record["status"])),)
    return ()


def _entity_term(name: str) -> Term:
    return Term(entity(name), name, True)


def _literal(text: str) -> Term:
    return Term(literal_key(text), text)
