"""How near a question is to each figure, event, summary, chunk and sentence of a slice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from projections.embedding import Vectors
from projections.search.analysis import terms
from services.retrieval.fusion import DECIMALS, Scores
from services.retrieval.passages import Asked, cosines
from services.retrieval.pons.index import Index
from services.retrieval.pons.options import Options
from services.retrieval.slices import Slice

WORDS: Final = 0.3
"""The share of BM25 in a joint similarity; the cosine has the rest."""
TELLING: Final = 1 / 3
"""The share that the words of the telling have in the similarity of an event; what was recorded of it has the rest."""
UNRECORDED: Final = 0.6
"""What a chunk's similarity counts for in place of an event's, where nothing is recorded: it is of a whole page, not of the event."""
FACETS: Final = 3
FACET_SHARE: Final = 0.5
"""The share of the best facet in each similarity; the whole question has the rest."""

_FACET_END: Final = re.compile(r"[,;:?!]\s|\s[—–-]\s|—|\s(?:and|but|or)\s(?=\S+\s\S+\s\S+)|[，；：？！]")
_LEAST_WORDS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Nearness:
    """Similarities to one question, each about 0 to 1.

    `records` has shape (records,), `figures` (figures,), `plot` (plot nodes,): the score S(q, v) of equation 5; `sentences` has shape
    (sentences,) and is the same score for a sentence.
    """

    records: Scores
    figures: Scores
    plot: Scores
    sentences: Scores

    def rounded(self) -> Nearness:
        return Nearness(*(np.round(s, DECIMALS) for s in (self.records, self.figures, self.plot, self.sentences)))


def nearness(asked: Asked, index: Index, chosen: Options) -> Nearness:
    """The similarities of the question, and of each of its facets: a question for two things is near to what is near to one of them."""
    whole = _view(asked.slice, index, chosen, asked.terms, asked.vector)
    parts = facets(asked.text) if chosen.facets else []
    views = [_view(asked.slice, index, chosen, terms(part), asked.embed(part)) for part in parts]
    if not views:
        return whole.rounded()
    return Nearness(
        _mixed(whole.records, (v.records for v in views)),
        _mixed(whole.figures, (v.figures for v in views)),
        _mixed(whole.plot, (v.plot for v in views)),
        _mixed(whole.sentences, (v.sentences for v in views)),
    ).rounded()


def facets(question: str) -> list[str]:
    """The clauses of a question, in order, if it has several of four words or more; at most three, the longest.

    A text without spaces between its words is cut at its punctuation, and a character counts as a word.
    """
    parts = [part.strip() for part in _FACET_END.split(question) if part is not None]
    long = [
        part
        for part in parts
        if len(part.split()) >= _LEAST_WORDS
        or (" " not in part and len(part) >= 2 * _LEAST_WORDS and not part.isascii())
    ]
    if len(long) < 2:
        return []
    longest = sorted(range(len(long)), key=lambda n: (-len(long[n]), n))[:FACETS]
    return [long[n] for n in sorted(longest)]


def _mixed(whole: Scores, views: Iterable[Scores]) -> Scores:
    best: Scores = np.max(list(views), axis=0)
    return (1.0 - FACET_SHARE) * whole + FACET_SHARE * best


def _view(slice_: Slice, index: Index, chosen: Options, asked_terms: list[str], vector: Vectors) -> Nearness:
    """S(q, v) = α sim(q, r_v) + β sim(q, s_v) + γ sim(q, c_v) for every plot node and every sentence (PonsRAG, eq. 5).

    r_v is an event as it was recorded, together with the sentences that tell it. Where nothing is recorded of a sentence its chunk says
    how near it may be in meaning. The summary s_v is that of an event's cluster; for text, its chapter as a whole.
    """
    plot, provenance = index.plot, slice_.provenance
    words, telling = (WORDS, TELLING) if chosen.similarity == "joint" else (0.0, 0.0)
    by_words = slice_.node_lexicon.scores(asked_terms)
    figures = index.characters.size
    records = _joined(_cosines(slice_.record_vectors, vector), by_words[figures:], words)
    described = _joined(_cosines(index.characters.vectors, vector), by_words[:figures], words)
    chunks = _relative(_cosines(slice_.passage_vectors, vector))
    told = _relative(slice_.sentences.scores(_weights(asked_terms)))
    chunk_of_sentence = provenance.of_passages(chunks)
    unrecorded = UNRECORDED * (1.0 - words) * chunk_of_sentence + words * told
    recorded = np.maximum(provenance.of_records(records), unrecorded)
    own = (1.0 - telling) * recorded + telling * told
    sentences = chosen.alpha * own + chosen.beta * index.mean_of_chapter(chunks) + chosen.gamma * chunk_of_sentence
    events = (1.0 - telling) * records[plot.records] + telling * index.best_sentence(told)
    summaries = _relative(_cosines(plot.clusters.vectors, vector))[plot.clusters.labels]
    chunk = np.append(chunks, 0.0)[plot.chunk[: plot.events]]
    scored = chosen.alpha * events + chosen.beta * summaries + chosen.gamma * chunk
    return Nearness(records, described, np.concatenate([scored, index.best_in_chunk(sentences)]), sentences)


def _cosines(rows: Vectors, vector: Vectors) -> Scores:
    """Cosines, those below 0 as 0."""
    return np.maximum(cosines(rows, lambda: vector), 0.0)


def _joined(cosine: Scores, words: Scores, share: float) -> Scores:
    """Each part is divided by its best, so that neither outweighs the other by its scale."""
    return (1.0 - share) * _relative(cosine) + share * _relative(words)


def _relative(scores: Scores) -> Scores:
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def _weights(asked_terms: list[str]) -> dict[str, float]:
    return {term: float(asked_terms.count(term)) for term in asked_terms}
