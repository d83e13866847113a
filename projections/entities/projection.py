"""The entities as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from events.domain_events import EntityLinked, EntityLinkEvent, EntityUnlinked, Recorded
from projections import record_versions
from projections.entities.fold import EDGES, MENTIONS, NAMES
from projections.facets import facet_changes, insert, since, store
from projections.projection import Conn
from projections.publications import PublicationEvents, publications
from projections.record_versions import RECORDS
from projections.record_view import changes, record_uids

NAME = "entities"
_FOLDER = Path(__file__).parent
SCHEMA_SQL = (_FOLDER / "schema.sql").read_text(encoding="utf-8")
INDEX_SQL = (_FOLDER / "indexes.sql").read_text(encoding="utf-8")
FACETS = (RECORDS, MENTIONS, NAMES, EDGES)
LINK_COLUMNS = ("story", "recorded", "a", "b", "origin", "chapter", "rank", "record")


class Entities:
    """Mentions, names, links and edges of every story."""

    name = NAME
    version = 1

    def create(self, conn: Conn) -> None:
        for statements in (record_versions.TABLE_SQL, SCHEMA_SQL, record_versions.INDEX_SQL, INDEX_SQL):
            conn.execute(statements.encode())

    def apply(self, conn: Conn, batch: Sequence[Recorded]) -> None:
        for publication in publications(batch):
            self._apply(conn, publication)

    def _apply(self, conn: Conn, publication: PublicationEvents) -> None:
        story, position = publication.story, publication.last_position
        heads = record_versions.heads(conn, story, record_uids(publication.events))
        changed = changes(heads, (recorded.event for recorded in publication.events))
        for facet in FACETS:
            store(conn, facet, story, position, facet_changes(facet, changed))
        for recorded in publication.events:
            if isinstance(recorded.event, EntityLinkEvent):
                _store_link(conn, recorded.event, position)


def link_row(event: EntityLinkEvent, position: int) -> tuple[str | int | None, ...]:
    return (event.story, since(position), event.a, event.b, event.origin, event.chapter, event.rank, event.record)


def _store_link(conn: Conn, event: EntityLinkEvent, position: int) -> None:
    match event:
        case EntityLinked():
            insert(conn, "links", LINK_COLUMNS, [link_row(event, position)])
        case EntityUnlinked():
            conn.execute(
                "UPDATE links SET recorded = int8range(lower(recorded), %s) WHERE story = %s AND a = %s AND b = %s"
                " AND origin = %s AND chapter = %s AND rank = %s AND upper_inf(recorded)",
                (position, event.story, event.a, event.b, event.origin, event.chapter, event.rank),
            )
