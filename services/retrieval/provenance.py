"""From what was found to the text it stands on: scores of records and passages as scores of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from projections.passages.read import RecordRow
from services.retrieval.fusion import Scores
from services.retrieval.sentences import Sentences

SCENE: Final = 5
"""The standard deviation, in sentences, of the window in which a happening is one scene."""
STRETCH: Final = 2.0
"""The standard deviation, in passages, of a stretch of story that hangs together."""


class Provenance:
    """Where in the sentences of a slice each of its records is grounded."""

    def __init__(self, sentences: Sentences, records: Sequence[RecordRow]) -> None:
        self._sentences = sentences
        spans = np.array(
            [(n, r.chapter, start, end) for n, r in enumerate(records) for start, end in r.evidence], dtype=np.int64
        ).reshape(-1, 4)
        first, last = sentences.touched(spans[:, 1], spans[:, 2], spans[:, 3])
        sizes = last - first
        self._records: npt.NDArray[np.int64] = np.repeat(spans[:, 0], sizes)
        # from each span's first sentence on, one after the other
        self._grounds: npt.NDArray[np.int64] = np.arange(sizes.sum()) + np.repeat(
            first - np.cumsum(sizes) + sizes, sizes
        )
        self._by_sentence = np.argsort(self._grounds, kind="stable")
        self._bounds: list[int] = np.searchsorted(self._records, np.arange(len(records) + 1)).tolist()

    def sentences_of(self, record: int) -> npt.NDArray[np.int64]:
        """The sentences that a record's evidence touches, in the order of its spans."""
        return self._grounds[self._bounds[record] : self._bounds[record + 1]]

    def records_of(self, sentence: int) -> npt.NDArray[np.int64]:
        """The records that stand on a sentence, in story order."""
        low, high = np.searchsorted(self._grounds, [sentence, sentence + 1], sorter=self._by_sentence)
        found: npt.NDArray[np.int64] = self._records[self._by_sentence[low:high]]
        return found

    def of_records(self, scores: Scores) -> Scores:
        """The best score among the records grounded in each sentence, 0 where none is; shape (sentences,)."""
        found = np.zeros(len(self._sentences))
        np.maximum.at(found, self._grounds, scores[self._records])
        return found

    def of_passages(self, scores: Scores) -> Scores:
        """The best score among the passages that each sentence begins in; shape (sentences,)."""
        if not len(self._sentences):
            return np.zeros(0)
        best: Scores = scores[self._sentences.passage_of].max(axis=1)
        return best

    def along(self, passages: Scores, width: float = STRETCH) -> Scores:
        """Each passage's share in the scores of those before and after, also across chapters: a Gaussian of `width` passages."""
        if not len(passages):
            return passages
        reach = int(3 * width)
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
        spread: Scores = np.convolve(passages, kernel / kernel.sum(), "full")[reach : reach + len(passages)]
        return spread

    def around(self, scores: Scores, width: int = SCENE) -> Scores:
        """Each sentence's share in the scores near it: a Gaussian of `width` sentences, cut at three of them and at a run's ends."""
        reach = 3 * width
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
        if not len(scores):
            return np.zeros(0)
        # runs so far apart that none reaches another
        places = np.arange(len(scores)) + reach * (self._sentences.run_of + 1)
        apart = np.zeros(len(scores) + reach * (len(self._sentences.parts) + 1))
        apart[places] = scores
        spread: Scores = np.convolve(apart, kernel / kernel.sum(), "same")[places]
        return spread
