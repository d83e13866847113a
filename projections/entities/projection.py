"""The entities as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from projections.entities import bulk
from projections.entities.fold import EDGES, MENTIONS, NAMES
from projections.parts import StoryPart
from projections.projection import Conn
from projections.record_read_model import RecordReadModel
from projections.record_versions import RECORDS
from projections.stored_publications import StoredPublication
from projections.tables import Tables
from projections.watched_log import Source

NAME = "entities"
FACETS = (RECORDS, MENTIONS, NAMES, EDGES)


class Entities(RecordReadModel):
    """Mentions, names, links and edges of every story."""

    name = NAME
    version = 3
    folder = Path(__file__).parent

    def follow(self, conn: Conn, batch: Sequence[StoredPublication]) -> None:
        bulk.follow(conn, FACETS, batch)

    def fill(self, tables: Tables, log: Source, of: StoryPart, until: int) -> None:
        bulk.fill(tables, FACETS, log, of, until)
