"""The read model of lexical documents: rows in PostgreSQL, as the passages have them, and the index made of them.

The rows say what a document is when it changes, since an external version replaces a document as a whole. The index is
written before the transaction of the rows commits: if that fails, the same documents come again with the same versions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import Connection

from events.domain_events import Recorded
from projections import progress
from projections.search.bulk import Backoff, Operation, write
from projections.search.documents import OPEN, changed
from projections.search.errors import IndexGone
from projections.search.index import ElasticsearchIndices
from projections.words import fold
from projections.words.fold import purge, text_hashes
from projections.words.material import TextSource, material, referenced

READ_MODEL = "search"
PATIENT = Backoff()


class SearchProjection:
    """Passages and records of every story in Elasticsearch. A server that is down stalls this read model and no other."""

    name = READ_MODEL
    version = 1

    def __init__(self, texts: TextSource, indices: ElasticsearchIndices, *, backoff: Backoff = PATIENT) -> None:
        self._texts = texts
        self._indices = indices
        self._backoff = backoff
        self._aliased: str | None = None

    def create(self, conn: Connection[Any]) -> None:
        conn.execute(fold.schema())
        conn.execute("CREATE TABLE index_made (name text PRIMARY KEY)")

    def apply(self, conn: Connection[Any], batch: Sequence[Recorded]) -> None:
        words = material(batch, self._texts, text_hashes(conn, referenced(batch)))
        fold.write(conn, batch, words, None)
        stories = sorted({r.event.story for r in batch})
        chapters = sorted({r.event.chapter for r in batch})
        index = self._made(conn)
        write(self._indices, index, changed(conn, stories, chapters, batch[0].position), self._backoff)
        self._indices.refresh(index)
        self._point_alias(conn, index)

    def purge(self, conn: Connection[Any], story: str, chapter: int) -> int:
        """Erases the superseded documents of a chapter, and their rows: how many rows. What was believed is lost."""
        index = self._made(conn)
        # a version above the last one: a write of it that is still under way cannot bring the document back
        gone = [
            Operation(each.id, each.version + 1, None)
            for each in changed(conn, [story], [chapter], 0)
            if each.body is not None and each.body["recorded_to"] != OPEN
        ]
        write(self._indices, index, gone, self._backoff)
        self._indices.refresh(index)
        return len(purge(conn, story, chapter))

    def _made(self, conn: Connection[Any]) -> str:
        """The index of this version, made with the first batch: a server that is down must not keep the runner from starting."""
        index = self._indices.name(_schema(conn))
        if conn.execute("SELECT FROM index_made").fetchone() is None:
            self._indices.create(index)
            conn.execute("INSERT INTO index_made VALUES (%s)", [index])
        elif not self._indices.exists(index):
            raise IndexGone(index)
        return index

    def _point_alias(self, conn: Connection[Any], index: str) -> None:
        """The alias follows the live version; what is left of versions that are gone goes too."""
        if self._aliased == index:
            return
        versions = [row for row in progress.all_versions(conn) if row.name == self.name]
        if any(row.live and self._indices.name(row.schema) == index for row in versions):
            self._indices.point_alias(index, {self._indices.name(row.schema) for row in versions})
            self._aliased = index


def _schema(conn: Connection[Any]) -> str:
    row = conn.execute("SELECT current_schema()").fetchone()
    assert row is not None
    return str(row[0])
