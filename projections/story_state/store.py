"""Writes the story state of one publication. Cost follows what the publication changed, not the length of the story."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psycopg import sql

from events.domain_events import ChapterPublished, ChapterRetracted, CheckpointNamed
from projections.facets import FacetChange, Row, insert, since
from projections.projection import Conn
from projections.publications import PublicationEvents
from projections.story_state.refolding import Refolded, Span, Word, refold

NODE_KEY, VALUE_KEY, CHAPTER = 0, 2, 3
"""Where an assertion's row (see `assertions.py`) has its key, value and chapter."""

_WORDS = sql.SQL("""
SELECT k.node_key, w.chapter, w.value_key
FROM unnest(%(keys)s::text[], %(firsts)s::int[], %(lasts)s::int[]) AS k (node_key, first, last)
CROSS JOIN LATERAL (
    SELECT coalesce(min(a.chapter), 2147483647) AS chapter FROM assertions a
    WHERE a.story = %(story)s AND a.node_key = k.node_key AND a.chapter > k.last AND upper_inf(a.recorded)
) AS agreed
CROSS JOIN LATERAL (
    SELECT DISTINCT ON (a.chapter) a.chapter, a.value_key FROM assertions a
    WHERE a.story = %(story)s AND a.node_key = k.node_key AND upper_inf(a.recorded)
      AND a.chapter BETWEEN k.first AND agreed.chapter
    ORDER BY a.chapter, a.scene DESC, a.start DESC, a.ordinal DESC, a.uid DESC
) AS w
ORDER BY 1, 2
""")
_SPANS = sql.SQL("""
SELECT k.node_key, lower(i.valid), upper(i.valid), i.value_key, i.id
FROM unnest(%(keys)s::text[], %(firsts)s::int[]) AS k (node_key, first)
JOIN intervals i ON i.story = %(story)s AND i.node_key = k.node_key AND upper_inf(i.recorded)
    AND coalesce(upper(i.valid), 2147483647) >= k.first
ORDER BY 1, 2
""")
_CLOSE_INTERVALS = sql.SQL("UPDATE intervals SET recorded = int8range(lower(recorded), %s) WHERE id = ANY(%s)")
_KEY_ENTITIES = sql.SQL("""
INSERT INTO key_entities (story, entity, node_key)
SELECT %s, entity, node_key FROM unnest(%s::text[], %s::text[]) AS e (entity, node_key)
ON CONFLICT DO NOTHING
""")


@dataclass(frozen=True, slots=True)
class KeyChange:
    """The chapters between which a key's assertions changed."""

    node_key: str
    first: int
    last: int


def key_changes(changed: Iterable[FacetChange]) -> list[KeyChange]:
    """Where the keys of assertions that came, went or moved have to be folded again."""
    chapters: dict[str, tuple[int, int]] = {}
    for change in changed:
        for row in set(change.before) ^ set(change.after):
            key, chapter = str(row[NODE_KEY]), int(row[CHAPTER] or 0)
            first, last = chapters.get(key, (chapter, chapter))
            chapters[key] = (min(first, chapter), max(last, chapter))
    return [KeyChange(key, first, last) for key, (first, last) in sorted(chapters.items())]


def refold_keys(conn: Conn, story: str, position: int, keys: Sequence[KeyChange]) -> None:
    """Close the intervals that no longer hold and open those that now do, once the assertions are up to date."""
    if not keys:
        return
    names, firsts = [k.node_key for k in keys], [k.first for k in keys]
    parameters = {"story": story, "keys": names, "firsts": firsts, "lasts": [k.last for k in keys]}
    words: dict[str, list[Word]] = {}
    for key, chapter, value in conn.execute(_WORDS, parameters):
        words.setdefault(key, []).append((chapter, value))
    old: dict[str, list[Span]] = {}
    ids: dict[tuple[str, Span], int] = {}
    for key, start, end, value, number in conn.execute(_SPANS, parameters):
        old.setdefault(key, []).append(Span(start, end, value))
        ids[key, old[key][-1]] = number
    folded = {k.node_key: refold(old.get(k.node_key, []), words.get(k.node_key, []), k.first, k.last) for k in keys}
    closed = [ids[key, span] for key, refolded in folded.items() for span in refolded.closed]
    if closed:
        conn.execute(_CLOSE_INTERVALS, (position, closed))
    _open_intervals(conn, story, position, folded)


def _open_intervals(conn: Conn, story: str, position: int, folded: dict[str, Refolded]) -> None:
    recorded = since(position)
    rows = [interval_row(story, key, span, recorded) for key, refolded in folded.items() for span in refolded.opened]
    insert(conn, "intervals", INTERVAL_COLUMNS, rows)


INTERVAL_COLUMNS = ("story", "node_key", "value_key", "valid", "recorded")


def interval_row(story: str, key: str, span: Span, recorded: str) -> Row:
    valid = f"[{span.start},{'' if span.end is None else span.end})"
    return (story, key, span.value, valid, recorded)


def store_key_entities(conn: Conn, story: str, pairs: Sequence[tuple[str, str]]) -> None:
    """Remember (entity, node key) pairs; they are never forgotten, since an older belief may need them."""
    if pairs:
        conn.execute(_KEY_ENTITIES, (story, [entity for entity, _ in pairs], [key for _, key in pairs]))


def store_publication(conn: Conn, publication: PublicationEvents) -> None:
    """The publication's place in the log, chapters' revisions and names of checkpoints."""
    story, position = publication.story, publication.last_position
    conn.execute(
        "INSERT INTO publications (story, first_position, last_position, correlation, recorded_at)"
        " VALUES (%s, %s, %s, %s, %s)",
        (story, publication.first_position, position, publication.correlation, publication.recorded_at),
    )
    places = [(story, place, chapter) for chapter, place in publication.chapter_positions().items()]
    insert(conn, "chapter_positions", ("story", "position", "chapter"), places)
    for recorded in publication.events:
        match recorded.event:
            case ChapterPublished() | ChapterRetracted() as event:
                _store_revision(conn, event, recorded.position, position)
            case CheckpointNamed() as event:
                _store_checkpoint(conn, event, position)


def _store_revision(conn: Conn, event: ChapterPublished | ChapterRetracted, at: int, position: int) -> None:
    if not event.superseded:
        conn.execute(
            "UPDATE chapters SET recorded = int8range(lower(recorded), %s)"
            " WHERE story = %s AND chapter = %s AND upper_inf(recorded)",
            (position, event.story, event.chapter),
        )
    insert(conn, "chapters", CHAPTER_COLUMNS, [chapter_row(event, at, position)])


CHAPTER_COLUMNS = ("story", "chapter", "revision", "position", "recorded", "text_hash", "title", "length", "language")


def chapter_row(event: ChapterPublished | ChapterRetracted, at: int, position: int) -> tuple[str | int | None, ...]:
    recorded = "empty" if event.superseded else since(position)
    text = (
        (event.text_hash, event.title, event.length, event.language)
        if isinstance(event, ChapterPublished)
        else (None, None, None, None)
    )
    return (event.story, event.chapter, event.revision, at, recorded, *text)


def _store_checkpoint(conn: Conn, event: CheckpointNamed, position: int) -> None:
    conn.execute(
        "UPDATE checkpoints SET recorded = int8range(lower(recorded), %s)"
        " WHERE story = %s AND name = %s AND upper_inf(recorded)",
        (position, event.story, event.name),
    )
    insert(conn, "checkpoints", CHECKPOINT_COLUMNS, [(event.story, event.name, since(position), event.at)])


CHECKPOINT_COLUMNS = ("story", "name", "recorded", "at")
