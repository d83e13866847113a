"""Which passages have a term of the question: from the slice itself, or from a lexical index that answers for it.

Either way the passages are the same, and so is the packet: an index only spares looking at passages that cannot match.
Statistics never come from it, since it counts chapters that the reader must not know.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from events.errors import Unavailable
from services.retrieval.passages import Candidates, Trace
from services.retrieval.source import SliceKey


class CandidateSource(Protocol):
    """Gives a question's candidates for one slice; writes into the trace where they came from."""

    def finder(self, key: SliceKey, trace: Trace) -> Candidates: ...


class LexicalIndex(Protocol):
    """An index outside the slice.

    `find` gives (chapter, start) of every passage of the story up to chapter `at`, as believed at `position`, that has a
    term; None if they are too many. Raises `Unavailable` if it cannot answer, or has not read up to `position`.
    """

    @property
    def name(self) -> str: ...

    def find(self, story: str, at: int, position: int, terms: list[str]) -> Collection[tuple[int, int]] | None: ...


class SliceCandidates:
    """Every passage of the slice is looked at."""

    def finder(self, key: SliceKey, trace: Trace) -> Candidates:
        return lambda terms: None


class IndexCandidates:
    """Candidates from an index; while it does not answer, every passage of the slice."""

    def __init__(self, index: LexicalIndex) -> None:
        self._index = index

    def finder(self, key: SliceKey, trace: Trace) -> Candidates:
        def find(terms: list[str]) -> Collection[tuple[int, int]] | None:
            try:
                found = self._index.find(key.story, key.at, key.position, terms)
            except Unavailable as error:
                trace.append({"step": "candidates", "from": "slice", "because": f"{self._index.name}: {error.title}"})
                return None
            trace.append({"step": "candidates", "from": "slice" if found is None else self._index.name})
            return found

        return find
