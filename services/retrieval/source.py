"""Where slices come from: read from PostgreSQL, kept while there is room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, Final, Protocol

from psycopg import Connection

from events.errors import UnknownCheckpoint, UnknownStory
from projections.passages import read
from projections.passages.vectors import Pool
from projections.versions import live_schema
from services.retrieval.lexicon import Vocabulary
from services.retrieval.slices import Slice, Told

MAX_ROWS: Final = 200_000
"""Passages and records that are kept in memory: about 400 MB of vectors and texts."""
MAX_VOCABULARIES: Final = 8


@dataclass(frozen=True, slots=True)
class SliceKey:
    """What determines a slice: events later than `position` that are believed do not concern its chapters."""

    story: str
    at: int
    position: int


class SliceSource(Protocol):
    """Slices of stories."""

    def resolve(self, story: str, at: int | str | None, as_recorded: int | datetime | None) -> SliceKey:
        """The slice that a reader means. Raises `UnknownStory`, `UnknownCheckpoint`, `ReadModelBehind`."""
        ...

    def slice(self, key: SliceKey) -> Slice: ...

    def forget(self) -> None:
        """Drop what is kept in memory."""
        ...


class PostgresSlices:
    """Slices from the read model of passages called `read_model`."""

    def __init__(self, pool: Pool, read_model: str, *, max_rows: int = MAX_ROWS) -> None:
        self._pool = pool
        self._read_model = read_model
        self._kept = Kept(max_rows)
        self._vocabularies: OrderedDict[str, Vocabulary] = OrderedDict()
        self._lock = Lock()

    def resolve(self, story: str, at: int | str | None, as_recorded: int | datetime | None) -> SliceKey:
        if not _is_storable(story):
            raise _unknown(story)
        with self._reading() as (conn, schema):
            believed = _believed(conn, schema, story, as_recorded)
            if believed is None and read.believed(conn, schema, story) is None:
                raise _unknown(story)
            position = believed or 0
            chapter = _chapter(conn, schema, story, at, position)
            return SliceKey(story, chapter, read.concerns(conn, schema, story, chapter, position))

    def slice(self, key: SliceKey) -> Slice:
        return self._kept.get(key, self._load)

    def forget(self) -> None:
        """Drop everything from memory, as when a text is erased."""
        self._kept.clear()
        with self._lock:
            self._vocabularies.clear()

    def _load(self, key: SliceKey) -> Slice:
        with self._reading() as (conn, schema):
            passages, vectors = read.passages(conn, schema, key.story, key.at, key.position)
        return Slice(key.at, passages, vectors, lambda: self._told(key), self._vocabulary(key.story))

    def _told(self, key: SliceKey) -> Told:
        """Rows up to a position never change, so reading them later reads the same."""
        with self._reading() as (conn, schema):
            records, vectors = read.records(conn, schema, key.story, key.at, key.position)
            return Told(records, vectors, read.links(conn, schema, key.story, key.at, key.position))

    def _vocabulary(self, story: str) -> Vocabulary:
        with self._lock:
            found = self._vocabularies.setdefault(story, Vocabulary())
            self._vocabularies.move_to_end(story)
            if len(self._vocabularies) > MAX_VOCABULARIES:
                self._vocabularies.popitem(last=False)
            return found

    @contextmanager
    def _reading(self) -> Iterator[tuple[Connection[Any], str]]:
        """A snapshot, and the schema in which the read model is read."""
        with self._pool.connection() as conn, conn.transaction():
            # whatever the statistics say of tables that have just been filled, a story is found by an index
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off")
            yield conn, live_schema(conn, self._read_model)


class Kept:
    """Slices by key, the latest used, up to a number of rows; each is loaded once, however many ask for it at a time."""

    def __init__(self, max_rows: int) -> None:
        self._max_rows = max_rows
        self._slices: OrderedDict[SliceKey, Slice] = OrderedDict()
        self._loading: dict[SliceKey, Lock] = {}
        self._lock = Lock()

    def get(self, key: SliceKey, load: Callable[[SliceKey], Slice]) -> Slice:
        found = self._find(key)
        if found is not None:
            return found
        with self._lock:
            turn = self._loading.setdefault(key, Lock())
        with turn:
            found = self._find(key)
            if found is None:
                found = load(key)
                self._keep(key, found)
        with self._lock:
            self._loading.pop(key, None)
        return found

    def clear(self) -> None:
        with self._lock:
            self._slices.clear()

    def _find(self, key: SliceKey) -> Slice | None:
        with self._lock:
            found = self._slices.get(key)
            if found is not None:
                self._slices.move_to_end(key)
            return found

    def _keep(self, key: SliceKey, slice_: Slice) -> None:
        with self._lock:
            self._slices[key] = slice_
            while len(self._slices) > 1 and sum(s.size for s in self._slices.values()) > self._max_rows:
                self._slices.popitem(last=False)


def _believed(conn: Connection[Any], schema: str, story: str, as_recorded: int | datetime | None) -> int | None:
    if isinstance(as_recorded, datetime):
        return read.believed(conn, schema, story, moment=as_recorded)
    return read.believed(conn, schema, story, position=None if as_recorded is None else min(as_recorded, 2**62))


def _chapter(conn: Connection[Any], schema: str, story: str, at: int | str | None, position: int) -> int:
    if at is None:
        return read.last_chapter(conn, schema, story, position) or 1
    if isinstance(at, int):
        return at
    found = read.checkpoint(conn, schema, story, at, position) if _is_storable(at) else None
    if found is None:
        raise UnknownCheckpoint(
            f"Story {story!r} has no checkpoint {at[:100]!r}; give a chapter, or name it with `fabula checkpoint`."
        )
    return found


def _is_storable(text: object) -> bool:
    """Whether PostgreSQL can hold the text at all; what it cannot hold, nothing is called."""
    return isinstance(text, str) and "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def _unknown(story: object) -> UnknownStory:
    return UnknownStory(f"There is no story {str(story)[:100]!r}; publish a chapter of it first.")
