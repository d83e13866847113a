"""The timeline as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from projections.following import follow_records
from projections.parts import StoryPart
from projections.projection import Conn
from projections.rebuilding import FLUSH_AT
from projections.record_fold import RecordFold
from projections.record_read_model import RecordReadModel
from projections.record_versions import RECORDS
from projections.stored_publications import StoredPublication, stored_publications
from projections.tables import Tables
from projections.timeline.fold import APPEARANCES
from projections.watched_log import Source

NAME = "timeline"
FACETS = (RECORDS, APPEARANCES)


class Timeline(RecordReadModel):
    """Appearances of every story's entities."""

    name = NAME
    version = 3
    folder = Path(__file__).parent

    def follow(self, conn: Conn, batch: Sequence[StoredPublication]) -> None:
        follow_records(conn, FACETS, batch)

    def fill(self, tables: Tables, log: Source, of: StoryPart, until: int) -> None:
        fold = RecordFold(of.story, FACETS, tables)
        for publication in stored_publications(log, of, until):
            fold.take(publication.events, publication.last_position, publication.asserted)
            tables.flush(at_least=FLUSH_AT)
        fold.finish()
