"""Questions put to a told story: answered over its slices in memory by the offline reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from projections.embedding import HashEmbedder
from services.answering.answering import Answering
from services.answering.readers.offline import OfflineReader
from services.retrieval.retriever import Retriever
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling


def ask(
    telling: Telling, question: str, at: int | None = None, *, reader: Any = None, options: Sequence[str] = ()
) -> dict[str, Any]:
    embedder = HashEmbedder()
    retriever = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
    return Answering(retriever, reader or OfflineReader()).ask(telling.story, question, at=at, options=options)
