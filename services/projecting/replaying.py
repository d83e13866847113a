"""Replay: read models built anew from the log, and compared with those in use. No model is ever called for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from events.errors import UnknownStory
from projections import versions
from projections.entities.projection import NAME as ENTITIES
from projections.story_state.projection import NAME as STORY_STATE
from projections.timeline.projection import NAME as TIMELINE
from services.projecting.held_rows import HeldRows
from services.projecting.sweeping import Sweep
from services.reading.session import Schemas, open_session

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

    from events.domain_events import Recorded
    from events.ledger import Ledger
    from projections.projection import Projection
    from projections.runner import Runner

COMPARED: Final = (STORY_STATE, ENTITIES, TIMELINE)
Said = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The digest of the state after a chapter: as the read models in use have it, and as the log gives it."""

    at: int
    live: str
    rebuilt: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """A story replayed beside the read models in use, up to the end of a publication."""

    story: str
    position: int
    checkpoints: list[Checkpoint]

    @property
    def differences(self) -> list[Checkpoint]:
        return [each for each in self.checkpoints if each.live != each.rebuilt]


class StoryLog:
    """One story's part of the log, up to a position: whole publications only. What a read model needs of a log."""

    def __init__(self, ledger: Ledger, story: str, until: int | None) -> None:
        self._story = story
        self._events: list[Recorded] = []
        for _, group in groupby(ledger.story_events(story), lambda r: r.event.correlation):
            publication = list(group)
            if until is not None and publication[-1].position > until:
                break
            self._events += publication
        self._positions = [each.position for each in self._events]

    def events_after(self, position: int, limit: int) -> list[Recorded]:
        start = bisect_right(self._positions, position)
        return self._events[start : start + limit]

    def story_events(self, story: str, after_version: int = 0) -> Iterator[Recorded]:
        return (each for each in self._events if story == self._story and each.event.version > after_version)

    def last_position(self) -> int:
        return self._positions[-1] if self._positions else 0

    def stories(self) -> list[str]:
        return [self._story] if self._events else []


def rebuild(pool: ConnectionPool[Any], ledger: Ledger, projections: Sequence[Projection], say: Said) -> int:
    """Build every read model anew and put it in the place of the one in use; the position they then include.

    Read models hold all stories, so all are replayed. Readers go on reading the old ones meanwhile.
    """
    for each in projections:
        say(f"replaying the log into {each.name}")
        versions.rebuild(pool, ledger, each)
    return ledger.last_position()


def compare(
    pool: ConnectionPool[Any],
    ledger: Ledger,
    runner: Runner,
    projections: Sequence[Projection],
    story: str,
    until: int | None,
    say: Said,
) -> Replayed:
    """Replay a story beside the read models in use, and take the digest of every checkpoint from both.

    Both are read as of the same position, so publications that come in meanwhile are no difference. Raises UnknownStory.
    """
    log = StoryLog(ledger, story, until)
    if not log.stories():
        raise UnknownStory(
            f"There is no story {story!r} up to that position; look at the spelling, or give a later one."
        )
    position = log.last_position()
    runner.wait_for(position, names=COMPARED)
    with ExitStack() as stack:
        schemas = {}
        for each in projections:
            if each.name in COMPARED:
                say(f"replaying the story into {each.name}")
                schemas[each.name] = stack.enter_context(versions.candidate(pool, log, each))
        say("comparing every checkpoint")
        rebuilt = Schemas(schemas[STORY_STATE], schemas[ENTITIES], schemas[TIMELINE])
        return Replayed(story, position, _checkpoints(pool, story, position, rebuilt))


def _checkpoints(pool: ConnectionPool[Any], story: str, position: int, rebuilt: Schemas) -> list[Checkpoint]:
    """Both are taken up to the last chapter in which either changes; where nothing changes, the digest is the one before."""
    with pool.connection() as conn, conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off")
        live = Schemas(*(versions.live_schema(conn, name) for name in COMPARED))
        sessions = [open_session(conn, schemas, position) for schemas in (live, rebuilt)]
        moments = [session.moment(story, None, position) for session in sessions]
        rows = [HeldRows.of(session, moment) for session, moment in zip(sessions, moments, strict=True)]
        points = sorted(point for point in rows[0].points | rows[1].points if point > 0)
        # one after the other, so that only one of them is in memory
        digests = [[*Sweep(*each).digests(points)] for each in zip(sessions, moments, rows, strict=True)]
    return [Checkpoint(*each) for each in zip(points, *digests, strict=True)]
