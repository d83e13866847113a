"""What there is: the stories of a database, their last chapters, and whether the read models include everything.

Asked of the tables alone, so that a command that only reads loads neither the log's library nor a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from events.errors import UnknownStory

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool

    from services.documents import Document

_STORIES: Final = """
WITH latest AS (
    SELECT DISTINCT ON (story, chapter) story, chapter, action FROM ledger.publications
    WHERE status = 'appended' AND chapter > 0 ORDER BY story, chapter, sequence DESC
), ends AS (
    SELECT story, max(last_position) AS position FROM ledger.publications WHERE status = 'appended' GROUP BY story
)
SELECT story, count(*) FILTER (WHERE action = 'publish'), max(chapter) FILTER (WHERE action = 'publish'), position
FROM ends JOIN latest USING (story) GROUP BY story, position ORDER BY story COLLATE "C"
"""
_LAST_CHAPTER: Final = """
SELECT max(chapter) FROM (
    SELECT DISTINCT ON (chapter) chapter, action FROM ledger.publications
    WHERE story = %s AND status = 'appended' AND chapter > 0 ORDER BY chapter, sequence DESC
) AS latest WHERE action = 'publish'
"""
_CONTENT: Final = """
SELECT content_hash FROM ledger.publications
WHERE story = %s AND chapter = %s AND revision = %s AND action = 'publish' ORDER BY sequence DESC LIMIT 1
"""
_CURRENT: Final = """
SELECT count(*) FROM projections.read_models
WHERE live AND name = ANY(%s) AND position >= coalesce((SELECT max(notification_id) FROM ledger.stored_events), 0)
"""


class Catalogue:
    """Reads what the ledger and the read models keep about themselves; an unused database has nothing, and is no error."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._pool = pool

    def stories(self) -> Document:
        """Every story that was ever published to, with its chapters as they are now and where its log ends."""
        with self._pool.connection() as conn:
            rows = conn.execute(_STORIES).fetchall() if _has_log(conn) else []
        names = ("story", "chapters", "last_chapter", "position")
        return {"stories": [dict(zip(names, row, strict=True)) for row in rows]}

    def last_chapter(self, story: str) -> int:
        """The highest chapter that is published now. Raises UnknownStory."""
        with self._pool.connection() as conn:
            row = conn.execute(_LAST_CHAPTER, [story]).fetchone() if _has_log(conn) else None
        if row is None or row[0] is None:
            raise UnknownStory(f"No chapter of {story!r} is published now; `fabula stories` lists what there is.")
        return int(row[0])

    def content_hash(self, story: str, chapter: int, revision: int) -> str | None:
        """The hash of what a revision of a chapter carried: equal for equal content, on any machine."""
        with self._pool.connection() as conn:
            row = conn.execute(_CONTENT, [story, chapter, revision]).fetchone()
        return None if row is None else str(row[0])

    def is_current(self, read_models: Sequence[str]) -> bool:
        """Whether all of these read models include the whole log."""
        with self._pool.connection() as conn:
            row = conn.execute(_CURRENT, [list(read_models)]).fetchone() if _has_log(conn) else None
        return row is not None and row[0] == len(read_models)


def _has_log(conn: Connection[Any]) -> bool:
    """Whether the database has been used before."""
    row = conn.execute("SELECT to_regclass('ledger.publications'), to_regclass('projections.read_models')").fetchone()
    return row is not None and None not in row
