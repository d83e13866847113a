"""`nwm`: query-conditioned hybrid retrieval over the typed graph (NWM, section 3.5 and appendix A.1).

1. Causal restriction: the slice, which holds nothing after the checkpoint.
2. Hybrid node ranking: entities and records by BM25 and by vector, joined by reciprocal rank. An entity's vector score is that of
   the nearest `entity` record that introduces it.
3. One-hop typed expansion of the best nodes (anchors), bounded by a number of neighbours each. An entity's neighbours are
   taken kind by kind, so that many edges of one kind do not crowd out the others.
4. Assembly: ranked hits, expanded records and entities, and ranked passages are merged, scored again and cut to the budget.

The paper gives no numbers but the ten seeds (appendix H); limits and shares below are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Final

import numpy as np

from services.retrieval.evidence import figure_item, passage_item, record_item
from services.retrieval.fusion import DECIMALS, Scores, fused, ranked
from services.retrieval.packing import Item, Packing
from services.retrieval.passages import Asked, Trace, cosines, rounded
from services.retrieval.slices import Slice

ANCHORS: Final = 10
NEIGHBOURS: Final = 12
HITS: Final = 40
"""Ranked nodes that stand for themselves, besides what the anchors bring."""
SPREAD: Final = 0.5
"""The share of its score that an anchor gives to each neighbour, and a record to the passage it is grounded in."""
GRAPH_SHARE: Final = 0.5
"""The share of the budget that entities and records have before passages come in; passages leave them what they do not use."""


def nwm(asked: Asked, budget: int, trace: Trace) -> list[Item]:
    slice_ = asked.slice
    figures = len(slice_.cast.ordered)
    own = _node_scores(asked)
    ranking = ranked(own, above=0.0)
    anchors = ranking[:ANCHORS].tolist()
    final = own.copy()
    reached: set[int] = set()
    for anchor in anchors:
        for neighbour in _neighbours(slice_, anchor, np.round(own, DECIMALS)):
            final[neighbour] += SPREAD * own[anchor]
            reached.add(neighbour)
    chosen = _without_doubles(slice_, {*ranking[:HITS].tolist(), *reached})
    passages = _passage_scores(asked, anchors, final)
    trace.append(
        {
            "step": "nodes",
            "entities": figures,
            "records": len(slice_.records),
            "anchors": [_id(slice_, a) for a in anchors],
        }
    )
    trace.append({"step": "expansion", "neighbours": len(reached), "candidates": len(chosen)})
    nodes = [_node_item(slice_, node, final, node in reached) for node in chosen]
    graph = sorted(nodes, key=lambda item: (-item.score, item.id))
    prose = (passage_item(slice_, int(i), rounded(passages, int(i)), "passages") for i in ranked(passages, above=0.0))
    return _assembled(graph, prose, budget)


def _node_scores(asked: Asked) -> Scores:
    """Step 2. Nodes are numbered: figures in order of first mention, then records in story order."""
    slice_ = asked.slice
    lexical = slice_.node_lexicon.scores(asked.terms)
    record_cosines = cosines(slice_.record_vectors, lambda: asked.vector)
    figures = slice_.cast.ordered
    dense = np.full(len(figures) + len(record_cosines), -1.0)
    dense[len(figures) :] = record_cosines
    for number, figure in enumerate(figures):
        if figure.introduced_in:
            dense[number] = record_cosines[figure.introduced_in].max()
    return fused(len(dense), [ranked(lexical, above=0.0), ranked(dense, above=0.0)])


def _neighbours(slice_: Slice, node: int, scores: Scores) -> list[int]:
    """Step 3: the nodes one edge away, at most `NEIGHBOURS`. `scores` are rounded."""
    figures = slice_.cast.ordered
    if node >= len(figures):
        found = dict.fromkeys(_around_record(slice_, node - len(figures)))
        found.pop(node, None)
        return sorted(found, key=lambda n: (-scores[n], n))[:NEIGHBOURS]
    members = np.array(figures[node].mentioned_in, dtype=np.int64)
    # equally good ones: the latest first, since what was said last tends to hold
    members = members[np.lexsort((-members, -scores[members + len(figures)]))]
    kinds = slice_.record_kinds[members]
    turns = [members[kinds == kind][:NEIGHBOURS].tolist() for kind in np.unique(kinds)]
    return [n + len(figures) for turn in zip_longest(*turns) for n in turn if n is not None][:NEIGHBOURS]


def _without_doubles(slice_: Slice, nodes: set[int]) -> list[int]:
    """The nodes in order, without `entity` records whose entity is among them: it says what they say."""
    figures = len(slice_.cast.ordered)
    introduced = {i + figures for n in nodes if n < figures for i in slice_.cast.ordered[n].introduced_in}
    return sorted(nodes - introduced)


def _around_record(slice_: Slice, index: int) -> Iterator[int]:
    """The entities a record names, the records it rests on or causes, and those that set the same keys."""
    record, figures = slice_.records[index], slice_.cast.ordered
    numbers = slice_.figure_numbers
    for _, entity, _surface in record.mentions:
        yield numbers[slice_.cast.of(entity)]
    for field in ("depends_on", "causes"):
        for name in record.payload.get(field) or ():
            full = name if ":" in name else f"{record.chapter}:{name}"
            if full in slice_.record_by_name:
                yield slice_.record_by_name[full] + len(figures)
    for entry in slice_.entries_of_record.get(index, ()):
        for other in slice_.entries_by_key[entry.key]:
            yield other.support[0] + len(figures)


def _passage_scores(asked: Asked, anchors: list[int], final: Scores) -> Scores:
    """The hybrid scores of the passages; those that an anchoring record is grounded in gain from it."""
    slice_ = asked.slice
    scores = asked.hybrid.copy()
    figures = len(slice_.cast.ordered)
    for anchor in anchors:
        if anchor < figures:
            continue
        record = slice_.records[anchor - figures]
        for index in slice_.passages_of_chapter.get(record.chapter, ()):
            row = slice_.passages[index]
            if any(row.start <= start and end <= row.end for start, end in record.evidence):
                scores[index] += SPREAD * final[anchor]
    return scores


def _assembled(graph: list[Item], prose: Iterable[Item], budget: int) -> list[Item]:
    """Step 4: the graph's share first, then passages, then what else of the graph still fits."""
    packing = Packing(budget)
    left = []
    for item in graph:
        if packing.room < budget * (1 - GRAPH_SHARE) or not packing.take(item):
            left.append(item)
    packing.fill(prose)
    for item in left:
        packing.take(item)
    return packing.in_story_order()


def _node_item(slice_: Slice, node: int, scores: Scores, reached: bool) -> Item:
    figures = slice_.cast.ordered
    score, channel = rounded(scores, node), "expansion" if reached else "nodes"
    if node < len(figures):
        return figure_item(slice_, figures[node], score, channel)
    return record_item(slice_, node - len(figures), score, channel)


def _id(slice_: Slice, node: int) -> str:
    figures = slice_.cast.ordered
    return f"entity:{figures[node].id}" if node < len(figures) else slice_.records[node - len(figures)].name
