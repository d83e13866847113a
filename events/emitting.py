"""From what a publication changed to the events that say so, each with its cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from events.chapters import Publication
from events.contributions import Before, Taken
from events.domain_events import (
    ChapterPublished,
    ChapterRetracted,
    CheckpointNamed,
    EntitiesMerged,
    EntitiesSplit,
    EntityLinked,
    EntityLinkEvent,
    EntityUnlinked,
    FindingExempted,
    Json,
    RecordAsserted,
    RecordCarried,
    RecordEvent,
    RecordInvalidated,
    RecordRebound,
    RecordReinstated,
    RecordStated,
    StoryEvent,
    ThreadDue,
)
from events.ids import Chapter, EntityId, EventId, RecordName, RecordUid, Revision, Sequence, event_id
from events.names import key_of, name_key
from events.registry import NO_NAMES, Link
from events.revisions import Entry
from events.story_index import StoryIndex
from events.weighing import in_weighing_order, last_before, requirement_keys

E = TypeVar("E", bound=StoryEvent)


@dataclass(slots=True)
class Emission:
    """The events of one publication in the making. `version` is the version of the last event of the story so far."""

    index: StoryIndex
    publication: Publication
    version: int
    recorded_at: datetime
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """By the id of a record in this publication, what read it out of the text."""
    events: list[StoryEvent] = field(default_factory=list)
    _last: dict[str, EventId] = field(default_factory=dict)
    """By record uid, and by state key (by entity ids), the last event about its liveness."""

    def add(self, event_type: type[E], chapter: int, cause: EventId | None, **fields: Any) -> EventId:
        version = self.version + len(self.events) + 1
        event = event_type(
            story=self.publication.story,
            version=version,
            recorded_at=self.recorded_at,
            correlation=self.publication.id,
            caused_by=cause,
            chapter=Chapter(chapter),
            **fields,
        )
        self.events.append(event)
        return event_id(self.publication.story, version)

    # -- what it begins with ------------------------------------------------------------------------------------------

    def chapter_published(
        self, taken: Taken, length: int, extractor: str, rejected: tuple[Json, ...], warnings: tuple[str, ...]
    ) -> EventId:
        p = self.publication
        rereads = Sequence(p.reextraction.of) if p.reextraction else None
        return self.add(
            ChapterPublished, p.chapter, None, revision=Revision(p.revision), sequence=Sequence(p.sequence),
            text_hash=p.text_hash or "", content_hash=p.content_hash, length=length, title=p.title, language=p.language,
            extractor=extractor, superseded=taken.superseded, rejected=rejected, warnings=warnings,
            rereads=rereads,
        )  # fmt: skip

    def chapter_retracted(self, taken: Taken) -> EventId:
        p = self.publication
        return self.add(
            ChapterRetracted, p.chapter, None,
            revision=Revision(p.revision), sequence=Sequence(p.sequence), superseded=taken.superseded,
        )  # fmt: skip

    def decided(self) -> EventId:
        p, d = self.publication, self.publication.decision
        if p.action == "merge":
            a, b = (EntityId(e) for e in d["merge"])
            since = Chapter(d["since"])
            return self.add(EntitiesMerged, 0, None, sequence=Sequence(p.sequence), a=a, b=b, since=since)
        if p.action == "split":
            review = tuple(RecordName(name) for name in d.get("review", ()))
            return self.add(
                EntitiesSplit, 0, None,
                sequence=Sequence(p.sequence), alias=d["split"], names=tuple(d["names"]), review=review,
            )  # fmt: skip
        if p.action == "due":
            due = None if d["due"] is None else Chapter(d["due"])
            return self.add(ThreadDue, 0, None, sequence=Sequence(p.sequence), thread=d["thread"], due=due)
        if p.action == "exempt":
            return self.add(
                FindingExempted, 0, None, sequence=Sequence(p.sequence), finding=d["finding"], reason=d["reason"]
            )
        at = Chapter(d["at"])
        return self.add(CheckpointNamed, at, None, sequence=Sequence(p.sequence), name=d["name"], at=at)

    # -- what follows -------------------------------------------------------------------------------------------------

    def follow(self, taken: Taken, root: EventId) -> None:
        """Adds what the publication brought about: in its own chapter first, then downstream in chapter order."""
        gone = "superseded_extraction" if self.publication.reextraction else "superseded_revision"
        if self.publication.action == "retract":
            gone = "chapter_retracted"
        for entry in taken.withdrawn:
            self._invalidate(entry, gone, root)
        self._state_revision(taken, root)
        for link in taken.unlinked:
            self._link(EntityUnlinked, link, root)
        for link in taken.linked:
            self._link(EntityLinked, link, root)
        self._state_downstream(taken, root)

    def _state_revision(self, taken: Taken, root: EventId) -> None:
        if taken.revision is None:
            return
        carried = {new: old for old, new in taken.carried}
        for entry in in_weighing_order(taken.revision.entries):
            if entry in carried:
                self._state(RecordCarried, entry, root)
                if not taken.superseded:
                    self._compare(entry, taken.touched[entry], root)
            else:
                asserted = self._state(RecordAsserted, entry, root)
                self._note(entry, asserted)
                if taken.superseded:
                    self._invalidate(entry, "superseded_revision", root)
                elif not entry.live:
                    self._invalidate(entry, entry.reason, self._fall(entry, asserted))

    def _state_downstream(self, taken: Taken, root: EventId) -> None:
        own = set(taken.revision.entries) if taken.revision else set()
        for chapter in sorted({e.chapter for e in taken.touched}):
            current = self.index.current(chapter)
            for entry in in_weighing_order(current.entries if current else []):
                before = taken.touched.get(entry)
                if before is None or entry in own:
                    continue
                if (before.mentions, before.settings) != (entry.mentions, entry.settings):
                    self._record(
                        RecordRebound, entry, root,
                        content=entry.content, mentions=entry.mentions, settings=entry.settings,
                    )  # fmt: skip
                self._compare(entry, before, root)

    def _compare(self, entry: Entry, before: Before, root: EventId) -> None:
        if before.live and not entry.live:
            self._invalidate(entry, entry.reason, self._fall(entry, root))
        elif entry.live and not before.live:
            self._note(entry, self._record(RecordReinstated, entry, self._rise(entry, root)))

    def _fall(self, entry: Entry, root: EventId) -> EventId:
        """Why a record fell: the event about its ground, or about the key it requires."""
        if entry.reason == "dependency_withdrawn":
            return self._last.get(entry.cause.uid, root) if entry.cause else root
        if entry.cause and entry.cause.uid in self._last:
            return self._last[entry.cause.uid]
        return self._of_requirements(entry) or root

    def _rise(self, entry: Entry, root: EventId) -> EventId:
        for chapter, local in entry.depends:
            ground = self.index.bound(entry, chapter, local)
            current = self.index.current(chapter)
            for mate in [ground, *(current.with_content(ground.content) if ground and current else ())]:
                if mate and mate.uid in self._last:
                    return self._last[mate.uid]
        return self._of_requirements(entry) or root

    def _of_requirements(self, entry: Entry) -> EventId | None:
        for key, _ in entry.requires:
            keys = requirement_keys(self.index, entry, key, entry.chapter)
            found = last_before(self.index, entry, keys)
            if found and found[1].uid in self._last:
                return self._last[found[1].uid]
            for node_key in keys:
                if node_key in self._last:
                    return self._last[node_key]
        return None

    def _invalidate(self, entry: Entry, reason: str, cause: EventId) -> None:
        self._note(entry, self._record(RecordInvalidated, entry, cause, reason=reason))

    def _note(self, entry: Entry, event: EventId) -> None:
        self._last[entry.uid] = event
        for setting in entry.settings:
            self._last[setting.node_key] = event

    def _record(self, event: type[RecordEvent], entry: Entry, cause: EventId, **fields: Any) -> EventId:
        return self.add(
            event, entry.chapter, cause,
            uid=RecordUid(entry.uid), record=entry.name, revision=Revision(entry.revision), **fields,
        )  # fmt: skip

    def _state(self, event: type[RecordStated], entry: Entry, cause: EventId) -> EventId:
        return self._record(
            event, entry, cause,
            kind=entry.kind, payload=entry.payload, evidence=entry.evidence, order=entry.order, content=entry.content,
            mentions=entry.mentions, settings=entry.settings, provenance=self.provenance.get(entry.local),
        )  # fmt: skip

    def _link(self, kind: type[EntityLinkEvent], link: Link, cause: EventId) -> None:
        self.add(
            kind, link.chapter, cause,
            a=link.a, b=link.b, origin=link.origin, rank=link.rank, record=self._saying(link),
        )  # fmt: skip

    def _saying(self, link: Link) -> RecordName | None:
        """The record that says the two are one."""
        if link.record is not None:
            return RecordName(link.record)
        current = self.index.current(link.chapter)
        return next((e.name for e in (current.entries if current else ()) if _introduces(e, link)), None)


def _introduces(entry: Entry, link: Link) -> bool:
    return entry.entity("name") == link.b and key_of(link.a) in map(name_key, _names(entry))


def dropped_names(index: StoryIndex, taken: Taken) -> Iterator[str]:
    """Sentences about names that an edit does not introduce any more though later chapters use them."""
    said: set[str] = set()
    for entry in taken.withdrawn + [old for old, _ in taken.carried]:
        for name in _names(entry):
            key = name_key(name)
            if key not in said and not _is_introduced(index, taken, key, entry.chapter):
                said.add(key)
                if later := index.later_uses(key, entry.chapter):
                    yield (
                        f"{len(later)} later chapter{'s' if len(later) > 1 else ''} ({_listed(later)}) use the name "
                        f"{name!r}, which chapter {entry.chapter} no longer introduces."
                    )


def _names(entry: Entry) -> list[str]:
    return [entry.payload["name"], *entry.payload.get("aliases", ())] if entry.kind == "entity" else []


def _is_introduced(index: StoryIndex, taken: Taken, key: str, chapter: int) -> bool:
    """Whether the name is introduced by the new revision, or by a chapter before."""
    local = taken.revision.local if taken.revision else NO_NAMES
    before = index.registry
    return (
        key in local.names
        or key in local.aliases
        or bool(before.introduced_before(key, chapter) or before.claimed_before(key, chapter))
    )


def unbound(index: StoryIndex, taken: Taken) -> Iterator[str]:
    """Sentences about dependencies on records that are not there."""
    for entry in taken.revision.entries if taken.revision else ():
        for chapter, local in entry.depends:
            if index.bound(entry, chapter, local) is None:
                yield f"{entry.name} depends on {chapter}:{local}, which does not exist; it holds once that record does."


def _listed(chapters: list[int]) -> str:
    shown = ", ".join(map(str, chapters[:6]))
    return shown + (", …" if len(chapters) > 6 else "")
