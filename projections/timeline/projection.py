"""The timeline as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from events.domain_events import Recorded
from projections import record_versions
from projections.following import follow_records
from projections.projection import Conn, Log
from projections.rebuilding import FLUSH_AT, filling, publications_of
from projections.record_fold import RecordFold
from projections.record_versions import RECORDS
from projections.tables import Tables
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
        follow_records(conn, FACETS, batch)

    def rebuild(self, conn: Conn, log: Log, until: int) -> None:
        """Fill the empty tables with everything up to and including a position."""
        with filling(conn) as tables:
            for story in log.stories():
                self.fill(tables, log, story, until)

    def fill(self, tables: Tables, log: Log, story: str, until: int) -> None:
        """Append the rows of one story, up to and including a position."""
        fold = RecordFold(story, FACETS, tables)
        for publication in publications_of(log, story, until):
            fold.take(publication)
            tables.flush(at_least=FLUSH_AT)
        fold.finish()
