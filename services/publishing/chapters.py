"""Which chapters a story has, as registered: what is on its way counts, what died does not."""

from __future__ import annotations

from events.chapters import text_hash
from events.errors import UnknownChapter, UnknownStory
from events.ledger import Ledger

_LATEST = """
    SELECT DISTINCT ON (chapter) chapter, action, text_hash FROM ledger.publications
    WHERE story = %s AND action IN ('publish', 'retract') AND status IN ('accepted', 'appended')
      AND (%s::integer IS NULL OR chapter = %s)
    ORDER BY chapter, sequence DESC
"""
_TAKEN_IN = """
    SELECT chapter, content_hash FROM (
        SELECT DISTINCT ON (chapter) chapter, content_hash, text_hash, status FROM ledger.publications
        WHERE story = %s AND action IN ('publish', 'retract') ORDER BY chapter, sequence DESC
    ) AS latest LEFT JOIN ledger.texts ON texts.hash = text_hash
    WHERE status = 'appended' AND (text_hash IS NULL OR body IS NOT NULL)
"""


def taken_in(ledger: Ledger, story: str) -> dict[int, str]:
    """By chapter what its latest publication carries (its content hash), where that is taken in: publishing it changes nothing."""
    with ledger.pool.connection() as connection:
        return dict(connection.execute(_TAKEN_IN, (story,)).fetchall())


def chapter_with(ledger: Ledger, story: str, text: str, until: int) -> int | None:
    """The first chapter up to `until` whose present text is this one, letter for letter."""
    with ledger.pool.connection() as connection:
        row = connection.execute(
            f"SELECT min(chapter) FROM ({_LATEST}) AS latest WHERE action = 'publish' AND text_hash = %s AND chapter <= %s",
            (story, None, None, text_hash(text), until),
        ).fetchone()
    return None if row is None or row[0] is None else int(row[0])


def last_chapter(ledger: Ledger, story: str) -> int:
    """The last chapter that is published and not retracted. Raises `UnknownStory`."""
    with ledger.pool.connection() as connection:
        row = connection.execute(
            f"SELECT max(chapter) FROM ({_LATEST}) AS latest WHERE action = 'publish'", (story, None, None)
        ).fetchone()
    if row is None or row[0] is None:
        raise UnknownStory(f"No chapter of {story!r} is published now; `fabula stories` lists what there is.")
    return int(row[0])


def require_chapter(ledger: Ledger, story: str, chapter: int) -> None:
    """Raises `UnknownStory` or `UnknownChapter` unless the chapter was ever published (it may be retracted by now)."""
    with ledger.pool.connection() as connection:
        row = connection.execute(_LATEST, (story, chapter, chapter)).fetchone()
    if row is None:
        last_chapter(ledger, story)
        raise UnknownChapter(f"{story} has no chapter {chapter}; look at its chapters with `fabula timeline {story}`.")
