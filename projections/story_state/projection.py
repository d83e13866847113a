"""The story state as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from events.domain_events import Recorded
from projections import rebuilding, record_versions
from projections.parts import Part, StoryPart
from projections.projection import Conn, Log
from projections.stored_publications import StoredPublication, of_events
from projections.story_state import batches, bulk
from projections.tables import Tables
from projections.watched_log import Source

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
        self.follow(conn, of_events(batch))

    def follow(self, conn: Conn, batch: Sequence[StoredPublication]) -> None:
        """Bring the tables up to date by a batch of whole publications."""
        batches.follow(conn, batch)

    def rebuild(self, conn: Conn, log: Log, until: int) -> None:
        """Fill the empty tables with everything up to and including a position."""
        rebuilding.rebuild(conn, log, self, until)

    def fill(self, tables: Tables, log: Source, of: StoryPart, until: int) -> None:
        """Append the rows of a part of a story, up to and including a position."""
        bulk.fill(tables, log, of, until)

    def derive(self, conn: Conn, tables: Tables, part: Part, check: Callable[[], None]) -> None:
        """Append the intervals of a part of the keys, from the assertions that are in the tables."""
        bulk.derive(conn, tables, part, check)
