"""Records that held once and hold no more, as they were last shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql

from projections.projection import Conn
from projections.record_body import read_body
from projections.story_state.found import RecordRow, record_row

_WITHDRAWN = """
SELECT DISTINCT ON (w.uid) w.uid, w.chapter, w.kind, w.body, upper(w.recorded)
FROM {s}.records w
WHERE w.story = %(story)s AND w.kind = ANY(%(kinds)s) AND w.live AND w.chapter <= %(at)s
    AND NOT isempty(w.recorded) AND upper(w.recorded) <= %(believed)s
    AND NOT EXISTS (
        SELECT FROM {s}.records n
        WHERE n.story = w.story AND n.uid = w.uid AND n.live AND n.recorded @> %(believed)s::bigint)
ORDER BY w.uid, upper(w.recorded) DESC
"""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A record as it was believed until (before) a position."""

    row: RecordRow
    until: int


def withdrawn(conn: Conn, schema: str, story: str, kinds: Sequence[str], at: int, believed: int) -> list[Withdrawn]:
    """The records of the kinds in chapters up to `at` that were live once and, as believed at a position, are not; last first."""
    parameters = {"story": story, "kinds": list(kinds), "at": at, "believed": believed}
    rows = conn.execute(sql.SQL(_WITHDRAWN).format(s=sql.Identifier(schema)), parameters).fetchall()
    found = [
        Withdrawn(record_row(uid, chapter, kind, read_body(body)), until) for uid, chapter, kind, body, until in rows
    ]
    return sorted(found, key=lambda each: (-each.until, each.row.chapter, each.row.uid))
