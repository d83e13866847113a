"""The tools of weave: what is forced at first recall, and what refinement may call for a gap (NKW, appendix, steps 2 and 4).

Each tool scores units of its own kind (entities, records, passages, sentences) for one intent and counts its calls. A tool
that is called twice with the same arguments answers from memory, and is counted once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from services.retrieval.cast import Figure
from services.retrieval.fusion import Scores, fused, ranked
from services.retrieval.passages import Asked, cosines
from services.retrieval.weave.intents import Intent

FIGURES: Final = 6
SEEDS: Final = 30
"""Records whose edges are followed."""


class Tools:
    """The tools over one slice. `calls` counts them by name."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.slice = asked.slice
        self.calls: Counter[str] = Counter()
        self._cosines: dict[str, Scores] = {}
        self._kept: dict[str, Scores] = {}

    def entity_search(self, intent: Intent) -> list[tuple[Figure, float]]:
        """The entities that an intent names, by any name they have, and those whose introduction fits it; the best first."""
        self.calls["entity_search"] += 1
        figures = self.slice.cast.ordered
        lexical = self.slice.node_lexicon.scores(intent.terms)[: len(figures)]
        dense = np.full(len(figures), -1.0)
        near = self._record_cosines(intent)
        np.maximum.at(dense, self.slice.introduced[0], near[self.slice.introduced[1]])
        scores = fused(len(figures), [ranked(lexical, above=0.0), ranked(dense, above=0.0)])
        return [(figures[n], float(scores[n])) for n in ranked(scores, above=0.0)[:FIGURES]]

    def entity_lookup(self, figures: Sequence[tuple[Figure, float]], intent: Intent) -> Scores:
        """The records of the given entities, by how rare the entity is and how well the record fits; shape (records,)."""
        self.calls["entity_lookup"] += 1
        found = np.zeros(len(self.slice.records))
        for figure, _ in figures:
            members = figure.mentioned_in
            found[members] += np.log(1.0 + len(found) / (1.0 + len(members)))
        return found * self._facts(intent)

    def relation_search(self, seeds: Scores) -> Scores:
        """What is one edge away from the best of the records scored: what they rest on, cause or bring about; shape (records,)."""
        self.calls["relation_search"] += 1
        found = np.zeros(len(seeds))
        edges = self.slice.edges
        for index in ranked(seeds, above=0.0)[:SEEDS]:
            near = edges.of(int(index))
            found[near] = np.maximum(found[near], seeds[index])
        return found

    def atomic_fact_search(self, intent: Intent) -> Scores:
        """Records by BM25 and by vector, joined by reciprocal rank; shape (records,)."""
        self.calls["atomic_fact_search"] += 1
        return self._facts(intent)

    def storyline_trace(self, seeds: Scores) -> Scores:
        """The other steps of the threads, arcs and state keys that the best of the records scored belong to; shape (records,)."""
        self.calls["storyline_trace"] += 1
        found = np.zeros(len(seeds))
        for index in ranked(seeds, above=0.0)[:SEEDS]:
            for line in self.slice.layers.storylines_of.get(int(index), ()):
                steps = [step for step in line.steps if step != index]
                found[steps] = np.maximum(found[steps], seeds[index])
        return found

    def interaction_trace(self, figures: Sequence[tuple[Figure, float]], intent: Intent) -> Scores:
        """Where two of the entities meet, by how well it fits; shape (records,)."""
        self.calls["interaction_trace"] += 1
        found = np.zeros(len(self.slice.records))
        met = self.slice.layers.between(figure for figure, _ in figures)
        found[met] = self._facts(intent)[met]
        return found

    def narrative_semantic_search(self, intent: Intent) -> tuple[Scores, Scores]:
        """Passages by BM25, with what is recorded of them, and by vector; shape (passages,) each."""
        self.calls["narrative_semantic_search"] += 1
        lexical = self.slice.annotated_lexicon.scores(intent.terms)
        return lexical, cosines(self.slice.passage_vectors, lambda: self.asked.embed(intent.text))

    def text_search(self, intent: Intent) -> Scores:
        """Sentences with their neighbours by BM25; shape (sentences,)."""
        self.calls["text_search"] += 1
        return self.slice.sentences.scores(dict.fromkeys(intent.terms, 1.0))

    def name_search(self, intent: Intent) -> Scores:
        """Sentences that call the entities an intent names by another name, by BM25; shape (sentences,)."""
        self.calls["name_search"] += 1
        return self.slice.sentences.scores(dict.fromkeys(self.slice.names.others(intent.terms), 1.0))

    def gap_search(self, intent: Intent, missing: Sequence[str]) -> Scores:
        """Sentences that have missing words of an intent, beside its other words; scaled to at most 1, shape (sentences,)."""
        self.calls["text_search"] += 1
        weights = {term: 1.0 if term in missing else 0.25 for term in intent.terms}
        scores = self.slice.sentences.scores(weights) * (self.slice.sentences.scores(dict.fromkeys(missing, 1.0)) > 0.0)
        return scores / max(float(scores.max(initial=0.0)), 1e-12)

    def like_search(self, records: Sequence[int]) -> Scores:
        """The records nearest to the mean of those found: what is told in their manner; shape (records,)."""
        self.calls["like_search"] += 1
        mean = self.slice.record_vectors[list(records)].mean(axis=0)
        length = float(np.linalg.norm(mean))
        return (
            cosines(self.slice.record_vectors, lambda: mean / length) if length else np.zeros(len(self.slice.records))
        )

    def grounds(self, records: Scores) -> Scores:
        """The sentences that records stand on, by the records' scores times their confidence; shape (sentences,)."""
        return self.slice.provenance.of_records(records * self.slice.confidence)

    def _record_cosines(self, intent: Intent) -> Scores:
        if intent.text not in self._cosines:
            vectors = self.slice.record_vectors
            self._cosines[intent.text] = cosines(vectors, lambda: self.asked.embed(intent.text))
        return self._cosines[intent.text]

    def _facts(self, intent: Intent) -> Scores:
        key = intent.text
        if key not in self._kept:
            figures = len(self.slice.cast.ordered)
            lexical = self.slice.node_lexicon.scores(intent.terms)[figures:]
            rankings = [ranked(lexical, above=0.0), ranked(self._record_cosines(intent))]
            self._kept[key] = fused(len(self.slice.records), rankings)
        return self._kept[key]
