"""`bm25`, `dense` and `hybrid`: passages ranked against the question and packed in their original order."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from projections.embedding import Vectors
from projections.search.analysis import terms
from services.retrieval.evidence import passage_item, untyped
from services.retrieval.fusion import DECIMALS, Ranking, Scores, fused, ranked
from services.retrieval.packing import Item, Packing
from services.retrieval.planning.advice import Advice
from services.retrieval.slices import Slice

Trace: TypeAlias = list[dict[str, Any]]
Candidates: TypeAlias = Callable[[list[str]], Collection[tuple[int, int]] | None]
"""The passages, as (chapter, start), that have a term of the question; None: all may have one."""


@dataclass
class Asked:
    """A question against a slice. `embed` gives the question's vector and is called once at most.

    `advice` decides where a method leaves something to a model; without it rules do.
    """

    text: str
    slice: Slice
    embed: Callable[[str], Vectors]
    candidates: Candidates = field(default=lambda terms_: None)
    advice: Advice | None = None

    @cached_property
    def terms(self) -> list[str]:
        return terms(self.text)

    @cached_property
    def vector(self) -> Vectors:
        return self.embed(self.text)

    @cached_property
    def untyped_vectors(self) -> Vectors:
        """The vectors of the records' texts without the names of types, fields and values of theirs; row by row."""
        kept = self.slice.vocabulary.kept
        texts = [untyped(record) for record in self.slice.records]
        return np.array([kept(("untyped", text), partial(self.embed, text)) for text in texts], dtype=np.float32)

    @cached_property
    def lexical(self) -> Scores:
        """BM25 of the passages."""
        return self.matching(self.terms)

    def matching(self, wanted: list[str]) -> Scores:
        """BM25 of the passages for some terms; those that the candidates leave out have 0."""
        scores = self.slice.passage_lexicon.scores(wanted)
        found = self.candidates(wanted) if wanted and self.slice.passages else None
        if found is not None:
            scores[[(p.chapter, p.start) not in found for p in self.slice.passages]] = 0.0
        return scores

    @cached_property
    def lexical_ranking(self) -> Ranking:
        return ranked(self.lexical, above=0.0)

    @cached_property
    def dense(self) -> Scores:
        return cosines(self.slice.passage_vectors, lambda: self.vector)

    @cached_property
    def dense_ranking(self) -> Ranking:
        return ranked(self.dense)

    @cached_property
    def hybrid(self) -> Scores:
        """Reciprocal-rank fusion, k = 60, of both rankings."""
        return fused(len(self.slice.passages), [self.lexical_ranking, self.dense_ranking])


def cosines(rows: Vectors, vector: Callable[[], Vectors]) -> Scores:
    """The cosine of each unit vector with a unit vector, shape (rows,). Without rows nothing is embedded.

    Row by row: a product of the whole would be shared out to threads, which cost more than it takes, and its last bits could
    depend on how many rows there are.
    """
    return np.vecdot(rows, vector()).astype(np.float64) if len(rows) else np.zeros(0)


def bm25(asked: Asked, budget: int, trace: Trace) -> list[Item]:
    trace.append({"step": "bm25", "terms": sorted(set(asked.terms)), "matching": len(asked.lexical_ranking)})
    return _packed(asked, asked.lexical_ranking, asked.lexical, "bm25", budget)


def dense(asked: Asked, budget: int, trace: Trace) -> list[Item]:
    trace.append({"step": "dense", "compared": len(asked.slice.passages)})
    return _packed(asked, asked.dense_ranking, asked.dense, "dense", budget)


def hybrid(asked: Asked, budget: int, trace: Trace) -> list[Item]:
    trace.append({"step": "fusion", "k": 60, "bm25": len(asked.lexical_ranking), "dense": len(asked.dense_ranking)})
    return _packed(asked, ranked(asked.hybrid), asked.hybrid, "hybrid", budget)


def _packed(asked: Asked, ranking: Ranking, scores: Scores, channel: str, budget: int) -> list[Item]:
    packing = Packing(budget)
    packing.fill(passage_item(asked.slice, int(index), rounded(scores, int(index)), channel) for index in ranking)
    return packing.in_story_order()


def rounded(scores: Scores, index: int) -> float:
    return round(float(scores[index]), DECIMALS) + 0.0
