"""Vectors by (embedder, hash of the text): known texts never reach the model again, not even when read models are rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from struct import pack
from typing import Any, Final, TypeAlias

import numpy as np
import orjson
from psycopg import Connection
from psycopg.errors import UniqueViolation
from psycopg_pool import ConnectionPool

from projections.embedding import Embedder, Vectors

Pool: TypeAlias = ConnectionPool[Connection[Any]]

DIMENSIONS: Final = 384
BATCH: Final = 256
"""Texts a model call: each batch is kept when it is done, so an interruption costs one batch."""

_LOCK: Final = 0x666162756C61_01  # any number of our own
_SCHEMA: Final = """
CREATE SCHEMA IF NOT EXISTS embeddings;
CREATE TABLE IF NOT EXISTS embeddings.vectors (
    embedder text NOT NULL,
    text_hash bytea NOT NULL,
    vector public.vector NOT NULL,
    PRIMARY KEY (embedder, text_hash)
)
"""


_COPY: Final = "COPY embeddings.vectors (embedder, text_hash, vector) FROM STDIN (FORMAT BINARY)"
_INSERT: Final = "INSERT INTO embeddings.vectors VALUES (%s, %s, %s::public.vector) ON CONFLICT DO NOTHING"


class VectorCache:
    """The vectors of one embedder. Every write is a short transaction of its own, outside the caller's."""

    def __init__(self, pool: Pool, embedder: Embedder) -> None:
        if embedder.dimensions != DIMENSIONS:
            raise ValueError(
                f"the embedder {embedder.name!r} has {embedder.dimensions} dimensions; the read models hold vectors of {DIMENSIONS}"
            )
        self.embedder = embedder
        self._pool = pool
        self._created = False

    def ensure(self, texts: Mapping[bytes, str]) -> int:
        """Computes and keeps what is missing of `texts` (hash: text); how many that were."""
        self._create()
        missing = self._missing(sorted(texts))
        for batch in _batches(missing):
            vectors = self.embedder.embed([texts[key] for key in batch])
            self._keep(batch, vectors)
        return len(missing)

    def forget(self, hashes: Iterable[bytes]) -> None:
        """Removes vectors whose texts are erased."""
        self._create()
        with self._pool.connection() as conn:
            conn.execute("DELETE FROM embeddings.vectors WHERE text_hash = ANY(%s)", [list(hashes)])

    def _missing(self, hashes: list[bytes]) -> list[bytes]:
        if not hashes:
            return []
        with self._pool.connection() as conn:
            known = conn.execute(
                "SELECT text_hash FROM embeddings.vectors WHERE embedder = %s AND text_hash = ANY(%s)",
                [self.embedder.name, hashes],
            ).fetchall()
        present = {bytes(row[0]) for row in known}
        return [key for key in hashes if key not in present]

    def _keep(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        with self._pool.connection() as conn:
            try:
                with conn.transaction(), conn.cursor() as cursor, cursor.copy(_COPY) as copy:
                    copy.write(_copied(self.embedder.name, keys, vectors))
            except UniqueViolation:  # another process computed some of them meanwhile
                rows = [(self.embedder.name, key, written(vector)) for key, vector in zip(keys, vectors, strict=True)]
                conn.cursor().executemany(_INSERT, rows)

    def _create(self) -> None:
        if self._created:
            return
        with self._pool.connection() as conn:
            conn.execute(
                "SELECT pg_advisory_xact_lock(%s)", [_LOCK]
            )  # two creators at once would collide in the catalogue
            conn.execute(_SCHEMA)
        self._created = True


def written(vector: Vectors) -> str:
    """A vector in pgvector's notation; every float32 survives it."""
    return orjson.dumps(np.ascontiguousarray(vector), option=orjson.OPT_SERIALIZE_NUMPY).decode()


def _copied(embedder: str, keys: Sequence[bytes], vectors: Vectors) -> bytes:
    """Rows of the cache in the binary format of COPY; numbers, also those of a vector, are big-endian."""
    name = embedder.encode()
    length = 4 + 4 * vectors.shape[1]
    begun = pack(">hi", 3, len(name)) + name
    sized = pack(">ihh", length, vectors.shape[1], 0)
    rows = [
        begun + pack(">i", len(key)) + key + sized + vector.tobytes()
        for key, vector in zip(keys, vectors.astype(">f4"), strict=True)
    ]
    return b"".join([b"PGCOPY\n\xff\r\n\0", pack(">ii", 0, 0), *rows, pack(">h", -1)])


def received(rows: list[bytes | None]) -> Vectors:
    """What `vector_send` gave for each row, as float32 of shape (rows, 384). Rows without a vector are zero."""
    out = np.zeros((len(rows), DIMENSIONS), dtype=np.float32)
    for row, sent in zip(out, rows, strict=True):
        if sent is not None:
            row[:] = np.frombuffer(sent, dtype=">f4", offset=4)
    return out


def _batches(keys: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]
