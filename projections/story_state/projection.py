"""The story state as a projection: what the runner creates and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from events.domain_events import Recorded
from projections import record_versions
from projections.facets import facet_changes, store
from projections.projection import Conn, Log
from projections.publications import PublicationEvents, publications
from projections.record_versions import RECORDS
from projections.record_view import changes, record_uids
from projections.story_state import bulk
from projections.story_state.assertions import ASSERTIONS, entities_of_keys
from projections.story_state.store import key_changes, refold_keys, store_key_entities, store_publication

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
        for publication in publications(batch):
            self._apply(conn, publication)

    def rebuild(self, conn: Conn, log: Log, until: int) -> None:
        """Fill the empty tables with everything up to and including a position."""
        bulk.rebuild(conn, log, until)

    def _apply(self, conn: Conn, publication: PublicationEvents) -> None:
        story, position = publication.story, publication.last_position
        store_publication(conn, publication)
        heads = record_versions.heads(conn, story, record_uids(publication.events))
        changed = changes(heads, (recorded.event for recorded in publication.events))
        store(conn, RECORDS, story, position, facet_changes(RECORDS, changed))
        asserted = facet_changes(ASSERTIONS, changed)
        store(conn, ASSERTIONS, story, position, asserted)
        store_key_entities(conn, story, list(entities_of_keys([c.after for c in changed if c.after.live])))
        refold_keys(conn, story, position, key_changes(asserted))
