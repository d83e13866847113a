"""Slices straight from a told log, without a database: what the read model must amount to, written as plainly as possible."""

from __future__ import annotations

from datetime import datetime

from events.domain_events import (
    ChapterPublished,
    ChapterRetracted,
    CheckpointNamed,
    EntityLinked,
    EntityLinkEvent,
    EntityUnlinked,
    Recorded,
    RecordInvalidated,
    RecordReinstated,
    RecordStated,
)
from events.errors import UnknownCheckpoint, UnknownStory
from projections.embedding import Embedder
from projections.passages.read import LinkRow, PassageRow, RecordRow, record_row
from projections.words.material import material
from services.retrieval.lexicon import Vocabulary
from services.retrieval.slices import Slice, Told
from services.retrieval.source import SliceKey
from tests.storytelling import Telling


class MemorySlices:
    """A slice source over one telling. Nothing is cached, but slices may share what a vocabulary keeps."""

    def __init__(self, telling: Telling, embedder: Embedder, vocabulary: Vocabulary | None = None) -> None:
        self._telling = telling
        self._vocabulary = vocabulary
        self._embedder = embedder

    def resolve(self, story: str, at: int | str | None, as_recorded: int | datetime | None) -> SliceKey:
        if story != self._telling.story or not self._telling.log:
            raise UnknownStory(f"There is no story {story!r}.")
        assert not isinstance(as_recorded, datetime)
        log = [r for r in self._telling.log if as_recorded is None or r.position <= as_recorded]
        if at is None:
            at = max((r.event.chapter for r in log if isinstance(r.event, ChapterPublished)), default=1)
        if isinstance(at, str):
            named = [r.event.at for r in log if isinstance(r.event, CheckpointNamed) and r.event.name == at]
            if not named:
                raise UnknownCheckpoint(f"There is no checkpoint {at!r}.")
            at = named[-1]
        concerning = [r.position for r in log if r.event.chapter <= at and not isinstance(r.event, CheckpointNamed)]
        return SliceKey(story, at, max(concerning, default=0))

    def slice(self, key: SliceKey) -> Slice:
        log = [r for r in self._telling.log if r.position <= key.position and r.event.chapter <= key.at]
        passages, records, links = self._passages(log), self._records(log), self._links(log)
        told = Told(records, self._embedder.embed([r.text for r in records]), links)
        return Slice(key.at, passages, self._embedder.embed([p.text for p in passages]), lambda: told, self._vocabulary)

    def forget(self) -> None:
        pass

    def _passages(self, log: list[Recorded]) -> list[PassageRow]:
        words = material(log, self._telling, {})
        shown: dict[int, list[PassageRow]] = {}
        for event in (r.event for r in log):
            if isinstance(event, ChapterRetracted):
                shown.pop(event.chapter, None)
            elif isinstance(event, ChapterPublished):
                passages = words.passages[event.story, event.chapter, event.revision]
                shown[event.chapter] = [
                    PassageRow(event.chapter, event.revision, p.window.start, p.window.end, p.text, p.hash)
                    for p in passages
                ]
        return [row for chapter in sorted(shown) for row in shown[chapter]]

    def _records(self, log: list[Recorded]) -> list[RecordRow]:
        words = material(log, self._telling, {})
        known: dict[str, RecordRow] = {}
        live: dict[str, bool] = {}
        for recorded in log:
            event = recorded.event
            if isinstance(event, RecordStated):
                known[event.uid] = record_row(event, *words.records[recorded.position])
                live.setdefault(event.uid, True)
            elif isinstance(event, RecordInvalidated):
                live[event.uid] = False
            elif isinstance(event, RecordReinstated):
                live[event.uid] = True
        rows = [row for uid, row in known.items() if live[uid]]
        return sorted(rows, key=lambda row: (row.chapter, row.order, row.uid))

    def _links(self, log: list[Recorded]) -> list[LinkRow]:
        found: list[LinkRow] = []
        for event in (r.event for r in log):
            if isinstance(event, EntityLinked):
                found.append(_link(event))
            elif isinstance(event, EntityUnlinked):
                found.remove(_link(event))
        return sorted(found, key=lambda row: (row.chapter, row.rank, row.a, row.b))


def _link(event: EntityLinkEvent) -> LinkRow:
    return LinkRow(event.chapter, event.rank, event.a, event.b)
