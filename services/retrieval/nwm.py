"""`nwm`: query-conditioned hybrid retrieval over the typed graph (NWM, section 3.5 and appendix A.1).

1. Causal restriction: the slice, which holds nothing after the checkpoint.
2. Hybrid node ranking: entities and records by BM25 and by vector, joined by reciprocal rank. An entity's vector score is that of
   the nearest `entity` record that introduces it. The question's category (section 4, "Query taxonomy") lifts the kinds of records
   that bear on it.
3. One-hop typed expansion of the best nodes (anchors), bounded by a number of neighbours each. An entity's neighbours are
   taken kind by kind, so that many edges of one kind do not crowd out the others.
4. Assembly: ranked hits, expanded records and entities, and the text they are grounded in are merged, scored again and cut to
   the budget. Text comes as the sentences that nodes, passages and the question's words point to, not as whole passages.

The paper gives no numbers but the ten seeds (appendix H); limits and shares below are ours. Its typing ablations are `variants`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

import numpy as np

from events.errors import InvalidInput
from services.retrieval.evidence import brief_figure_item, brief_record_item
from services.retrieval.fusion import DECIMALS, Scores, fused, ranked
from services.retrieval.packing import SEPARATOR, Item, cost_of
from services.retrieval.passages import Asked, Trace, cosines, rounded
from services.retrieval.routing import categories, kinds
from services.retrieval.slices import Slice
from services.retrieval.superseding import Beside
from services.retrieval.weave.board import ROOMY
from services.retrieval.weave.selecting import Selection
from services.retrieval.weave.views import Views
from services.retrieval.wording import content_terms

ANCHORS: Final = 10
NEIGHBOURS: Final = 12
HITS: Final = 40
"""Ranked nodes that stand for themselves, besides what the anchors bring."""
SPREAD: Final = 0.5
"""The share of its score that an anchor gives to each neighbour."""
LIFT: Final = 1.25
"""What a record's score is multiplied with if its kind bears on the question."""
GRAPH_SHARE: Final = 0.2
"""The share of the budget that entities and records have before text comes in, if they are sure (`Slice.trust`); what they leave,
text takes. In packets below `ROOMY` characters half as much: there a piece of text is worth more."""
WEIGHTS: Final = {"nodes": 1.5, "expansion": 1.0, "passages": 1.5, "meaning": 0.75, "words": 1.5, "scene": 0.5}
"""What counts for a sentence: nodes grounded in it, nodes reached, its passages by their words and by what they mean (as in `weave`),
its own words, the scene it stands in."""
OF_NODES: Final = frozenset({"nodes", "expansion", "scene"})


@dataclass(frozen=True, slots=True)
class Typing:
    """What is left of the types (NWM, appendix H)."""

    labels: bool = True
    """The packet's items carry their kinds and keys."""
    flat: bool = False
    """Without labels: what the key said is told in prose."""
    edges: bool = True
    """Kinds decide in ranking, in expansion and in what is embedded."""
    routed: bool = True
    """The question's category lifts kinds."""


VARIANTS: Final[Mapping[str, Typing]] = {
    "": Typing(),
    "unlabelled": Typing(labels=False),
    "flattened": Typing(labels=False, flat=True),
    "untyped": Typing(edges=False, routed=False),
    "unrouted": Typing(routed=False),
}
_LABEL: Final = 60
"""Characters before a colon that can be a label."""


def variant(name: str) -> Callable[[Asked, int, Trace], list[Item]]:
    """`nwm`, or one of its ablations by what comes after the colon. Raises `InvalidInput`."""
    if name not in VARIANTS:
        raise InvalidInput(
            f"There is no variant {name[:40]!r} of nwm; use one of {', '.join(v for v in VARIANTS if v)}."
        )
    typing = VARIANTS[name]
    return lambda asked, budget, trace: nwm(asked, budget, trace, typing)


def nwm(asked: Asked, budget: int, trace: Trace, typing: Typing = VARIANTS[""]) -> list[Item]:
    slice_ = asked.slice
    figures = len(slice_.cast.ordered)
    found = categories(asked.text)
    own = _node_scores(asked, typing)
    if typing.routed:
        own[figures:][slice_.is_of(kinds(found))] *= LIFT
    ranking = ranked(own, above=0.0)
    anchors = ranking[:ANCHORS].tolist()
    final = own.copy()
    reached: dict[int, str] = {}
    for anchor in anchors:
        for neighbour in _neighbours(slice_, anchor, np.round(own, DECIMALS), typing):
            final[neighbour] += SPREAD * own[anchor]
            reached.setdefault(neighbour, _id(slice_, anchor))
    chosen = _without_doubles(slice_, {*ranking[:HITS].tolist(), *reached})
    trace.append({"step": "route", "categories": found if typing.routed else []})
    trace.append(
        {
            "step": "nodes",
            "entities": figures,
            "records": len(slice_.records),
            "anchors": [_id(slice_, a) for a in anchors],
        }
    )
    trace.append({"step": "expansion", "neighbours": len(reached), "candidates": len(chosen)})
    nodes = [_node_item(slice_, node, final, reached.get(node)) for node in chosen]
    graph = sorted(nodes, key=lambda item: (-item.score, item.id))
    views = _sentences(asked, own, final, reached)
    return [_shown(item, typing) for item in _assembled(slice_, graph, views, budget)]


def _node_scores(asked: Asked, typing: Typing) -> Scores:
    """Step 2. Nodes are numbered: figures in order of first mention, then records in story order."""
    slice_ = asked.slice
    lexical = slice_.node_lexicon.scores(content_terms(asked.text))
    vectors = slice_.record_vectors if typing.edges else asked.untyped_vectors
    record_cosines = cosines(vectors, lambda: asked.vector)
    figures = slice_.cast.ordered
    dense = np.full(len(figures) + len(record_cosines), -1.0)
    dense[len(figures) :] = record_cosines
    np.maximum.at(dense, slice_.introduced[0], record_cosines[slice_.introduced[1]])
    return fused(len(dense), [ranked(lexical, above=0.0), ranked(dense, above=0.0)])


def _neighbours(slice_: Slice, node: int, scores: Scores, typing: Typing) -> list[int]:
    """Step 3: the nodes one edge away, at most `NEIGHBOURS`. `scores` are rounded."""
    figures = slice_.cast.ordered
    if node >= len(figures):
        found = dict.fromkeys(_around_record(slice_, node - len(figures)))
        found.pop(node, None)
        return sorted(found, key=lambda n: (-scores[n], n))[:NEIGHBOURS]
    members = np.array(figures[node].mentioned_in, dtype=np.int64)
    # equally good ones: the latest first, since what was said last tends to hold
    members = members[np.lexsort((-members, -scores[members + len(figures)]))]
    if not typing.edges:
        return [int(n) + len(figures) for n in members[:NEIGHBOURS]]
    kind_of = slice_.record_kinds[members]
    turns = [members[kind_of == kind][:NEIGHBOURS].tolist() for kind in np.unique(kind_of)]
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


def _sentences(asked: Asked, own: Scores, final: Scores, reached: Mapping[int, str]) -> Views:
    """Step 4, for text: what nodes, passages and words say of each sentence."""
    slice_ = asked.slice
    figures, provenance = len(slice_.cast.ordered), slice_.provenance
    weights = {name: weight * (slice_.trust if name in OF_NODES else 1.0) for name, weight in WEIGHTS.items()}
    views = Views(len(slice_.sentences), weights)
    grounded = provenance.of_records(own[figures:] * slice_.confidence)
    expanded = np.zeros(len(slice_.records))
    records = [node - figures for node in reached if node >= figures]
    expanded[records] = final[figures:][records]
    views.add("nodes", grounded)
    views.add("expansion", provenance.of_records(expanded * slice_.confidence))
    views.add("scene", provenance.around(grounded))
    said = content_terms(asked.text)
    views.add("passages", provenance.of_passages(asked.matching(said)))
    views.add("meaning", provenance.of_passages(asked.dense))
    views.add("words", slice_.sentences.scores(dict.fromkeys(said, 1.0)))
    return views


def _assembled(slice_: Slice, graph: list[Item], views: Views, budget: int) -> list[Item]:
    """Step 4: the graph's share first, then text, what holds now where it tells what is past, and what else of the graph fits."""
    share = GRAPH_SHARE * slice_.trust * (1.0 if budget >= ROOMY else 0.5)
    beside = Beside(slice_)
    taken, left = _within(graph, int(share * budget), beside)
    scores = views.among(slice_.provenance.around)
    # a node's sentence says little by itself
    text = Selection(slice_.sentences, scores, least=2, kept=0.5, beside=beside)
    used = sum(map(cost_of, taken))
    text.fill(budget - used)
    used += text.used + (len(SEPARATOR) if text.pieces else 0)
    more, _ = _within(left[:HITS], budget - used - beside.used, beside)
    pieces = [text.item(piece, "passages", views.why(piece.best)) for piece in text.pieces]
    return [*beside.items, *sorted([*taken, *more, *pieces], key=lambda item: (item.order, item.id))]


def _within(items: Iterable[Item], room: int, beside: Beside) -> tuple[list[Item], list[Item]]:
    """Those of the items that fit into so many characters with what must stand beside them, and the others, both in turn."""
    taken: list[Item] = []
    left: list[Item] = []
    for item in items:
        keys = beside.of_record(item.name)
        cost = cost_of(item) + beside.cost(keys)
        fits = cost <= room
        (taken if fits else left).append(item)
        if fits:
            beside.take(keys)
            room -= cost
    return taken, left


def _node_item(slice_: Slice, node: int, scores: Scores, anchor: str | None) -> Item:
    figures = slice_.cast.ordered
    score, channel = rounded(scores, node), "nodes" if anchor is None else "expansion"
    path = ("ranked",) if anchor is None else (f"beside {anchor}",)
    if node < len(figures):
        return replace(brief_figure_item(slice_, figures[node], score, channel), path=path)
    return brief_record_item(slice_, node - len(figures), score, channel, path)


def _shown(item: Item, typing: Typing) -> Item:
    """The item as the reader sees it: without labels its kind is gone, and with it what stands before a colon (appendix H)."""
    if typing.labels or item.source == "passage":
        return item
    head, colon, rest = item.text.partition(": ")
    text = f"{head}, {rest}" if typing.flat and colon else rest if colon and len(head) < _LABEL else item.text
    return replace(item, type="item", text=text if len(text) <= len(item.text) else item.text)


def _id(slice_: Slice, node: int) -> str:
    figures = slice_.cast.ordered
    return f"entity:{figures[node].id}" if node < len(figures) else slice_.records[node - len(figures)].name
