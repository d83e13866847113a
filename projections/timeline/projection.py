"""The timeline as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from events.domain_events import Recorded
from projections import record_versions
from projections.facets import facet_changes, store
from projections.projection import Conn, Log
from projections.publications import publications
from projections.rebuilding import FLUSH_AT, RecordFold, filling, publications_of
from projections.record_versions import RECORDS
from projections.record_view import changes, record_uids
from projections.timeline.fold import APPEARANCES

NAME = "timeline"
_FOLDER = Path(__file__).parent
SCHEMA_SQL = (_FOLDER / "schema.sql").read_text(encoding="utf-8")
INDEX_SQL = (_FOLDER / "indexes.sql").read_text(encoding="utf-8")
FACETS = (RECORDS, APPEARANCES)


class Timeline:
    """Appearances of every story's entities."""

    name = NAME
    version = 1

    def create(self, conn: Conn) -> None:
        for statements in (record_versions.TABLE_SQL, SCHEMA_SQL, record_versions.INDEX_SQL, INDEX_SQL):
            conn.execute(statements.encode())

    def apply(self, conn: Conn, batch: Sequence[Recorded]) -> None:
        for publication in publications(batch):
            story, position = publication.story, publication.last_position
            heads = record_versions.heads(conn, story, record_uids(publication.events))
            changed = changes(heads, (recorded.event for recorded in publication.events))
            for facet in FACETS:
                store(conn, facet, story, position, facet_changes(facet, changed))

    def rebuild(self, conn: Conn, log: Log, until: int) -> None:
        """Fill the empty tables with everything up to and including a position."""
        with filling(conn) as tables:
            for story in log.stories():
                fold = RecordFold(story, FACETS, tables)
                for publication in publications_of(log, story, until):
                    fold.take(publication)
                    tables.flush(at_least=FLUSH_AT)
                fold.finish()
