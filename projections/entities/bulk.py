"""The entities of a whole log or of a batch at once, folded in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from events.domain_events import EntityLinked, EntityLinkEvent, EntityUnlinked, Recorded
from projections.entities.links import LINK_COLUMNS, LINK_KEY, link_row
from projections.facets import Facet, since
from projections.following import following, story_batches
from projections.parts import StoryPart
from projections.projection import Conn
from projections.rebuilding import FLUSH_AT
from projections.record_fold import RecordFold
from projections.record_fold import until as ended
from projections.stored_publications import StoredPublication, stored_publications
from projections.tables import Tables
from projections.watched_log import Source

_Link: TypeAlias = tuple[str, str, str, int, int]


def fill(tables: Tables, facets: Sequence[Facet], log: Source, of: StoryPart, until: int) -> None:
    """Append the rows of a part of a story, up to and including a position."""
    records, links = RecordFold(of.story, facets, tables), LinkFold(tables)
    for publication in stored_publications(log, of, until):
        records.take(publication.events, publication.last_position, publication.asserted)
        links.take(publication.events, publication.last_position)
        tables.flush(at_least=FLUSH_AT)
    records.finish()
    links.finish()


def follow(conn: Conn, facets: Sequence[Facet], batch: Sequence[StoredPublication]) -> None:
    """Bring the tables up to date by a batch of whole publications."""
    with following(conn) as tables:
        for one in story_batches(conn, batch):
            records, links = RecordFold(one.story, facets, tables, one.heads), LinkFold(tables)
            for publication in one.publications:
                records.take(publication.events, publication.last_position, publication.asserted)
                links.take(publication.events, publication.last_position)
            records.finish()
            links.finish()


class LinkFold:
    """The links of one story, followed from publication to publication."""

    def __init__(self, tables: Tables) -> None:
        self._writing = tables
        self._table = tables.table("links", LINK_COLUMNS, LINK_KEY)
        self._open: dict[_Link, tuple[EntityLinkEvent, int]] = {}

    def take(self, events: Sequence[Recorded], position: int) -> None:
        """What a publication that ends at `position` changed."""
        for recorded in events:
            match recorded.event:
                case EntityLinked() as event:
                    self._open[_link(event)] = (event, position)
                case EntityUnlinked() as event if _link(event) in self._open:
                    linked, start = self._open.pop(_link(event))
                    if start < position:
                        self._table.rows.append(link_row(linked, ended(start, position)))
                case EntityUnlinked() as event:
                    self._writing.end(self._table, position, event.story, *_link(event))

    def finish(self) -> None:
        """Write the links that still hold."""
        self._table.rows.extend(link_row(event, since(start)) for event, start in self._open.values())


def _link(event: EntityLinkEvent) -> _Link:
    return (event.a, event.b, event.origin, event.chapter, event.rank)
