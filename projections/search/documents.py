"""The documents of the lexical index, and how its fields are indexed.

A document is a passage or a record as it stood from position `recorded_from` up to (not including) `recorded_to`, so a query
can ask for a belief as well as for a chapter. A closed document stays: what was believed can still be found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from psycopg import Connection

from projections.search.analysis import terms
from projections.search.bulk import Operation

OPEN: Final = 2**63 - 1
"""`recorded_to` of what is still believed."""

MAPPINGS: Final[dict[str, Any]] = {
    "dynamic": "strict",
    "properties": {
        "of": {"type": "keyword"},  # passage or record
        "story": {"type": "keyword"},
        "chapter": {"type": "integer"},
        "revision": {"type": "integer"},
        "start": {"type": "integer"},
        "end": {"type": "integer"},
        "record": {"type": "keyword"},
        "kind": {"type": "keyword"},
        "recorded_from": {"type": "long"},
        "recorded_to": {"type": "long"},
        # what BM25 over a slice matches by: filtering on it finds exactly the passages that can score
        "terms": {"type": "keyword", "norms": False, "doc_values": False},
        "text": {"type": "text", "analyzer": "english", "fields": {"exact": {"type": "text", "analyzer": "standard"}}},
    },
}
SETTINGS: Final[dict[str, Any]] = {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1"}

# a row is changed by the batch if it was opened or closed in it
_CHANGED: Final = (
    "story = ANY(%(stories)s) AND chapter = ANY(%(chapters)s) AND NOT isempty(recorded)"
    " AND (lower(recorded) >= %(first)s OR upper(recorded) >= %(first)s)"
)
_PASSAGES: Final = (
    "SELECT story, chapter, revision, ordinal, start_at, end_at, text, lower(recorded), upper(recorded) FROM passages WHERE "
    + _CHANGED
    + " ORDER BY story, chapter, revision, ordinal"
)
_RECORDS: Final = (
    "SELECT story, chapter, revision, uid, start_at, evidence, text, lower(recorded), upper(recorded), name, kind FROM records WHERE "
    + _CHANGED
    + " ORDER BY story, chapter, uid, seen"
)


def changed(conn: Connection[Any], stories: Sequence[str], chapters: Sequence[int], first: int) -> Iterator[Operation]:
    """The documents of the rows that were opened or closed at position `first` or later."""
    parameters = {"stories": list(stories), "chapters": list(chapters), "first": first}
    for row in conn.execute(_PASSAGES, parameters):
        story, chapter, revision, ordinal, start, end, text, recorded_from, recorded_to = row
        place = {"of": "passage", "story": story, "chapter": chapter, "revision": revision, "start": start, "end": end}
        yield _operation(["p", story, chapter, revision, ordinal], place, text, recorded_from, recorded_to)
    for row in conn.execute(_RECORDS, parameters):
        story, chapter, revision, uid, start, evidence, text, recorded_from, recorded_to, name, kind = row
        end = max((span[1] for span in evidence), default=start)
        place = {"of": "record", "story": story, "chapter": chapter, "revision": revision, "start": start, "end": end}
        named = {**place, "record": name, "kind": kind}
        yield _operation(["r", story, uid, recorded_from], named, text, recorded_from, recorded_to)


def _operation(
    key: list[Any], place: dict[str, Any], text: str, recorded_from: int, recorded_to: int | None
) -> Operation:
    body = {
        **place,
        "text": text,
        "terms": sorted(set(terms(text))),
        "recorded_from": recorded_from,
        "recorded_to": OPEN if recorded_to is None else recorded_to,
    }
    version = recorded_from if recorded_to is None else recorded_to
    return Operation(document_id(key), version, body)


def document_id(key: Sequence[Any]) -> str:
    """An id of bounded length for whatever a story or a record is called (Elasticsearch takes 512 bytes)."""
    return hashlib.sha256(repr(list(key)).encode()).hexdigest()[:40]
