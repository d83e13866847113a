"""Questions to the timeline's table. `believed` is the last position of a publication: what was believed then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql

from projections.projection import Conn


@dataclass(frozen=True, slots=True)
class Appearance:
    """An entity in a chapter: present, or only mentioned."""

    entity: str
    chapter: int
    present: bool


class TimelineRead:
    """One version of the read model, by the PostgreSQL schema that it is in."""

    def __init__(self, conn: Conn, schema: str) -> None:
        self._conn = conn
        self._schema = sql.Identifier(schema)

    def appearances(
        self, story: str, at: int, believed: int, entities: Sequence[str] | None = None
    ) -> list[Appearance]:
        """Who appears in which chapter up to `at` (of the entities named; None: of all), by chapter."""
        query = sql.SQL(
            "SELECT entity, chapter, bool_or(present) FROM {s}.appearances WHERE story = %(story)s"
            " AND (%(entities)s::text[] IS NULL OR entity = ANY(%(entities)s)) AND chapter <= %(at)s"
            " AND recorded @> %(believed)s::bigint GROUP BY entity, chapter ORDER BY chapter, entity"
        ).format(s=self._schema)
        names = None if entities is None else list(entities)
        parameters = {"story": story, "entities": names, "at": at, "believed": believed}
        return [Appearance(*row) for row in self._conn.execute(query, parameters)]
