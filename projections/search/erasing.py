"""Erasing the words of chapter revisions from the lexical documents: the rows in PostgreSQL, and the index made of them."""

from __future__ import annotations

from typing import Any

from psycopg import Connection

from projections.search.bulk import Backoff, Operation, write
from projections.search.documents import changed
from projections.search.index import ElasticsearchIndices
from projections.words import erasing
from projections.words.erasing import Revisions


def erase(
    conn: Connection[Any],
    schema: str,
    indices: ElasticsearchIndices,
    story: str,
    revisions: Revisions,
    backoff: Backoff,
) -> set[bytes]:
    """See `projections.words.erasing.erase`. The index is written before the transaction of the rows commits.

    Raises `ElasticsearchUnavailable`, `BulkRejected`: then nothing is committed, and the same may be asked for again.
    """
    before = _documents(conn, story, revisions)
    gone = erasing.erase(conn, story, revisions, None)
    after = _documents(conn, story, revisions)
    # a version above the last one: a write of it that is still under way cannot bring the words back
    operations = [
        Operation(name, each.version + 1, after[name].body if name in after else None) for name, each in before.items()
    ]
    index = indices.name(schema)
    if operations and indices.exists(index):
        write(indices, index, operations, backoff)
        indices.refresh(index)
    return gone


def _documents(conn: Connection[Any], story: str, revisions: Revisions) -> dict[str, Operation]:
    chapters = sorted({chapter for chapter, _ in revisions})
    wanted = set(revisions)
    return {
        each.id: each
        for each in changed(conn, [story], chapters, 0)
        if each.body is not None and (each.body["chapter"], each.body["revision"]) in wanted
    }
