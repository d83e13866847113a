"""Candidates from the live index, for whoever has read as far as it has."""

from __future__ import annotations

import time
from typing import Any, Final, TypeAlias

from psycopg import Connection
from psycopg_pool import ConnectionPool

from projections import progress
from projections.search.errors import ElasticsearchUnavailable, IndexBehind
from projections.search.index import ElasticsearchIndices
from projections.search.projection import READ_MODEL

Pool: TypeAlias = ConnectionPool[Connection[Any]]

_PAUSE: Final = 10.0
"""Seconds for which a server that did not answer is not asked again: reading must not wait for it each time."""


class ElasticsearchCandidates:
    """The passages that have a term of a question, by Elasticsearch."""

    name = "elasticsearch"

    def __init__(self, indices: ElasticsearchIndices, pool: Pool) -> None:
        self._indices = indices
        self._pool = pool
        self._paused_until = 0.0

    def find(self, story: str, at: int, position: int, terms: list[str]) -> set[tuple[int, int]] | None:
        """See `LexicalIndex.find`. Raises `IndexBehind`, `ElasticsearchUnavailable`."""
        if time.monotonic() < self._paused_until:
            raise ElasticsearchUnavailable("searching", "it did not answer a moment ago")
        with self._pool.connection() as conn:
            live = progress.live(conn, [READ_MODEL]).get(READ_MODEL)
        if live is None or live.position < position:
            raise IndexBehind(position)
        try:
            return self._indices.find(self._indices.name(live.schema), story, at, position, terms)
        except ElasticsearchUnavailable:
            self._paused_until = time.monotonic() + _PAUSE
            raise
