"""How far a story is: which chapters are in, which wait and for what, which could not be read, and what shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from events.errors import UnknownStory

if TYPE_CHECKING:
    from services.documents import Document
    from services.projecting.health import ProjectionHealth

BUDGET_REACHED: Final = "budget-reached"
_CHAPTERS: Final = """
    SELECT count(*) FILTER (WHERE action = 'publish') AS "in", count(*) FILTER (WHERE action = 'retract') AS retracted
    FROM (SELECT DISTINCT ON (chapter) action FROM ledger.publications
          WHERE story = %(story)s AND action IN ('publish', 'retract') AND status = 'appended'
          ORDER BY chapter, sequence DESC) AS latest
"""
_UNFINISHED: Final = """
    SELECT sequence, chapter, revision, action, status, published_at, attempts, error, waits_for, waits_until
    FROM ledger.publications WHERE story = %(story)s AND status IN ('accepted', 'dead') ORDER BY sequence
"""
_PROGRESS: Final = "SELECT chapter, done, stretches, at FROM claude.progress WHERE story = %(story)s"
_BATCHES: Final = """
    SELECT batch, requests, sent_at FROM claude.batches WHERE story = %(story)s AND status IN ('sending', 'sent')
    ORDER BY number
"""
_POSITION: Final = "SELECT max(last_position) AS position FROM ledger.publications WHERE story = %(story)s"
_KNOWN: Final = "SELECT 1 AS known FROM ledger.publications WHERE story = %(story)s LIMIT 1"


def status(pool: ConnectionPool[Any], story: str, read_models: Sequence[ProjectionHealth]) -> Document:
    """Chapters counted by how far they are; those that wait, and those that need somebody, each with its reason.

    A chapter that has been read and whose edit waits counts as both. `until` is when the wait may be over, where that is
    known; `read` how many stretches of a long chapter have been read (what was read is not paid for again).
    Raises `UnknownStory`.
    """
    with pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:

        def rows(query: str, of: str = "ledger.publications") -> list[dict[str, Any]]:
            cursor.execute("SELECT to_regclass(%s) IS NOT NULL AS there", (of,))
            found = cursor.fetchone()
            if found is None or not found["there"]:
                return []
            cursor.execute(query.encode(), {"story": story})
            answered: list[dict[str, Any]] = cursor.fetchall()
            return answered

        if not rows(_KNOWN):
            raise UnknownStory(f"Nothing was ever published to {story!r}; `fabula stories` lists what there is.")
        [chapters] = rows(_CHAPTERS)
        unfinished = rows(_UNFINISHED)
        progress = {row["chapter"]: row for row in rows(_PROGRESS, "claude.progress")}
        batches = rows(_BATCHES, "claude.batches")
        [end] = rows(_POSITION)
    waiting = [_waiting(row, progress.get(row["chapter"])) for row in unfinished if row["status"] == "accepted"]
    needs_retry = [_needs_retry(story, row) for row in unfinished if row["status"] == "dead"]
    return {
        "story": story,
        "chapters": {**chapters, "waiting": len(waiting), "needs_retry": len(needs_retry)},
        "waiting": waiting,
        "needs_retry": needs_retry,
        "batches": [{**row, "sent_at": row["sent_at"].isoformat()} for row in batches],
        "position": end["position"],
        "read_models": [
            {"name": each.name, "behind": each.lag, "stalled_at": each.stalled_at, "error": each.error}
            for each in read_models
        ],
    }


def waits_only_for_the_budget(document: Document) -> bool:
    """Whether something of the story waits, and all of it for money."""
    waiting = document["waiting"]
    return bool(waiting) and all(each["reason"] == BUDGET_REACHED for each in waiting)


def _waiting(row: dict[str, Any], progress: dict[str, Any] | None) -> Document:
    begun = progress is not None and progress["at"] >= row["published_at"] and row["action"] == "publish"
    return {
        "chapter": row["chapter"],
        "revision": row["revision"],
        "action": row["action"],
        "since": row["published_at"].isoformat(),
        "attempts": row["attempts"],
        "reason": row["waits_for"],
        "detail": row["error"],
        "until": None if row["waits_until"] is None else row["waits_until"].isoformat(),
        "read": {"done": progress["done"], "stretches": progress["stretches"]} if begun and progress else None,
    }


def _needs_retry(story: str, row: dict[str, Any]) -> Document:
    return {
        "chapter": row["chapter"],
        "revision": row["revision"],
        "action": row["action"],
        "id": f"{story}/{row['sequence']}",
        "attempts": row["attempts"],
        "reason": row["waits_for"],
        "detail": row["error"],
    }
