"""What read a record out of its text: it stands in the log, with each statement of the record."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from events.domain_events import Json, RecordAsserted, RecordCarried, RecordStated
from events.wire import decode
from services.reading.session import Session

_STATED: Final = """
    SELECT e.originator_version, e.topic, e.state
    FROM unnest(%(chapters)s::integer[], %(revisions)s::integer[]) AS wanted (chapter, revision)
    JOIN ledger.publications p ON p.story = %(story)s AND p.chapter = wanted.chapter AND p.revision = wanted.revision
     AND p.action = 'publish'
    JOIN ledger.stored_events e ON e.notification_id BETWEEN p.first_position AND p.last_position
     AND e.originator_id = p.story
    WHERE e.topic = ANY(%(topics)s)
"""


def provenances(session: Session, story: str, revisions: Collection[tuple[int, int]]) -> Mapping[tuple[str, int], Json]:
    """By (uid, revision), what read the records of some revisions (chapter, revision); see `RecordStated.provenance`.

    None for what was handed in, and for what was recorded before anybody noted it.
    """
    wanted = sorted(revisions)
    if not wanted:
        return {}
    rows = session.conn.execute(
        _STATED,
        {
            "story": story,
            "chapters": [chapter for chapter, _ in wanted],
            "revisions": [revision for _, revision in wanted],
            "topics": [RecordAsserted.TOPIC, RecordCarried.TOPIC],
        },
    ).fetchall()
    stated = (decode(story, version, topic, bytes(state)) for version, topic, state in rows)
    return {(e.uid, e.revision): e.provenance for e in stated if isinstance(e, RecordStated)}
