"""The story state as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from projections.parts import Part, StoryPart
from projections.projection import Conn
from projections.record_read_model import RecordReadModel
from projections.stored_publications import StoredPublication
from projections.story_state import batches, bulk
from projections.tables import Tables
from projections.watched_log import Source

NAME = "story_state"


class StoryState(RecordReadModel):
    """Records, assertions and intervals of every story, with chapters' revisions and checkpoints."""

    name = NAME
    version = 3
    folder = Path(__file__).parent

    def follow(self, conn: Conn, batch: Sequence[StoredPublication]) -> None:
        batches.follow(conn, batch)

    def fill(self, tables: Tables, log: Source, of: StoryPart, until: int) -> None:
        bulk.fill(tables, log, of, until)

    def derive(self, conn: Conn, tables: Tables, part: Part, stories: Sequence[str], check: Callable[[], None]) -> None:
        """Append the intervals of a part of the keys, from the assertions that are in the tables."""
        bulk.derive(conn, tables, part, stories, check)
