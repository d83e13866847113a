"""The story state as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from events.domain_events import Recorded
from projections import record_versions
from projections.projection import Conn, Log
from projections.rebuilding import filling
from projections.story_state import batches, bulk
from projections.tables import Tables

NAME = "story_state"
_FOLDER = Path(__file__).parent
SCHEMA_SQL = (_FOLDER / "schema.sql").read_text(encoding="utf-8")
INDEX_SQL = (_FOLDER / "indexes.sql").read_text(encoding="utf-8")


class StoryState:
    """Records, assertions and intervals of every story, with chapters' revisions and checkpoints."""

    name = NAME
    version = 1

    def create(self, conn: Conn) -> None:
        for statements in (record_versions.TABLE_SQL, SCHEMA_SQL, record_versions.INDEX_SQL, INDEX_SQL):
            conn.execute(statements.encode())

    def apply(self, conn: Conn, batch: Sequence[Recorded]) -> None:
        batches.apply(conn, batch)

    def rebuild(self, conn: Conn, log: Log, until: int) -> None:
        """Fill the empty tables with everything up to and including a position."""
        with filling(conn) as tables:
            for story in log.stories():
                self.fill(tables, log, story, until)

    def fill(self, tables: Tables, log: Log, story: str, until: int) -> None:
        """Append the rows of one story, up to and including a position."""
        bulk.fill(tables, log, story, until)
