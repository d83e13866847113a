"""Questions to the entities' tables. `believed` is the last position of a publication: what was believed then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from psycopg import sql

from events.domain_events import Json
from events.ids import EntityId
from events.registry import Link
from projections.projection import Conn
from projections.record_body import read_body
from projections.record_versions import spans


@dataclass(frozen=True, slots=True)
class Introduction:
    """A live `entity` record of an entity."""

    entity: str
    payload: Json


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A typed edge as one live record draws it, grounded in spans of the chapter's text."""

    source: str
    target: str | None
    type: str
    label: str | None
    polarity: float | None
    modality: str
    record: str
    chapter: int
    revision: int
    evidence: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class LinkSpan:
    """A link with the positions from and to (before) which it was believed; None: still."""

    link: Link
    recorded_from: int
    recorded_to: int | None


class EntitiesRead:
    """One version of the read model, by the PostgreSQL schema that it is in."""

    def __init__(self, conn: Conn, schema: str) -> None:
        self._conn = conn
        self._schema = sql.Identifier(schema)

    def _rows(self, query: str, parameters: dict[str, object]) -> Iterator[tuple[Json, ...]]:
        statement = sql.SQL(query).format(s=self._schema)
        return iter(self._conn.execute(statement, parameters, prepare=True))

    def links(self, story: str, at: int, believed: int) -> list[Link]:
        return [span.link for span in self.link_spans(story, at, believed) if span.recorded_to is None]

    def link_spans(self, story: str, at: int, believed: int) -> list[LinkSpan]:
        """Every link of chapters up to `at` ever believed up to a position."""
        query = (
            "SELECT chapter, rank, a, b, origin, record, lower(recorded), upper(recorded) FROM {s}.links"
            " WHERE story = %(story)s AND chapter <= %(at)s AND lower(recorded) <= %(believed)s"
            " AND NOT isempty(recorded) ORDER BY chapter, rank, a, b"
        )
        rows = self._rows(query, {"story": story, "at": at, "believed": believed})
        return [
            LinkSpan(
                Link(chapter, rank, EntityId(a), EntityId(b), origin, record),
                low,
                high if high is not None and high <= believed else None,
            )
            for chapter, rank, a, b, origin, record, low, high in rows
        ]

    def display_names(self, story: str, entities: Sequence[str], at: int, believed: int) -> dict[str, str]:
        """What each entity is called: by its first introduction, else its first mention. Who is never mentioned is missing."""
        query = (
            "SELECT e.entity, m.surface FROM unnest(%(entities)s::text[]) AS e (entity) CROSS JOIN LATERAL ("
            "SELECT surface FROM {s}.mentions WHERE story = %(story)s AND entity = e.entity AND chapter <= %(at)s"
            " AND recorded @> %(believed)s::bigint"
            " ORDER BY introduces DESC, chapter, scene, start, ordinal, slot LIMIT 1) AS m"
        )
        parameters = {"story": story, "entities": list(entities), "at": at, "believed": believed}
        return {str(entity): str(surface) for entity, surface in self._rows(query, parameters)}

    def called(self, story: str, key: str, at: int, believed: int) -> set[str]:
        """The entities that a name (by its key) is given to or used for."""
        query = (
            "SELECT entity FROM {s}.names WHERE story = %(story)s AND name_key = %(key)s AND chapter <= %(at)s"
            " AND recorded @> %(believed)s::bigint UNION "
            "SELECT entity FROM {s}.mentions WHERE story = %(story)s AND surface_key = %(key)s AND chapter <= %(at)s"
            " AND recorded @> %(believed)s::bigint"
        )
        return {row[0] for row in self._rows(query, {"story": story, "key": key, "at": at, "believed": believed})}

    def exists(self, story: str, entity: str, at: int, believed: int) -> bool:
        return entity in self.display_names(story, [entity], at, believed)

    def all_names(self, story: str, at: int, believed: int) -> list[str]:
        """Every name and alias in use, each once, in order."""
        query = (
            "SELECT name FROM {s}.names WHERE story = %(story)s AND chapter <= %(at)s"
            " AND recorded @> %(believed)s::bigint UNION SELECT surface FROM {s}.mentions WHERE story = %(story)s AND chapter <= %(at)s"
            " AND recorded @> %(believed)s::bigint ORDER BY 1"
        )
        return [row[0] for row in self._rows(query, {"story": story, "at": at, "believed": believed})]

    def names_of(self, story: str, entities: Sequence[str], at: int, believed: int) -> list[str]:
        """The names and aliases given to the entities, in story order, each once."""
        query = (
            "SELECT name FROM {s}.names WHERE story = %(story)s AND entity = ANY(%(entities)s) AND chapter <= %(at)s"
            " AND recorded @> %(believed)s::bigint ORDER BY chapter, scene, start, ordinal, uid, rank"
        )
        parameters = {"story": story, "entities": list(entities), "at": at, "believed": believed}
        return list(dict.fromkeys(row[0] for row in self._rows(query, parameters)))

    def introductions(self, story: str, entities: Sequence[str], at: int, believed: int) -> list[Introduction]:
        """The live `entity` records of the entities, in story order."""
        query = (
            "SELECT m.entity, r.body FROM {s}.mentions m JOIN {s}.records r"
            " ON r.story = m.story AND r.uid = m.uid AND r.recorded @> %(believed)s::bigint"
            " WHERE m.story = %(story)s AND m.entity = ANY(%(entities)s) AND m.introduces AND m.chapter <= %(at)s"
            " AND m.recorded @> %(believed)s::bigint ORDER BY m.chapter, m.scene, m.start, m.ordinal, m.uid"
        )
        parameters = {"story": story, "entities": list(entities), "at": at, "believed": believed}
        return [Introduction(entity, read_body(body).payload) for entity, body in self._rows(query, parameters)]

    def edges(self, story: str, entities: Sequence[str], at: int, believed: int) -> list[EdgeRow]:
        """The edges that begin or end at one of the entities, in story order."""
        query = (
            "SELECT source, target, type, label, polarity, modality, record, chapter, revision, evidence FROM {s}.edges"
            " WHERE story = %(story)s AND (source = ANY(%(entities)s) OR target = ANY(%(entities)s))"
            " AND chapter <= %(at)s AND recorded @> %(believed)s::bigint"
            " ORDER BY chapter, scene, start, ordinal, uid, source, target, type"
        )
        parameters = {"story": story, "entities": list(entities), "at": at, "believed": believed}
        return [
            EdgeRow(s, t, kind, label, polarity, modality, record, chapter, revision, spans(flat))
            for s, t, kind, label, polarity, modality, record, chapter, revision, flat in self._rows(query, parameters)
        ]
