"""`threads`: promises, mysteries, goals and threats, with how they stand."""

from __future__ import annotations

from typing import Final

from events.domain_events import Json
from events.errors import InvalidInput
from events.names import literal_key
from projections.story_state.found import RecordRow
from services.reading.quoting import Texts, quoting
from services.reading.session import Moment, Session

OPEN: Final = ("opened", "advanced")
CLOSED: Final = ("paid_off", "abandoned")
_ASKED: Final[dict[str, tuple[str, ...]]] = {"open": OPEN, "closed": CLOSED} | {s: (s,) for s in (*OPEN, *CLOSED)}


def threads(session: Session, texts: Texts, moment: Moment, status: str | None = None) -> list[Json]:
    """The threads of the story in the order in which they were opened; `status` may also be `open` or `closed`."""
    wanted = None if status is None else _statuses(status)
    by_thread: dict[str, list[RecordRow]] = {}
    for row in session.state.records_of_kind(moment.story, ["thread"], moment.at, moment.believed):
        if row.payload.get("modality", "actual") == "actual":
            by_thread.setdefault(literal_key(row.payload["thread"]), []).append(row)
    quote = quoting(session, moment, texts, {(r.chapter, r.revision) for rows in by_thread.values() for r in rows})
    return [
        {
            "thread": rows[0].payload["thread"],
            "kind": _last(rows, "thread_kind"),
            "status": rows[-1].payload["status"],
            "description": _last(rows, "description"),
            "opened": rows[0].chapter,
            "last": rows[-1].chapter,
            "record": rows[-1].name,
            "evidence": [span for r in rows for span in quote(r.chapter, r.revision, r.evidence)],
        }
        for rows in by_thread.values()
        if wanted is None or rows[-1].payload["status"] in wanted
    ]


def _last(rows: list[RecordRow], field: str) -> Json:
    """The latest word on a field that not every record has."""
    return next((r.payload[field] for r in reversed(rows) if r.payload.get(field)), None)


def _statuses(status: str) -> tuple[str, ...]:
    if status not in _ASKED:
        raise InvalidInput(f"{status[:40]!r} is no status of a thread. Ask for {', '.join(sorted(_ASKED))}.")
    return _ASKED[status]
