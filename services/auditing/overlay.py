"""Slices as they would be after a publication: those of the read models, with what it touches put in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np

from events.domain_events import (
    ChapterPublished,
    ChapterRetracted,
    EntityLinked,
    EntityUnlinked,
    RecordAsserted,
    Recorded,
)
from projections.embedding import Embedder, Vectors
from projections.passages.read import LinkRow, PassageRow, record_row
from projections.words.material import Material, material, referenced
from services.auditing.impact import Impact
from services.retrieval.slices import Slice, Told
from services.retrieval.source import SliceKey, SliceSource


class Overlay:
    """A slice source of the story as it would be. What is asked of other stories is as it is."""

    def __init__(self, inner: SliceSource, found: Impact, embedder: Embedder) -> None:
        self._inner = inner
        self._found = found
        stated = [event for event in found.after.values() if event is not None]
        batch = [Recorded(n, event) for n, event in enumerate([*found.events[:1], *stated])]
        known: dict[str, str] = {**found.texts, found.plan.publication.text_hash or "": found.plan.text}
        words = material(batch, _Texts(known), {revised: _named(revised, found.texts) for revised in referenced(batch)})
        self._passages = self._fresh_passages(words)
        self._records = [
            record_row(r.event, *words.records[r.position]) for r in batch if isinstance(r.event, RecordAsserted)
        ]
        self._passage_vectors = embedder.embed([p.text for p in self._passages])
        self._record_vectors = embedder.embed([r.text for r in self._records])

    def resolve(self, story: str, at: int | str | None, as_recorded: int | datetime | None) -> SliceKey:
        return self._inner.resolve(story, at, as_recorded)

    def slice(self, key: SliceKey) -> Slice:
        base, chapter = self._inner.slice(key), self._found.plan.publication.chapter
        if key.story != self._found.plan.publication.story or key.at < chapter:
            return base
        kept = [n for n, row in enumerate(base.passages) if row.chapter != chapter]
        passages = [(base.passages[n], base.passage_vectors[n]) for n in kept]
        passages += list(zip(self._passages, self._passage_vectors, strict=True))
        passages.sort(key=lambda each: (each[0].chapter, each[0].start))
        return Slice(
            key.at,
            [row for row, _ in passages],
            _stacked([vector for _, vector in passages], base.passage_vectors),
            lambda: self._told(base.told, key.at),
            base.vocabulary,
        )

    def forget(self) -> None:
        self._inner.forget()

    def _told(self, base: Told, at: int) -> Told:
        rows = [(r, base.vectors[n]) for n, r in enumerate(base.records) if r.uid not in self._found.after]
        rows += [(r, v) for r, v in zip(self._records, self._record_vectors, strict=True) if r.chapter <= at]
        rows.sort(key=lambda each: (each[0].chapter, each[0].order, each[0].uid))
        vectors = _stacked([vector for _, vector in rows], base.vectors)
        return Told([row for row, _ in rows], vectors, self._links(base.links, at))

    def _links(self, base: Sequence[LinkRow], at: int) -> list[LinkRow]:
        links = list(base)
        for event in self._found.events:
            if event.chapter > at:
                continue
            if isinstance(event, EntityLinked):
                links.append(LinkRow(event.chapter, event.rank, event.a, event.b))
            elif isinstance(event, EntityUnlinked):
                row = LinkRow(event.chapter, event.rank, event.a, event.b)
                links = [link for link in links if link != row]
        return sorted(links, key=lambda row: (row.chapter, row.rank, row.a, row.b))

    def _fresh_passages(self, words: Material) -> list[PassageRow]:
        root = self._found.events[0]
        if isinstance(root, ChapterRetracted):
            return []
        assert isinstance(root, ChapterPublished)
        cut = words.passages[root.story, root.chapter, root.revision]
        return [PassageRow(root.chapter, root.revision, p.window.start, p.window.end, p.text, p.hash) for p in cut]


class _Texts:
    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known

    def texts(self, hashes: Sequence[str]) -> Mapping[str, str]:
        return {digest: self._known[digest] for digest in hashes if digest in self._known}


def _named(revised: tuple[str, int, int], texts: Mapping[str, str]) -> str | None:
    """Texts of other revisions go under `<chapter>/<revision>` in the place of their hash."""
    name = f"{revised[1]}/{revised[2]}"
    return name if name in texts else None


def _stacked(vectors: Iterable[Vectors], like: Vectors) -> Vectors:
    found = list(vectors)
    return np.stack(found) if found else like[:0]
