"""Questions to the story state's tables. `believed` is the last position of a publication: what was believed then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import orjson
from psycopg import sql

from events.domain_events import Json, Setting
from projections.projection import Conn
from projections.record_body import read_body
from projections.story_state.found import (
    Asserted,
    Holding,
    Pair,
    RecordRow,
    RevisionRow,
    Standing,
    Supporting,
    record_row,
    supporting_row,
)
from projections.wire import setting_from

EVERY_CHAPTER = 2**31 - 1


class StoryStateRead:
    """One version of the read model, by the PostgreSQL schema that it is in."""

    def __init__(self, conn: Conn, schema: str) -> None:
        self._conn = conn
        self._schema = sql.Identifier(schema)

    def _rows(self, query: str, parameters: dict[str, object]) -> Iterator[tuple[Json, ...]]:
        statement = sql.SQL(query).format(s=self._schema)
        return iter(self._conn.execute(statement, parameters))

    # --- where a reader stands ---

    def standing(
        self, story: str, limit: int, *, time: datetime | None = None, at: int | None = None, name: str | None = None
    ) -> Standing:
        """Where a reader stands who asks for chapter `at`, the checkpoint `name`, or (neither) the last chapter.

        `limit` is the last position to look at, `time` the last moment.
        """
        parameters: dict[str, object] = {"story": story, "limit": limit, "time": time, "at": at, "name": name}
        return Standing(*next(self._rows(_STANDING, parameters)))

    def checkpoint_names(self, story: str, believed: int) -> list[str]:
        query = "SELECT name FROM {s}.checkpoints WHERE story = %(story)s AND recorded @> %(believed)s::bigint ORDER BY at, name"
        return [row[0] for row in self._rows(query, {"story": story, "believed": believed})]

    def revisions(self, story: str, at: int, believed: int) -> list[RevisionRow]:
        """Every revision of the chapters up to `at` that had arrived."""
        query = (
            "SELECT chapter, revision, text_hash, title, length, recorded @> %(believed)s::bigint FROM {s}.chapters"
            " WHERE story = %(story)s AND chapter <= %(at)s AND position <= %(believed)s ORDER BY chapter, revision"
        )
        return [RevisionRow(*row) for row in self._rows(query, {"story": story, "at": at, "believed": believed})]

    # --- what holds ---

    def keys_of_entities(self, story: str, entities: Sequence[str]) -> set[str]:
        """Every node key that ever named one of the entities."""
        query = "SELECT DISTINCT node_key FROM {s}.key_entities WHERE story = %(story)s AND entity = ANY(%(entities)s)"
        return {row[0] for row in self._rows(query, {"story": story, "entities": list(entities)})}

    def holding(self, story: str, at: int, believed: int, without: set[str]) -> list[Holding]:
        """What holds after `at`, key by key, by the numbers of rows. Keys are those before any two entities are joined."""
        query = (
            "SELECT i.node_key, lower(i.valid), CASE WHEN i.node_key LIKE '%%=%%' THEN ("
            "SELECT f.id FROM {s}.assertions f WHERE f.story = i.story AND f.node_key = i.node_key"
            " AND f.recorded @> %(believed)s::bigint ORDER BY f.chapter, f.scene, f.start, f.ordinal, f.uid LIMIT 1) END,"
            " array_agg(a.id ORDER BY a.chapter, a.scene, a.start, a.ordinal, a.uid),"
            " array_agg(r.id ORDER BY a.chapter, a.scene, a.start, a.ordinal, a.uid) FROM {s}.intervals i"
            # key by key and record by record, also while the planner does not know yet how large its tables are
            " CROSS JOIN LATERAL (SELECT a.* FROM {s}.assertions a WHERE a.story = i.story AND a.node_key = i.node_key"
            " AND a.value_key = i.value_key AND a.chapter BETWEEN lower(i.valid) AND %(at)s"
            " AND a.recorded @> %(believed)s::bigint OFFSET 0) AS a"
            " CROSS JOIN LATERAL (SELECT r.id FROM {s}.records r WHERE r.story = a.story AND r.uid = a.uid"
            " AND r.recorded @> %(believed)s::bigint OFFSET 0) AS r"
            " WHERE i.story = %(story)s AND i.valid @> %(at)s::int AND i.recorded @> %(believed)s::bigint"
            " GROUP BY i.id, i.story, i.node_key, i.valid"
        )
        rows = self._rows(query, {"story": story, "at": at, "believed": believed})
        return [
            Holding(valid_from, assertions[0] if first is None else first, tuple(zip(assertions, records, strict=True)))
            for key, valid_from, first, assertions, records in rows
            if key not in without
        ]

    def supporting_of(self, pairs: Sequence[Pair]) -> dict[Pair, Supporting]:
        """Assertions and their records by the numbers of their rows."""
        query = (
            "SELECT p.a, p.r,"
            + _SUPPORTING
            + " FROM unnest(%(assertions)s::bigint[], %(records)s::bigint[]) AS p (a, r)"
            " JOIN {s}.assertions a ON a.id = p.a JOIN {s}.records r ON r.id = p.r"
        )
        parameters: dict[str, object] = {"assertions": [a for a, _ in pairs], "records": [r for _, r in pairs]}
        return {(a, r): supporting_row(row) for a, r, *row in self._rows(query, parameters)}

    def settings_of(self, assertions: Sequence[int]) -> dict[int, Setting]:
        """What assertions set, by the numbers of their rows."""
        rows = self._rows(
            "SELECT id, setting::text FROM {s}.assertions WHERE id = ANY(%(ids)s)", {"ids": list(assertions)}
        )
        return {number: setting_from(orjson.loads(setting)) for number, setting in rows}

    def supporting(self, story: str, at: int, believed: int, node_keys: set[str]) -> list[Supporting]:
        """Every assertion of the keys in chapters up to `at`, in story order."""
        query = (
            "SELECT" + _SUPPORTING + " FROM {s}.assertions a"
            " JOIN {s}.records r ON r.story = a.story AND r.uid = a.uid AND r.recorded @> %(believed)s::bigint"
            " WHERE a.story = %(story)s AND a.node_key = ANY(%(keys)s) AND a.chapter <= %(at)s"
            " AND a.recorded @> %(believed)s::bigint ORDER BY a.chapter, a.scene, a.start, a.ordinal, a.uid"
        )
        parameters = {"story": story, "at": at, "believed": believed, "keys": list(node_keys)}
        return [supporting_row(row) for row in self._rows(query, parameters)]

    # --- what was believed ---

    def keys_of_functor(self, story: str, functor: str, at: int, believed: int) -> list[tuple[str, Setting]]:
        """The keys of a functor that were ever asserted in chapters up to `at`, each with a setting of it."""
        query = (
            "SELECT DISTINCT ON (node_key) node_key, setting::text FROM {s}.assertions WHERE story = %(story)s"
            " AND node_key >= %(first)s AND node_key < %(beyond)s AND functor = %(functor)s"
            " AND chapter <= %(at)s AND lower(recorded) <= %(believed)s"
            " ORDER BY node_key, chapter, scene, start, ordinal, uid"
        )
        # after its functor a key has "(" or "->(": both come before a full stop in the order of characters
        span = {"first": f"{functor}(", "beyond": f"{functor}."}
        parameters = {"story": story, "functor": functor, "at": at, "believed": believed, **span}
        return [(key, setting_from(orjson.loads(setting))) for key, setting in self._rows(query, parameters)]

    def asserted(self, story: str, node_keys: Sequence[str] | None, at: int, believed: int) -> list[Asserted]:
        """Every assertion ever believed up to a position, of the keys named (None: of all), in chapters up to `at`."""
        query = (
            "SELECT node_key, uid, chapter, scene, start, ordinal, setting::text, lower(recorded), upper(recorded)"
            " FROM {s}.assertions WHERE story = %(story)s AND (%(keys)s::text[] IS NULL OR node_key = ANY(%(keys)s))"
            " AND chapter <= %(at)s AND lower(recorded) <= %(believed)s AND NOT isempty(recorded)"
        )
        keys = None if node_keys is None else list(node_keys)
        found = []
        for row in self._rows(query, {"story": story, "keys": keys, "at": at, "believed": believed}):
            node_key, uid, chapter, scene, start, ordinal, setting, low, high = row
            end = high if high is not None and high <= believed else None
            order = (chapter, scene, start, ordinal, uid)
            found.append(Asserted(node_key, uid, order, setting_from(orjson.loads(setting)), low, end))
        return found

    def believed_intervals(
        self, story: str, node_keys: Sequence[str], at: int, believed: int
    ) -> list[tuple[str, str, int, int | None, int, int | None]]:
        """(key, value key, valid from, valid to, recorded from, recorded to) of every interval of the keys that begins in a
        chapter up to `at` and was ever believed up to a position."""
        query = (
            "SELECT node_key, value_key, lower(valid), upper(valid), lower(recorded),"
            " CASE WHEN upper(recorded) <= %(believed)s THEN upper(recorded) END FROM {s}.intervals"
            " WHERE story = %(story)s AND node_key = ANY(%(keys)s) AND lower(valid) <= %(at)s"
            " AND lower(recorded) <= %(believed)s AND NOT isempty(recorded) ORDER BY lower(recorded), lower(valid)"
        )
        parameters = {"story": story, "keys": list(node_keys), "at": at, "believed": believed}
        return [(k, v, a, b, low, high) for k, v, a, b, low, high in self._rows(query, parameters)]

    def record_versions(self, story: str, uids: Sequence[str], believed: int) -> list[tuple[str, int, Json]]:
        """(uid, recorded_from, {name, chapter, revision, evidence}) of the live versions, oldest first."""
        query = (
            "SELECT uid, lower(recorded), chapter, body FROM {s}.records"
            " WHERE story = %(story)s AND uid = ANY(%(uids)s) AND live AND lower(recorded) <= %(believed)s"
            " ORDER BY uid, lower(recorded)"
        )
        rows = self._rows(query, {"story": story, "uids": list(uids), "believed": believed})
        found = []
        for uid, low, chapter, written in rows:
            body = read_body(written)
            shown = {"name": body.record, "chapter": chapter, "revision": body.revision, "evidence": body.evidence}
            found.append((uid, low, shown))
        return found

    def records_of_kind(self, story: str, kinds: Sequence[str], at: int, believed: int) -> list[RecordRow]:
        """The live records of the kinds in chapters up to `at`, in story order."""
        query = (
            "SELECT uid, chapter, kind, body FROM {s}.records"
            " WHERE story = %(story)s AND kind = ANY(%(kinds)s) AND live AND chapter <= %(at)s"
            " AND recorded @> %(believed)s::bigint"
        )
        rows = self._rows(query, {"story": story, "kinds": list(kinds), "at": at, "believed": believed})
        read = [(uid, chapter, kind, read_body(body)) for uid, chapter, kind, body in rows]
        read.sort(key=lambda row: (row[1], row[3].order, row[0]))
        return [record_row(*row) for row in read]


_STANDING = """
WITH publication AS (
    SELECT coalesce((
        SELECT last_position FROM {s}.publications
        WHERE story = %(story)s AND last_position <= %(limit)s
          AND (%(time)s::timestamptz IS NULL OR recorded_at <= %(time)s)
        ORDER BY last_position DESC LIMIT 1
    ), 0) AS believed
), place AS (
    SELECT believed, CASE
        WHEN %(at)s::int IS NOT NULL THEN %(at)s::int
        WHEN %(name)s::text IS NOT NULL THEN (
            SELECT at FROM {s}.checkpoints
            WHERE story = %(story)s AND name = %(name)s AND recorded @> believed)
        ELSE (
            SELECT chapter FROM {s}.chapters
            WHERE story = %(story)s AND recorded @> believed AND text_hash IS NOT NULL
            ORDER BY chapter DESC LIMIT 1)
        END AS at
    FROM publication
)
SELECT EXISTS (SELECT FROM {s}.publications WHERE story = %(story)s), believed, at, coalesce((
    SELECT position FROM {s}.chapter_positions
    WHERE story = %(story)s AND position <= believed AND chapter <= at
    ORDER BY position DESC LIMIT 1
), 0)
FROM place
"""
_SUPPORTING = " a.node_key, a.uid, a.chapter, a.scene, a.start, a.ordinal, a.setting::text, r.body"
