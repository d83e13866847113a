"""Erasing the words of chapter revisions from a read model of passages and record texts, as if it had been built without.

What the records say stays, and with it what was believed; passages go, and records lose what they quoted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from psycopg import Connection

from projections.words.material import hash_of
from projections.words.verbalising import record_text

Revisions = Collection[tuple[int, int]]
"""(chapter, revision) of one story."""

_OF_REVISIONS: Final = (
    "story = %(story)s AND (chapter, revision) IN"
    " (SELECT * FROM unnest(%(chapters)s::integer[], %(revisions)s::integer[]))"
)
_HASHES: Final = (
    f"SELECT text_hash FROM passages WHERE {_OF_REVISIONS} UNION SELECT text_hash FROM records WHERE {_OF_REVISIONS}"
)
_STATED: Final = f"SELECT uid, seen, kind, payload FROM records WHERE {_OF_REVISIONS}"
_RESTATE: Final = (
    "UPDATE records SET text = %(text)s, text_hash = %(hash)s, vector = (SELECT v.vector FROM embeddings.vectors v"
    " WHERE v.embedder = %(embedder)s AND v.text_hash = %(hash)s) WHERE story = %(story)s AND uid = %(uid)s AND seen = %(seen)s"
)
_RESTATE_PLAINLY: Final = (
    "UPDATE records SET text = %(text)s, text_hash = %(hash)s, vector = NULL"
    " WHERE story = %(story)s AND uid = %(uid)s AND seen = %(seen)s"
)


def has_words(conn: Connection[Any], schema: str) -> bool:
    """Whether the schema is that of a read model of passages and record texts."""
    row = conn.execute(
        "SELECT count(*) FROM information_schema.columns WHERE table_schema = %s AND column_name = 'text_hash'"
        " AND table_name IN ('passages', 'records')",
        (schema,),
    ).fetchone()
    return row is not None and row[0] == 2


def without_quotes(conn: Connection[Any], story: str, revisions: Revisions) -> dict[bytes, str]:
    """The texts (by hash) that the records of these revisions have without their quotes. The connection uses the schema."""
    rows = conn.execute(_STATED, _parameters(story, revisions)).fetchall()
    return {hash_of(said): said for said in (record_text(kind, payload, []) for _, _, kind, payload in rows)}


def erase(conn: Connection[Any], story: str, revisions: Revisions, embedder: str | None) -> set[bytes]:
    """Take the words of these revisions out; the hashes of the texts that were there. The connection uses the schema.

    With `embedder` the records get the vectors of their new texts from the cache, where they have to be by now.
    """
    parameters = _parameters(story, revisions)
    gone = {bytes(row[0]) for row in conn.execute(_HASHES, parameters)}
    conn.execute(f"DELETE FROM passages WHERE {_OF_REVISIONS}", parameters)
    restated = []
    for uid, seen, kind, payload in conn.execute(_STATED, parameters).fetchall():
        said = record_text(kind, payload, [])
        restated.append({"story": story, "uid": uid, "seen": seen, "text": said, "hash": hash_of(said)})
    with conn.cursor() as cursor:
        if embedder is None:
            cursor.executemany(_RESTATE_PLAINLY, restated)
        else:
            cursor.executemany(_RESTATE, [{**each, "embedder": embedder} for each in restated])
    return gone - {each["hash"] for each in restated}


def still_there(conn: Connection[Any], hashes: Collection[bytes]) -> set[bytes]:
    """Which of these texts some row has. The connection uses the schema."""
    rows = conn.execute(
        "SELECT text_hash FROM passages WHERE text_hash = ANY(%(hashes)s)"
        " UNION SELECT text_hash FROM records WHERE text_hash = ANY(%(hashes)s)",
        {"hashes": list(hashes)},
    )
    return {bytes(row[0]) for row in rows}


def _parameters(story: str, revisions: Revisions) -> Mapping[str, Any]:
    return {
        "story": story,
        "chapters": [chapter for chapter, _ in revisions],
        "revisions": [revision for _, revision in revisions],
    }
