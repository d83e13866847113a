"""One read: a snapshot of the database, the read models in it, and where in story and log the reader stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias, TypeVar

from psycopg import errors as pg
from psycopg_pool import ConnectionPool

from events.errors import InvalidInput, UnknownCheckpoint, UnknownStory
from events.ids import MAX_CHAPTER
from projections import progress
from projections.entities.projection import NAME as ENTITIES
from projections.entities.read import EntitiesRead
from projections.errors import NoReadModel
from projections.projection import Conn
from projections.story_state.projection import NAME as STORY_STATE
from projections.story_state.read import StoryStateRead
from projections.timeline.projection import NAME as TIMELINE
from projections.timeline.read import TimelineRead

T = TypeVar("T")
AsRecorded: TypeAlias = int | str | datetime | None
"""A position of the log, a time (ISO 8601 as text), or None: now."""

Needs: TypeAlias = tuple[str, ...]
STATE: Final[Needs] = (STORY_STATE, ENTITIES)
APPEARANCES: Final[Needs] = (STORY_STATE, ENTITIES, TIMELINE)
"""What answers are drawn from. A read model that lags or has stalled holds up only the answers that need it."""

MAX_POSITION: Final = 2**63 - 1
_ATTEMPTS: Final = 3
_GONE = (pg.UndefinedTable, pg.InvalidSchemaName, pg.UndefinedFile)
_MISSING_LOG = (pg.UndefinedTable, pg.InvalidSchemaName)


@dataclass(frozen=True, slots=True)
class Schemas:
    """The PostgreSQL schemas that hold the read models; `timeline` is empty where it is not needed."""

    state: str
    entities: str
    timeline: str


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a reader stands: after chapter `at` of a story, as believed at a position (the end of a publication).

    `position` is that of the last event that concerns chapters up to `at`: with story and `at` it settles what is read.
    """

    story: str
    at: int
    believed: int
    position: int


@dataclass(frozen=True, slots=True)
class Session:
    """The read models in one snapshot. `limit` is the last position that all those needed include."""

    conn: Conn
    schemas: Schemas
    limit: int
    state: StoryStateRead
    entities: EntitiesRead
    timeline: TimelineRead

    def moment(self, story: str, at: int | str | None, as_recorded: AsRecorded) -> Moment:
        """Raises UnknownStory, UnknownCheckpoint, InvalidInput."""
        position, time = _recorded(as_recorded)
        chapter, name = _checkpoint(at)
        found = self.state.standing(story, min(position, self.limit), time=time, at=chapter, name=name)
        if not found.known:
            raise UnknownStory(f"Nothing was ever published to {story!r}; `fabula stories` lists what there is.")
        if found.at is None:
            if name is not None:
                raise UnknownCheckpoint(self._unknown(story, name, found.believed))
            return self.moment(story, 1, as_recorded)  # it has no chapter now
        return Moment(story, found.at, found.believed, found.position)

    def whole(self, story: str, as_recorded: AsRecorded) -> Moment:
        """The moment from which all of the story is seen."""
        return self.moment(story, MAX_CHAPTER, as_recorded)

    def _unknown(self, story: str, name: str, believed: int) -> str:
        known = ", ".join(self.state.checkpoint_names(story, believed)[:10])
        hint = f"It has {known}." if known else "It has none yet: name one with `fabula checkpoint`."
        return f"The story {story!r} has no checkpoint {name!r}. {hint}"


class Sessions:
    """Opens sessions on a pool."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._pool = pool

    def run(self, read: Callable[[Session], T], needs: Needs = STATE) -> T:
        """`read` in one snapshot of the read models it needs, as far as all of these have read.

        Where a rebuilt read model takes another's place in between, it is read anew.
        """
        return self._patiently(lambda conn: _in_snapshot(conn, read, needs))

    def glance(self, read: Callable[[Session], T]) -> T:
        """`read` without a snapshot of its own: for a single look, at half the cost."""

        def look(conn: Conn) -> T:
            before = conn.autocommit
            conn.autocommit = True
            try:
                return read(_session(conn, STATE))
            finally:
                conn.autocommit = before

        return self._patiently(look)

    def _patiently(self, read: Callable[[Conn], T]) -> T:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with self._pool.connection() as conn:
                    return read(conn)
            except _GONE:
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError("unreachable")


def _in_snapshot(conn: Conn, read: Callable[[Session], T], needs: Needs) -> T:
    with conn.transaction():
        # whatever the statistics say of tables that have just been filled, a story is found by an index
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off")
        return read(_session(conn, needs))


def _session(conn: Conn, needs: Needs) -> Session:
    try:
        found = progress.live(conn, [STORY_STATE, ENTITIES, TIMELINE])
    except _MISSING_LOG:
        raise NoReadModel(STORY_STATE) from None
    for name in needs:
        if name not in found:
            raise NoReadModel(name)
    timeline = found[TIMELINE].schema if TIMELINE in needs else ""
    schemas = Schemas(found[STORY_STATE].schema, found[ENTITIES].schema, timeline)
    return open_session(conn, schemas, min(found[name].position for name in needs))


def open_session(conn: Conn, schemas: Schemas, limit: int) -> Session:
    """A session on read models of one's own choice, live or not."""
    return Session(
        conn,
        schemas,
        limit,
        StoryStateRead(conn, schemas.state),
        EntitiesRead(conn, schemas.entities),
        TimelineRead(conn, schemas.timeline),
    )


def _recorded(as_recorded: AsRecorded) -> tuple[int, datetime | None]:
    """The position and the time up to which belief counts."""
    if as_recorded is None:
        return MAX_POSITION, None
    if isinstance(as_recorded, datetime):
        return MAX_POSITION, _aware(as_recorded)
    if isinstance(as_recorded, str) and not _is_number(as_recorded):
        return MAX_POSITION, _time(as_recorded)
    position = int(as_recorded)
    if position < 0:
        raise InvalidInput(f"{as_recorded} is no position: give `as_recorded` as a whole number from 0 or a time.")
    return min(position, MAX_POSITION), None


def _checkpoint(at: int | str | None) -> tuple[int | None, str | None]:
    """The chapter or the name that `at` gives."""
    if at is None or (isinstance(at, str) and not _is_number(at)):
        return None, at
    chapter = int(at)
    if not 1 <= chapter <= MAX_CHAPTER:
        raise InvalidInput(
            f"{at} is no checkpoint: give a whole number from 1 to {MAX_CHAPTER}, or the name of a checkpoint."
        )
    return chapter, None


def _is_number(text: str) -> bool:
    return text.strip().lstrip("+-").isdecimal()


def _time(text: str) -> datetime:
    try:
        return _aware(datetime.fromisoformat(text.strip()))
    except ValueError:
        raise InvalidInput(
            f"{text[:60]!r} is neither a position nor a timestamp. Write a timestamp like 2026-05-03T14:00:00+00:00."
        ) from None


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)
