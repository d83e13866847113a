"""The timeline as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from events.domain_events import Recorded
from projections import rebuilding, record_versions
from projections.following import follow_records
from projections.parts import Part, StoryPart
from projections.projection import Conn, Log
from projections.rebuilding import FLUSH_AT
from projections.record_fold import RecordFold
from projections.record_versions import RECORDS
from projections.stored_publications import StoredPublication, of_events, stored_publications
from projections.tables import Tables
from projections.timeline.fold import APPEARANCES
from projections.watched_log import Source

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
        self.follow(conn, of_events(batch))

    def follow(self, conn: Conn, batch: Sequence[StoredPublication]) -> None:
        """Bring the tables up to date by a batch of whole publications."""
        follow_records(conn, FACETS, batch)

    def rebuild(self, conn: Conn, log: Log, until: int) -> None:
        """Fill the empty tables with everything up to and including a position."""
        rebuilding.rebuild(conn, log, self, until)

    def fill(self, tables: Tables, log: Source, of: StoryPart, until: int) -> None:
        """Append the rows of a part of a story, up to and including a position."""
        fold = RecordFold(of.story, FACETS, tables)
        for publication in stored_publications(log, of, until):
            fold.take(publication.events, publication.last_position, publication.asserted)
            tables.flush(at_least=FLUSH_AT)
        fold.finish()

    def derive(self, conn: Conn, tables: Tables, part: Part, check: Callable[[], None]) -> None:
        """Nothing follows from the rows but what they say."""
