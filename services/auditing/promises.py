"""Promise debt: what a story has opened and not yet paid off, for how long, by when it should be, and what went back to open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from events.domain_events import Json, ThreadDue
from events.names import literal_key
from events.wire import decode
from projections.story_state.found import RecordRow
from projections.story_state.withdrawn import Withdrawn, withdrawn
from services.auditing.material import Material
from services.reading.quoting import Texts, quoting
from services.reading.session import Moment, Session
from services.reading.threads import CLOSED, OPEN

KINDS: Final = ("thread",)
_DUE: Final = re.compile(r"\b(by|before|in|until|at)\s+chapter\s+(\d{1,6})\b", re.IGNORECASE)
_PLANNED: Final = """
    SELECT e.notification_id, e.originator_version, e.topic, e.state FROM ledger.publications p
    JOIN ledger.stored_events e ON e.notification_id BETWEEN p.first_position AND p.last_position AND e.originator_id = p.story
    WHERE p.story = %s AND p.action = 'due' AND p.last_position <= %s AND e.topic = %s ORDER BY p.sequence
"""


@dataclass(frozen=True, slots=True)
class Due:
    """By which chapter a thread should be paid off, and who says so: `editor`, or the record named."""

    chapter: int
    by: str


def promises(material: Material, texts: Texts, *, overdue: bool = False) -> Json:
    """`{"open", "overdue", "debt", "promises"}`: open threads, those most overdue first, then the oldest.

    Ages are in chapters: `age` since it was opened, `silent` since its last record, `overdue_by` since it was due (a payoff in
    the chapter itself is in time). `debt` is the sum of the ages. `steps` are the stages of the payoff so far.
    """
    moment = material.moment
    planned = decisions(material.session, moment)
    undone = _undone_payoffs(material.session, moment)
    threads = by_thread(material)
    found = [
        _promise(material, texts, rows, planned.get(key), undone.get(key))
        for key, rows in threads.items()
        if rows[-1].payload["status"] in OPEN
    ]
    found.sort(key=lambda each: (-(each["overdue_by"] or 0), -each["age"], each["opened"]))
    late = [each for each in found if each["overdue"]]
    shown = late if overdue else found
    return {"open": len(found), "overdue": len(late), "debt": sum(each["age"] for each in found), "promises": shown}


def by_thread(material: Material) -> dict[str, list[RecordRow]]:
    """The records of each thread in telling order, by the thread's key."""
    threads: dict[str, list[RecordRow]] = {}
    for row in material.actual:
        if row.kind == "thread":
            threads.setdefault(literal_key(row.payload["thread"]), []).append(row)
    return threads


def decisions(session: Session, moment: Moment) -> dict[str, int | None]:
    """By thread, the chapter that an editor last planned; None where the plan was lifted."""
    rows = session.conn.execute(_PLANNED, (moment.story, moment.believed, ThreadDue.TOPIC)).fetchall()
    events = (decode(moment.story, version, topic, bytes(state)) for _, version, topic, state in rows)
    return {event.thread: event.due for event in events if isinstance(event, ThreadDue)}


def due_of(rows: list[RecordRow], planned: int | None) -> Due | None:
    """What an editor planned, else what the latest record that names a chapter says ("before chapter 9" is by 8)."""
    if planned is not None:
        return Due(planned, "editor")
    for row in reversed(rows):
        said = _DUE.search(f"{row.payload['thread']}. {row.payload.get('description') or ''}")
        if said:
            return Due(max(1, int(said[2]) - (said[1].lower() == "before")), row.name)
    return None


def _undone_payoffs(session: Session, moment: Moment) -> dict[str, Withdrawn]:
    """By thread, the last payoff that was believed once and has been edited away."""
    rows = withdrawn(session.conn, session.schemas.state, moment.story, KINDS, moment.at, moment.believed)
    found: dict[str, Withdrawn] = {}
    for each in rows:
        if each.row.payload["status"] in CLOSED and each.row.payload.get("modality", "actual") == "actual":
            found.setdefault(literal_key(each.row.payload["thread"]), each)
    return found


def _promise(
    material: Material, texts: Texts, rows: list[RecordRow], planned: int | None, undone: Withdrawn | None
) -> Json:
    at = material.moment.at
    due = due_of(rows, planned)
    late = None if due is None or due.chapter >= at else at - due.chapter
    return {
        "thread": rows[0].payload["thread"],
        "kind": _last(rows, "thread_kind"),
        "status": rows[-1].payload["status"],
        "description": _last(rows, "description"),
        "opened": rows[0].chapter,
        "age": at - rows[0].chapter,
        "last": rows[-1].chapter,
        "silent": at - rows[-1].chapter,
        "due": None if due is None else {"chapter": due.chapter, "by": due.by},
        "overdue": late is not None,
        "overdue_by": late,
        "reopened": None if undone is None else _reopened(material, texts, undone),
        "steps": [_step(material, row) for row in rows],
    }


def _step(material: Material, row: RecordRow) -> Json:
    return {
        "chapter": row.chapter,
        "status": row.payload["status"],
        "description": row.payload.get("description"),
        "record": row.name,
        "evidence": material.evidence(row),
    }


def _reopened(material: Material, texts: Texts, undone: Withdrawn) -> Json:
    """The payoff that is gone: what it was, in which revision, and until which position it was believed."""
    row = undone.row
    quote = quoting(material.session, material.moment, texts, [(row.chapter, row.revision)])
    return {
        "record": row.name,
        "status": row.payload["status"],
        "chapter": row.chapter,
        "revision": row.revision,
        "believed_until": undone.until,
        "evidence": quote(row.chapter, row.revision, row.evidence),
    }


def _last(rows: list[RecordRow], field: str) -> Json:
    return next((row.payload[field] for row in reversed(rows) if row.payload.get(field)), None)
