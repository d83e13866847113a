"""The ledger: the eventsourcing application that takes publications in and keeps the log.

Taking one in is one transaction: the events, the publication's outcome, and where it was read from. What has been taken
in once is never taken in again, whoever delivers it how often. Two writers of one story meet at its next version: one
of them is told, reads what the other appended, and decides anew.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final, Self

import psycopg
from eventsourcing.persistence import IntegrityError, InterfaceError, OperationalError
from psycopg_pool import ConnectionPool

from events import publications
from events.branching import Inherited
from events.chapters import ON_IDENTITY, Publication
from events.contributions import Taken
from events.domain_events import Json, StoryEvent
from events.emitting import Emission, dropped_names, unbound
from events.errors import AppendConflict, Conflict, LogUnavailable
from events.grounding import Prepared, located
from events.log import Log, environment
from events.log_reading import LogReading
from events.publications import Grafted, SourceOffset
from events.rehearsing import Rehearsal, snapshot
from events.replaying import replay
from events.revisions import RevisionState
from events.story_index import StoryIndex
from events.trying import Trial

_ATTEMPTS: Final = 20
_STORIES_KEPT: Final = 64
_MIGRATION_LOCK: Final = 0x6661_6275


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a publication. `position` is that of its last event."""

    position: int
    unchanged: bool
    rejected: list[Json]
    warnings: list[str]
    appended_events: int


@dataclass(slots=True)
class _Held:
    """A story's index in memory, and the lock under which it is used."""

    lock: threading.Lock
    index: StoryIndex | None = None


class Ledger(LogReading):
    """The log of one database. Safe to share between threads; other processes may write to the same database."""

    def __init__(self, dsn: str, *, pool_size: int = 4, clock: Callable[[], datetime] | None = None) -> None:
        pool = ConnectionPool(dsn, min_size=1, max_size=pool_size, kwargs={"autocommit": True}, open=True)
        super().__init__(pool, clock or (lambda: datetime.now(UTC)), Log(env=environment(dsn, create=False)))
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._held_lock = threading.Lock()

    @staticmethod
    def migrate(dsn: str) -> None:
        """Makes or updates the tables. Safe to call from several processes at once."""
        with psycopg.connect(dsn, autocommit=True) as conn:
            conn.execute("SELECT pg_advisory_lock(%s)", (_MIGRATION_LOCK,))
            conn.execute("CREATE SCHEMA IF NOT EXISTS ledger")
            with Log(env=environment(dsn, create=True)):
                pass
            with conn.transaction():
                conn.execute("SET LOCAL search_path TO ledger")
                conn.execute((files("events") / "ledger.sql").read_text())

    def close(self) -> None:
        self._log.close()
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- taking in ----------------------------------------------------------------------------------------------------

    def append(
        self,
        publication: Publication,
        records: Sequence[dict[str, Any]] | None,
        extractor: str,
        source: SourceOffset | None = None,
        *,
        text: str | None = None,
        warnings: Sequence[str] = (),
        provenance: Mapping[str, Json] | None = None,
    ) -> Outcome:
        """Takes a publication in, once.

        `records` are validated ones (see `events.sidecar`); their evidence is located here. `text` saves reading it.
        `warnings` are what the extractor wants the author to hear, `provenance` says by record id what read it.
        Raises `AppendConflict` if other writers kept coming first, `LogUnavailable` if the database is gone; after
        either the same publication may be appended again.
        """
        prepared = self._prepare(publication, records, text, warnings, provenance)
        for _ in range(_ATTEMPTS):
            with self.index(publication.story) as index:
                if index.has(publication.sequence):
                    return self._already(publication, source)
                try:
                    return self._take(index, publication, prepared, extractor, source)
                except IntegrityError:
                    continue
                except (InterfaceError, OperationalError) as error:
                    raise LogUnavailable(
                        f"The database did not take the events ({' '.join(str(error).split())}); see what `fabula doctor` says."
                    ) from error
        raise AppendConflict(f"The story {publication.story} is being written to by others; publish again in a moment.")

    def preview(self, publication: Publication, records: Sequence[dict[str, Any]] | None) -> list[StoryEvent]:
        """The events that taking the publication in would append. Nothing is written."""
        return self.rehearse(publication.story, [(publication, records)]).events

    def rehearse(self, story: str, planned: Sequence[tuple[Publication, Sequence[dict[str, Any]] | None]]) -> Rehearsal:
        """What taking in several publications of a story, one after the other, would append and change. Nothing is written."""
        prepared = [self._prepare(publication, records, None) for publication, records in planned]
        with self.index(story) as index:
            version, before = index.version, snapshot(index)
            index.version = -1  # thrown away afterwards: it is ahead of the log
            events: list[StoryEvent] = []
            for (publication, _), ready in zip(planned, prepared, strict=True):
                events += self._decide(index, publication, ready, "preview", version + len(events))[0]
            return Rehearsal(events, before, snapshot(index))

    @contextmanager
    def trial(
        self,
        publication: Publication,
        records: Sequence[dict[str, Any]] | None,
        extractor: str,
        *,
        text: str | None = None,
        provenance: Mapping[str, Json] | None = None,
    ) -> Iterator[Trial]:
        """What taking in a publication of a chapter would do, at the cost of what depends on it. Nothing is written.

        The index has it taken in until the trial takes it back, which it does at the end of the block at the latest. The
        publication has to be the latest of the story; `text` need not be stored.
        """
        prepared = self._prepare(publication, records, text, (), provenance)
        with self.index(publication.story) as index, index.lent(publication.text_hash, text):
            version, index.version = index.version, -1  # thrown away unless it is as it was
            events, warnings, taken = self._decide(index, publication, prepared, extractor, version)
            trial = Trial(index, publication, events, prepared.rejected, warnings, taken)
            yield trial
            trial.take_back()
            index.version = version

    def graft(
        self, story: str, inherited: Iterable[Inherited], beside: Callable[[psycopg.Cursor[Any]], None]
    ) -> Outcome:
        """Begins a story with what another one says: all of it, and what `beside` writes, in one transaction.

        Raises `Conflict` where the story has begun already, `LogUnavailable` if the database is gone.
        """
        with self.index(story) as index:
            if index.version:
                raise Conflict(f"There is a story {story!r} already; give the branch another name.")
            index.version = -1
            events: list[StoryEvent] = []
            grafted: list[Grafted] = []
            for each in inherited:
                publication, prepared = each.publication, each.prepared
                made, warnings, _ = self._decide(index, publication, prepared, each.extractor, len(events))
                grafted.append(Grafted(publication, len(events), len(made), prepared.rejected, warnings))
                events += made
                index.told_at = made[-1].recorded_at

            def companion(cursor: psycopg.Cursor[Any], positions: Sequence[int]) -> None:
                publications.insert_grafted(cursor, story, grafted, positions)
                beside(cursor)

            stored = [self._log.mapper.to_stored_event(event) for event in events]
            try:
                positions = self._log.recorder.insert_events(stored, companion=companion)
            except (IntegrityError, psycopg.errors.UniqueViolation):
                raise Conflict(f"There is a story {story!r} already; give the branch another name.") from None
            except (InterfaceError, OperationalError) as error:
                raise LogUnavailable(f"The database did not answer ({error}); nothing was written.") from error
            assert positions
            index.version = len(events)
            return Outcome(positions[-1], False, [], [], len(events))

    def _prepare(
        self,
        publication: Publication,
        records: Sequence[dict[str, Any]] | None,
        text: str | None,
        warnings: Sequence[str] = (),
        provenance: Mapping[str, Json] | None = None,
    ) -> Prepared:
        if publication.action != "publish":
            return Prepared(0, [], [], [])
        body = text if text is not None else self.text(publication.text_hash or "")
        return located(publication, records or (), body, list(warnings), provenance or {})

    def _take(
        self,
        index: StoryIndex,
        publication: Publication,
        prepared: Prepared,
        extractor: str,
        source: SourceOffset | None,
    ) -> Outcome:
        version = index.version
        index.version = -1  # until the events are in the log, the index is ahead of it
        events, warnings, _ = self._decide(index, publication, prepared, extractor, version)

        def companion(cursor: psycopg.Cursor[Any], positions: Sequence[int]) -> None:
            publications.mark_appended(cursor, publication, positions, prepared.rejected, warnings)
            if source:
                publications.record_offset(cursor, source)

        stored = [self._log.mapper.to_stored_event(event) for event in events]
        positions = self._log.recorder.insert_events(stored, companion=companion)
        assert positions
        index.version, index.told_at = version + len(events), events[-1].recorded_at
        return Outcome(positions[-1], False, prepared.rejected, warnings, len(events))

    def _decide(
        self, index: StoryIndex, publication: Publication, prepared: Prepared, extractor: str, version: int = 0
    ) -> tuple[list[StoryEvent], list[str], Taken]:
        emission = Emission(index, publication, version, max(self._clock(), index.told_at), prepared.provenance)
        if publication.action in ("publish", "retract"):
            retracted = publication.action == "retract"
            revision = RevisionState(
                publication.sequence, publication.revision, publication.text_hash, prepared.fresh(), retracted
            )
            taken = index.take(publication.chapter, revision)
            # what a branch inherits was told before: a warning that is told again is told once
            said = [*prepared.warnings, *dropped_names(index, taken), *unbound(index, taken)]
            warnings = list(dict.fromkeys(said))
            if retracted:
                root = emission.chapter_retracted(taken)
            else:
                rejected = tuple(prepared.rejected)
                root = emission.chapter_published(taken, prepared.length, extractor, rejected, tuple(warnings))
        else:
            decision = publication.decision
            taken = index.decide(publication.sequence, decision) if publication.action in ON_IDENTITY else Taken()
            index.note(publication.sequence)
            warnings, root = [], emission.decided()
        emission.follow(taken, root)
        return emission.events, warnings, taken

    def _already(self, publication: Publication, source: SourceOffset | None) -> Outcome:
        if source:
            self.record_offset(source)
        row = self.publication(publication.story, publication.sequence)
        if row is None or row.last_position is None:
            return Outcome(self.last_position(), True, [], [], 0)
        return Outcome(row.last_position, True, row.rejected, row.warnings, 0)

    @contextmanager
    def index(self, story: str) -> Iterator[StoryIndex]:
        """The story's index, up to date with the log, for this thread alone. Left with version -1 it is thrown away."""
        with self._held_lock:
            held = self._held.setdefault(story, _Held(threading.Lock()))
            self._held.move_to_end(story)
            while len(self._held) > _STORIES_KEPT:
                self._held.popitem(last=False)
        with held.lock:
            index = held.index or StoryIndex(story, self._maybe_text)
            held.index = None
            replay(index, self._stream(story, index.version))
            yield index
            held.index = index if index.version >= 0 else None

    def _maybe_text(self, digest: str) -> str | None:
        return self.texts([digest]).get(digest)

    def index_of(self, story: str) -> StoryIndex:
        """A fresh index of the story, as the log has it now; the caller's own."""
        index = StoryIndex(story, self._maybe_text)
        replay(index, self._stream(story, 0))
        return index
