"""Query Anchor: the figures and the events that a question touches first (PonsRAG, section 4.2, eq. 5 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from services.retrieval.fusion import DECIMALS, Scores, ranked
from services.retrieval.pons.bridge import rarities
from services.retrieval.pons.characters import CharacterLayer
from services.retrieval.pons.options import Options
from services.retrieval.pons.similarity import Nearness

DAMPING: Final = 0.5
"""The share of a step that follows the graph, as in HippoRAG 2, after which the character layer is made."""
STEPS: Final = 20
FACTS: Final = 15
"""Records that lead to figures which the question does not name."""


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """The nodes a question is anchored in, the best first, and the scores they have: `walk` of each figure, shape (figures,)."""

    figures: npt.NDArray[np.int64]
    plot: npt.NDArray[np.int64]
    walk: Scores


def anchor(characters: CharacterLayer, near: Nearness, chunks: int, chosen: Options) -> Anchors:
    """The k1 figures of highest personalised PageRank and the k2 plot nodes of highest S(q, v)."""
    walk = personalised_pagerank(characters, _seeds(characters, near, chunks))
    figures = ranked(walk, above=0.0)[: chosen.k1] if chosen.layers != "plot" else np.zeros(0, dtype=np.int64)
    plot = ranked(near.plot, above=0.0)[: chosen.k2] if chosen.layers != "char" else np.zeros(0, dtype=np.int64)
    return Anchors(figures, plot, walk)


def personalised_pagerank(characters: CharacterLayer, seeds: Scores) -> Scores:
    """PageRank with restarts at `seeds` (Haveliwala 2002); shape (figures,), sum 1, or 0 without a seed.

    A step goes from a figure to one of the records that mention it and on to one of the figures of that record; each
    record is an edge of the knowledge graph, whatever number of figures it joins. A figure alone in all its records stays.
    """
    total = float(seeds.sum())
    if total <= 0:
        return np.zeros(characters.size)
    restart = seeds / total
    mentions, back = characters.mentions, characters.mentioned
    of_figure = np.maximum(np.diff(mentions.indptr), 1)
    of_record = np.maximum(np.diff(back.indptr), 1)
    walk: Scores = restart
    for _ in range(STEPS):
        walk = (1.0 - DAMPING) * restart + DAMPING * (mentions @ ((back @ (walk / of_figure)) / of_record))
    steady: Scores = np.round(walk, DECIMALS + 3)
    return steady


def _seeds(characters: CharacterLayer, near: Nearness, chunks: int) -> Scores:
    """How strongly the question means each figure: as it is called and described, and by the records nearest to the question.

    A record's share goes to the figures it mentions, and counts the more the rarer the figure (as phrase nodes in HippoRAG 2).
    """
    facts = ranked(near.records, above=0.0)[:FACTS]
    from_facts = np.zeros(near.records.shape)
    from_facts[facts] = near.records[facts]
    rarity = np.maximum(rarities(characters, chunks), 0.1)
    reached = characters.mentions @ from_facts * rarity
    best = float(reached.max()) if len(reached) else 0.0
    called = np.where(near.figures >= 0.5 * near.figures.max(initial=0.0), near.figures, 0.0)
    seeds: Scores = called + (reached / best if best > 0 else reached)
    return seeds
