"""What the read models made of records have in common: the table of records, and three ways to the same rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from events.domain_events import Recorded
from projections import rebuilding, record_versions
from projections.parts import Part, StoryPart
from projections.projection import Conn, Log
from projections.stored_publications import StoredPublication, of_events
from projections.tables import Tables
from projections.watched_log import Source


class RecordReadModel(ABC):
    """A read model of which no row depends on two stories. `folder` has its `schema.sql` and `indexes.sql`."""

    name: ClassVar[str]
    version: ClassVar[int]
    folder: ClassVar[Path]

    def create(self, conn: Conn) -> None:
        """Make the tables."""
        schema, indexes = ((self.folder / name).read_text("utf-8") for name in ("schema.sql", "indexes.sql"))
        for statements in (record_versions.TABLE_SQL, schema, record_versions.INDEX_SQL, indexes):
            conn.execute(statements.encode())

    def apply(self, conn: Conn, batch: Sequence[Recorded]) -> None:
        """Bring the tables up to date by the events of whole publications."""
        self.follow(conn, of_events(batch))

    @abstractmethod
    def follow(self, conn: Conn, batch: Sequence[StoredPublication]) -> None:
        """Bring the tables up to date by a batch of whole publications."""

    def rebuild(self, conn: Conn, log: Log, until: int) -> None:
        """Fill the empty tables with everything up to and including a position."""
        rebuilding.rebuild(conn, log, self, until)

    @abstractmethod
    def fill(self, tables: Tables, log: Source, of: StoryPart, until: int) -> None:
        """Append the rows of a part of a story, up to and including a position."""

    def derive(  # noqa: B027 - most have nothing to do
        self, conn: Conn, tables: Tables, part: Part, stories: Sequence[str], check: Callable[[], None]
    ) -> None:
        """Append a part of what follows from the rows of all parts of stories that were not filled with their keys."""
