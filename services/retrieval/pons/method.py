"""`pons`: anchor, awaken, match, filter and assemble, once or in several steps (PonsRAG, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from services.retrieval.fusion import DECIMALS, Scores
from services.retrieval.packing import Item
from services.retrieval.passages import Asked, Trace
from services.retrieval.pons import tracing
from services.retrieval.pons.anchor import Anchors, anchor
from services.retrieval.pons.assembling import Selection, assembled
from services.retrieval.pons.awaken import Awakened, awaken
from services.retrieval.pons.flow import Filter, Thread, flow, pruned
from services.retrieval.pons.index import Index, index_of
from services.retrieval.pons.matching import Pair, match
from services.retrieval.pons.options import Options
from services.retrieval.pons.routing import SHARES, kind
from services.retrieval.pons.similarity import Nearness, facets, nearness
from services.retrieval.pons.steps import DECAY, FollowUp, follow_up
from services.retrieval.pons.wording import said

RESONANCE: Final = 0.15
"""What the activation of a plot node adds to its relevance, against its similarity to the question, each relative to the best."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one retrieval brought up: threads, the most relevant first, and the figures that are awake."""

    near: Nearness
    anchors: Anchors
    awake: Awakened
    pairs: Sequence[Pair]
    threads: Sequence[Thread]

    @property
    def figures(self) -> list[int]:
        return [*self.anchors.figures.tolist(), *self.awake.figures.tolist()]


class Pons:
    """The method under one set of options.

    A model can be hung in twice: `pruning` says which threads help, `planning` what to ask next. Without one the question's
    advice does, and without that rules.
    """

    def __init__(self, chosen: Options, pruning: Filter | None = None, planning: FollowUp | None = None) -> None:
        self._options = chosen
        self._pruning = pruning
        self._planning = planning

    def __call__(self, asked: Asked, budget: int, trace: Trace) -> list[Item]:
        """The packet for a question within a budget of characters; writes each step into the trace."""
        chosen, slice_ = self._options, asked.slice
        if not slice_.passages:
            return []  # nothing has been told: no model is needed to see that
        pruning = self._pruning or asked.advice
        planning = self._planning or (asked.advice.follow_up if asked.advice else follow_up)
        index = index_of(slice_)
        trace.append(tracing.layers(slice_, index, index.edges(slice_, chosen)))
        found = self._retrieved(asked, index)
        trace.append(
            {"step": "question", "kind": kind(asked.text), "facets": facets(asked.text) if chosen.facets else []}
        )
        trace.extend(tracing.retrieval(slice_, index, found.anchors, found.awake, found.pairs))
        threads, figures = list(found.threads), found.figures
        for step in range(1, chosen.steps):
            question = planning(asked.text, [said(slice_, index, t) for t in threads], step)
            if question is None:
                break
            more = self._retrieved(Asked(question, slice_, asked.embed, asked.candidates), index)
            threads = _joined(threads, more.threads, DECAY**step)
            figures = list(dict.fromkeys([*figures, *more.figures]))
            trace.append({"step": "follow-up", "question": question, "threads": len(threads)})
        if pruning is not None and chosen.flow:
            threads = pruned(asked.text, threads, [said(slice_, index, t) for t in threads], pruning)
        trace.append({"step": "flow", "filter": "model" if pruning else "rules", "threads": len(threads)})
        return assembled(asked, index, found.near, self._selection(asked, threads, figures), budget)

    def _selection(self, asked: Asked, threads: Sequence[Thread], figures: Sequence[int]) -> Selection:
        share = SHARES[kind(asked.text) if self._options.routing else "mix"]
        if self._options.layers == "char":
            share = 1.0
        return Selection(threads, figures, share, fill=self._options.fill and share < 1.0, ordered=self._options.flow)

    def _retrieved(self, asked: Asked, index: Index) -> Found:
        chosen, slice_ = self._options, asked.slice
        near = nearness(asked, index, chosen)
        edges = index.edges(slice_, chosen)
        anchors = anchor(index.characters, near, len(slice_.passages), chosen)
        awake = awaken(edges, anchors, near.plot, chosen)
        pairs = match(edges.weights, _both(anchors.figures, awake.figures), _both(anchors.plot, awake.plot), chosen)
        threads = self._threads(asked, index, near, anchors, awake, pairs)
        return Found(near, anchors, awake, pairs, flow(asked.text, threads) if chosen.flow else threads)

    def _threads(
        self, asked: Asked, index: Index, near: Nearness, anchors: Anchors, awake: Awakened, pairs: Sequence[Pair]
    ) -> list[Thread]:
        """The pairs, the heaviest first, an event once; then, to be sure of what was found, awake events that have no partner."""
        relevance = np.round(_relative(near.plot) + RESONANCE * _relative(awake.plot_scores), DECIMALS)
        how = dict.fromkeys(awake.plot.tolist(), "awakened") | dict.fromkeys(anchors.plot.tolist(), "anchor")
        alone = [(v, None) for v in how] if self._options.fill or self._options.layers == "plot" else []
        found: dict[int, Thread] = {}
        for v, u in [*((p.plot, p.figure) for p in pairs), *alone]:
            name = () if u is None else (f"paired with {asked.slice.cast.name(asked.slice.cast.ordered[u].id)}",)
            thread = Thread(v, u, float(relevance[v]), index.plot.time(v), (how[v], *name))
            found.setdefault(v, thread)
        return list(found.values())


def _both(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate([a, b])


def _joined(threads: Sequence[Thread], more: Sequence[Thread], weight: float) -> list[Thread]:
    """All threads, an event once, the most relevant first; the later ones count less."""
    found = {t.plot: t for t in threads}
    for t in more:
        relevance = round(weight * t.relevance, DECIMALS)
        if t.plot not in found:
            found[t.plot] = replace(t, relevance=relevance, via=("follow-up", *t.via))
    return sorted(found.values(), key=lambda t: (-t.relevance, t.time, t.plot))


def _relative(scores: Scores) -> Scores:
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores
