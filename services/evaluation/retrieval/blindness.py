"""Whether a packet tells what comes after its checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from services.evaluation.retrieval.matching import spelled
from services.evaluation.retrieval.questions import Story

Json = Any

RUN: Final = 12
"""Words in a row that make a text recognisable: a summary may share eight with a later chapter by chance."""


class Blindness:
    """Knows in which chapter of a story each run of words comes first."""

    def __init__(self, story: Story) -> None:
        self._first: dict[int, int] = {}
        for chapter in story.chapters:
            for run in _runs(chapter.text):
                self._first.setdefault(run, chapter.number)

    def leaks(self, item: Mapping[str, Json], checkpoint: int) -> bool:
        """Whether the item, its evidence or any run of its words belongs to a later chapter."""
        return (
            item["chapter"] > checkpoint
            or any(span["chapter"] > checkpoint for span in item["evidence"])
            or any(self._first.get(run, 0) > checkpoint for run in _runs(item["text"]))
        )


def _runs(text: str) -> Iterator[int]:
    parts = spelled(text).split()
    # hashes, since a long novel has hundreds of thousands of runs
    return (hash(" ".join(parts[i : i + RUN])) for i in range(len(parts) - RUN + 1))
