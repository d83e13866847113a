"""The read model of passages and record texts, as the projection runner drives it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import Connection

from events.domain_events import Recorded
from projections.passages.vectors import VectorCache
from projections.words import fold
from projections.words.fold import purge, text_hashes
from projections.words.material import Material, TextSource, material, referenced


class PassagesProjection:
    """Passages, record texts, links and checkpoints of every story, with vectors.

    One read model an embedder: another embedder builds its own beside it. `prepare` computes vectors before the transaction
    of a batch begins; without it they are computed on other connections while `apply` runs. Either way each text is embedded once.
    """

    version = 1

    def __init__(self, texts: TextSource, vectors: VectorCache) -> None:
        self.name = read_model(vectors.embedder.name)
        self._texts = texts
        self._vectors = vectors
        self._prepared: tuple[tuple[int, ...], Material] | None = None

    def create(self, conn: Connection[Any]) -> None:
        conn.execute(fold.schema())

    def prepare(self, batch: Sequence[Recorded]) -> None:
        """Computes the vectors of a batch ahead. A batch that points into earlier ones is left to `apply`."""
        if referenced(batch):
            return
        words = material(batch, self._texts, {})
        self._vectors.ensure(words.texts())
        self._prepared = _key(batch), words

    def apply(self, conn: Connection[Any], batch: Sequence[Recorded]) -> None:
        if self._prepared is None or self._prepared[0] != _key(batch):
            words = material(batch, self._texts, text_hashes(conn, referenced(batch)))
            self._vectors.ensure(words.texts())
        else:
            words = self._prepared[1]
        fold.write(conn, batch, words, self._vectors.embedder.name)
        self._prepared = None

    def purge(self, conn: Connection[Any], story: str, chapter: int | None = None) -> int:
        """Erases superseded rows of a chapter, or of the story, and their vectors: how many rows. What was believed is lost."""
        gone = purge(conn, story, chapter)
        kept = conn.execute(
            "SELECT text_hash FROM passages WHERE text_hash = ANY(%(gone)s)"
            " UNION SELECT text_hash FROM records WHERE text_hash = ANY(%(gone)s)",
            {"gone": gone},
        ).fetchall()
        self._vectors.forget(set(gone) - {bytes(row[0]) for row in kept})
        return len(gone)


def read_model(embedder: str) -> str:
    """What the read model of an embedder is called."""
    return "passages_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in embedder.lower())


def _key(batch: Sequence[Recorded]) -> tuple[int, ...]:
    return tuple(recorded.position for recorded in batch)
