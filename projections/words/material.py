"""What a batch of events says in words: the passages of its chapters and the texts of its records."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from events.domain_events import ChapterPublished, Recorded, RecordStated
from projections.words.segmentation import Window, windows
from projections.words.verbalising import record_text

Revised: TypeAlias = tuple[str, int, int]
"""(story, chapter, revision)."""


class TextSource(Protocol):
    """Where the chapters' texts are kept, by content hash. One that was erased is left out of the answer."""

    def texts(self, hashes: Sequence[str]) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class Passage:
    window: Window
    text: str
    hash: bytes


@dataclass(frozen=True, slots=True)
class Material:
    """The passages by chapter revision, and text and hash of each record event by its position."""

    passages: Mapping[Revised, Sequence[Passage]]
    records: Mapping[int, tuple[str, bytes]]

    def texts(self) -> dict[bytes, str]:
        found = {p.hash: p.text for passages in self.passages.values() for p in passages}
        found.update((key, text) for text, key in self.records.values())
        return found


def referenced(batch: Sequence[Recorded]) -> set[Revised]:
    """The chapter revisions outside the batch that its record events point into."""
    inside = {_revised(r.event) for r in batch if isinstance(r.event, ChapterPublished)}
    return {_revised(r.event) for r in batch if isinstance(r.event, RecordStated)} - inside


def material(batch: Sequence[Recorded], source: TextSource, elsewhere: Mapping[Revised, str | None]) -> Material:
    """The words of a batch. `elsewhere` gives the text hashes of revisions outside the batch (see `referenced`).

    A text that was erased leaves no passages, and its records without their quotes.
    """
    hashes = dict(elsewhere)
    hashes.update((_revised(r.event), r.event.text_hash) for r in batch if isinstance(r.event, ChapterPublished))
    stored = source.texts(sorted({h for h in hashes.values() if h is not None}))
    passages: dict[Revised, Sequence[Passage]] = {}
    records: dict[int, tuple[str, bytes]] = {}
    for recorded in batch:
        event = recorded.event
        if not isinstance(event, ChapterPublished | RecordStated):
            continue
        text = _text(stored, hashes, _revised(event))
        if isinstance(event, RecordStated):
            said = record_text(event.kind, event.payload, [text[start:end] for start, end in event.evidence if text])
            records[recorded.position] = (said, hash_of(said))
        elif not event.superseded:
            passages[_revised(event)] = _passages(text)
    return Material(passages, records)


def hash_of(text: str) -> bytes:
    """The SHA-256 of a text; a character that has no UTF-8 form counts as a question mark."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def _passages(text: str) -> list[Passage]:
    cut = [(window, text[window.start : window.end]) for window in windows(text)]
    return [Passage(window, passage, hash_of(passage)) for window, passage in cut]


def _revised(event: object) -> Revised:
    assert isinstance(event, ChapterPublished | RecordStated)
    return event.story, event.chapter, event.revision


def _text(stored: Mapping[str, str], hashes: Mapping[Revised, str | None], revised: Revised) -> str:
    return stored.get(hashes.get(revised) or "", "")
