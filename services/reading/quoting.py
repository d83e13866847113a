"""Evidence as it is shown: chapter, revision, span, and the words themselves as long as the text is kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from events.domain_events import Json
from events.publications import read_texts
from services.reading.session import Moment, Session

Spans: TypeAlias = Sequence[tuple[int, int]]
Quote: TypeAlias = Callable[[int, int, Spans], list[Json]]

_KEPT: Final = 20_000_000
"""Characters of chapter texts kept in memory."""


class Texts:
    """Chapter texts by hash, the least recently used leaving first. Texts never change; `forget` one that is erased."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._size = 0
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, session: Session, hashes: Iterable[str]) -> dict[str, str]:
        """The texts that are kept, by hash; erased ones are missing."""
        wanted = set(hashes)
        found: dict[str, str] = {}
        with self._lock:
            for digest in wanted & self._texts.keys():
                self._texts.move_to_end(digest)
                found[digest] = self._texts[digest]
        fresh = read_texts(session.conn, wanted - found.keys()) if len(found) < len(wanted) else {}
        with self._lock:
            for digest, text in fresh.items():
                if digest not in self._texts:
                    self._texts[digest] = text
                    self._size += len(text)
            while self._size > self._kept and self._texts:
                self._size -= len(self._texts.popitem(last=False)[1])
        return found | fresh

    def forget(self, digest: str) -> None:
        with self._lock:
            self._size -= len(self._texts.pop(digest, ""))


def quoting(session: Session, moment: Moment, texts: Texts, revisions: Iterable[tuple[int, int]]) -> Quote:
    """A function from (chapter, revision, spans) to evidence, for the revisions named (chapter, revision)."""
    wanted = set(revisions)
    rows = session.state.revisions(moment.story, moment.at, moment.believed)
    hashes = {(r.chapter, r.revision): r.text_hash for r in rows if r.text_hash and (r.chapter, r.revision) in wanted}
    bodies = texts.of(session, hashes.values())

    def quote(chapter: int, revision: int, spans: Spans) -> list[Json]:
        body = bodies.get(hashes.get((chapter, revision), ""))
        return [
            {
                "chapter": chapter,
                "revision": revision,
                "start": start,
                "end": end,
                "quote": None if body is None else body[start:end],
            }
            for start, end in spans
        ]

    return quote
