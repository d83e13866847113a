"""The reading service: what the command line, the HTTP API and Python callers ask, answered as plain dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from psycopg_pool import ConnectionPool

from events.domain_events import Json
from services.reading import auditing, differences
from services.reading.entity import entity
from services.reading.entries import Entry
from services.reading.history import history
from services.reading.naming import Naming
from services.reading.quoting import Texts
from services.reading.session import APPEARANCES, STATE, AsRecorded, Moment, Needs, Session, Sessions
from services.reading.slices import Slices, StateSlice, digest
from services.reading.threads import threads
from services.reading.timeline import timeline

T = TypeVar("T")
At: TypeAlias = int | str | None
"""A chapter from 1, the name of a checkpoint, or None: the last chapter."""


class Reader:
    """Answers about stories. Safe in several threads; what it keeps in memory is bounded.

    Methods raise UnknownStory, UnknownCheckpoint and InvalidInput; ReadModelBehind before the read models are built.
    Replies share data with the cache: do not change them.
    """

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._sessions = Sessions(pool)
        self._texts = Texts()
        self._slices = Slices(self._texts)

    def state(
        self,
        story: str,
        *,
        at: At = None,
        as_recorded: AsRecorded = None,
        entity: str | None = None,
        key: str | None = None,
    ) -> Json:
        """What holds; of one `entity` (in key or value), or for keys that begin with `key`. Raises UnknownEntity."""

        def read(session: Session, moment: Moment) -> Json:
            known = self._slices.of(session, moment)
            if entity is None and key is None:
                return _state(known, known.shown, known.digest)
            entries = _about(known.entries, session, moment, entity)
            entries = tuple(e for e in entries if key is None or e.key.startswith(key))
            return _state(known, [entry.shown for entry in entries], digest(entries))

        def kept(session: Session) -> Json | None:
            moment = session.moment(story, at, as_recorded)
            known = self._slices.kept(session, moment)
            return known and {**_head(moment), **_state(known, known.shown, known.digest)}

        if entity is None and key is None and (reply := self._sessions.glance(kept)):
            return reply
        return self._at(story, at, as_recorded, read)

    def history(self, story: str, key: str, *, at: At = None, as_recorded: AsRecorded = None) -> Json:
        """The values of a key: current belief first, superseded beliefs after it."""
        return self._sessions.run(lambda session: history(session, self._texts, story, key, at, as_recorded))

    def entity(self, story: str, name: str, *, at: At = None, as_recorded: AsRecorded = None) -> Json:
        """Aliases, type, profile, state, relationships, appearances, open threads. Raises UnknownEntity."""

        def read(session: Session, moment: Moment) -> Json:
            return entity(session, self._texts, moment, name, self._slices.of(session, moment))

        return self._at(story, at, as_recorded, read, APPEARANCES)

    def threads(self, story: str, *, at: At = None, status: str | None = None, as_recorded: AsRecorded = None) -> Json:
        """Promises, mysteries, goals, threats; `status` may be `open` or `closed` as well as a record's own."""
        return self._at(story, at, as_recorded, lambda s, m: {"threads": threads(s, self._texts, m, status)})

    def timeline(self, story: str, *, at: At = None, as_recorded: AsRecorded = None) -> Json:
        """Characters by chapters: present, or only mentioned."""
        return self._at(story, at, as_recorded, timeline, APPEARANCES)

    def diff(self, story: str, *, from_: At, to: At, as_recorded: AsRecorded = None) -> Json:
        """What changed in the story's state from one chapter to another."""

        def read(session: Session) -> Json:
            moments = [session.moment(story, at, as_recorded) for at in (from_, to)]
            before, after = (self._slices.of(session, moment) for moment in moments)
            changes = differences.story_differences(before, after)
            return {"story": story, "from": moments[0].at, "to": moments[1].at, **changes}

        return self._sessions.run(read)

    def diff_beliefs(self, story: str, p: int, q: int) -> Json:
        """What changed in our belief about the whole story from one position to another."""

        def read(session: Session) -> Json:
            return {"story": story, "between": [p, q], **differences.belief_differences(session, story, p, q)}

        return self._sessions.run(read)

    def audit(self, story: str, *, chapter: int | None = None, record: str | None = None, at: At = None) -> Json:
        """The events of the log, in order, and beside them whose texts were erased."""

        def read(session: Session) -> Json:
            moment = session.whole(story, None) if at is None else session.moment(story, at, None)
            return {
                "story": story,
                "events": auditing.audit(session, story, chapter=chapter, record=record, at=moment.at),
                "takedowns": [] if record else auditing.takedowns(session, story, chapter=chapter, at=moment.at),
            }

        return self._sessions.run(read)

    def forget_text(self, digest: str) -> None:
        """Drop an erased text from memory, with all that may quote it."""
        self._texts.forget(digest)
        self._slices.clear()

    def _at(
        self,
        story: str,
        at: At,
        as_recorded: AsRecorded,
        read: Callable[[Session, Moment], Json],
        needs: Needs = STATE,
    ) -> Json:
        def run(session: Session) -> Json:
            moment = session.moment(story, at, as_recorded)
            return {**_head(moment), **read(session, moment)}

        return self._sessions.run(run, needs)


def _head(moment: Moment) -> dict[str, Json]:
    return {"story": moment.story, "at": moment.at, "position": moment.position}


def _state(known: StateSlice, shown: list[Json], value: str) -> Json:
    return {"digest": value, "incomplete": known.incomplete, "state": shown}


def _about(entries: tuple[Entry, ...], session: Session, moment: Moment, name: str | None) -> tuple[Entry, ...]:
    if name is None:
        return entries
    meant = frozenset(Naming(session, moment).candidates(name))
    return tuple(entry for entry in entries if meant.intersection(entry.entities))
