"""`audit`: the events of a story in log order, each with its reason and cause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from events.domain_events import (
    ChapterPublished,
    ChapterRetracted,
    CheckpointNamed,
    EntitiesMerged,
    EntitiesSplit,
    EntityLinkEvent,
    FindingExempted,
    Json,
    Recorded,
    RecordEvent,
    RecordInvalidated,
    RecordStated,
    StoryEvent,
    ThreadDue,
)
from events.wire import decode
from services.reading.session import Session

_PAGE: Final = 5_000
_TAKEDOWNS: Final = "SELECT asked_at, asked_by, reason, done_at IS NOT NULL, revisions FROM ledger.takedowns WHERE story = %s ORDER BY id"


def audit(session: Session, story: str, *, chapter: int | None, record: str | None, at: int | None) -> list[Json]:
    """The events in log order, of chapters up to `at`.

    `chapter` asks for one chapter's, `record` for one record's: by its uid, or a name it bore in any revision.
    """
    events = [r for r in logged(session, story) if at is None or r.event.chapter <= at]
    if chapter is not None:
        events = [r for r in events if r.event.chapter == chapter]
    if record is not None:
        uids = {
            r.event.uid for r in events if isinstance(r.event, RecordEvent) and record in (r.event.record, r.event.uid)
        }
        events = [r for r in events if isinstance(r.event, RecordEvent) and r.event.uid in uids]
    return [_shown(recorded) for recorded in events]


def takedowns(session: Session, story: str, *, chapter: int | None, at: int | None) -> list[Json]:
    """Which texts of chapters up to `at` were erased, when, and who asked for it."""
    row = session.conn.execute("SELECT to_regclass('ledger.takedowns')").fetchone()
    if row is None or row[0] is None:  # nobody has written to this database since there are takedowns
        return []
    rows = session.conn.execute(_TAKEDOWNS, (story,)).fetchall()
    found = []
    for asked_at, asked_by, reason, done, revisions in rows:
        shown = [
            {"chapter": c, "revision": r} for c, r in revisions if chapter in (None, c) and (at is None or c <= at)
        ]
        if shown:
            told = {"asked_at": asked_at.isoformat(), "by": asked_by, "reason": reason, "done": done}
            found.append({**told, "erased": shown})
    return found


def logged(session: Session, story: str) -> Iterator[Recorded]:
    """The story's events from the log, in the snapshot of the session."""
    version = 0
    while True:
        rows = session.conn.execute(
            "SELECT notification_id, originator_version, topic, state FROM ledger.stored_events"
            " WHERE originator_id = %s AND originator_version > %s ORDER BY originator_version LIMIT %s",
            (story, version, _PAGE),
        ).fetchall()
        for position, number, topic, state in rows:
            yield Recorded(position, decode(story, number, topic, bytes(state)))
        if len(rows) < _PAGE:
            return
        version = rows[-1][1]


def _shown(recorded: Recorded) -> Json:
    event = recorded.event
    return {
        "position": recorded.position,
        "recorded_at": event.recorded_at.isoformat(),
        "id": event.id,
        "type": type(event).__name__,
        "chapter": event.chapter,
        "revision": getattr(event, "revision", None),
        "record": event.record if isinstance(event, RecordEvent | EntityLinkEvent) else None,
        "reason": event.reason if isinstance(event, RecordInvalidated) else None,
        "caused_by": event.caused_by,
        "correlation": event.correlation,
        "detail": _detail(event),
    }


def _detail(event: StoryEvent) -> Json:
    """What else the event says that a reader of the log wants to know."""
    match event:
        case ChapterPublished():
            rejected, warnings = list(event.rejected), list(event.warnings)
            told: Json = {
                "title": event.title,
                "superseded": event.superseded,
                "rejected": rejected,
                "warnings": warnings,
            }
            return told | {"extractor": event.extractor, "rereads": event.rereads}
        case ChapterRetracted():
            return {"superseded": event.superseded}
        case RecordStated():
            return {"provenance": event.provenance}
        case EntityLinkEvent():
            return {"a": event.a, "b": event.b, "origin": event.origin}
        case EntitiesMerged():
            return {"a": event.a, "b": event.b, "since": event.since}
        case EntitiesSplit():
            return {"alias": event.alias, "names": list(event.names), "review": list(event.review)}
        case CheckpointNamed():
            return {"name": event.name, "at": event.at}
        case FindingExempted():
            return {"finding": event.finding, "reason": event.reason}
        case ThreadDue():
            return {"thread": event.thread, "due": event.due}
    return None
