"""Links between entities as rows: what makes two one, and from which position to which that was believed."""

from __future__ import annotations

from events.domain_events import EntityLinked, EntityLinkEvent, EntityUnlinked
from projections.facets import Row, insert, since
from projections.projection import Conn

LINK_COLUMNS = ("story", "recorded", "a", "b", "origin", "chapter", "rank", "record")


def link_row(event: EntityLinkEvent, recorded: str) -> Row:
    """The row of a link that was believed in a range of positions."""
    return (event.story, recorded, event.a, event.b, event.origin, event.chapter, event.rank, event.record)


def store_link(conn: Conn, event: EntityLinkEvent, position: int) -> None:
    """Open the row of a link, or close that of one that was taken back."""
    match event:
        case EntityLinked():
            insert(conn, "links", LINK_COLUMNS, [link_row(event, since(position))])
        case EntityUnlinked():
            conn.execute(
                "UPDATE links SET recorded = int8range(lower(recorded), %s) WHERE story = %s AND a = %s AND b = %s"
                " AND origin = %s AND chapter = %s AND rank = %s AND upper_inf(recorded)",
                (position, event.story, event.a, event.b, event.origin, event.chapter, event.rank),
            )
