"""What the trace of a packet says of each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from services.retrieval.pons.anchor import Anchors
from services.retrieval.pons.awaken import Awakened
from services.retrieval.pons.bridge import Bridge
from services.retrieval.pons.index import Index
from services.retrieval.pons.matching import Pair
from services.retrieval.slices import Slice

SHOWN: Final = 10


def layers(slice_: Slice, index: Index, edges: Bridge) -> dict[str, Any]:
    """The sizes of the layers; where nothing that happens is recorded it says so, since then chunks stand for events."""
    found: dict[str, Any] = {
        "step": "layers",
        "figures": index.characters.size,
        "events": index.plot.events,
        "clusters": len(index.plot.clusters.summaries),
        "chunks": len(slice_.passages),
        "edges": int(edges.weights.nnz),
    }
    if not index.plot.events:
        found["because"] = "no record says what happens: each chunk stands for an event"
    return found


def retrieval(
    slice_: Slice, index: Index, anchors: Anchors, awake: Awakened, pairs: Sequence[Pair]
) -> list[dict[str, Any]]:
    """Which nodes were anchored, awakened and paired, the first few by name."""

    def figures(numbers: Sequence[int]) -> list[str]:
        return [slice_.cast.name(slice_.cast.ordered[n].id) for n in numbers[:SHOWN]]

    def plot(numbers: Sequence[int]) -> list[str]:
        return [node(slice_, index, n) for n in numbers[:SHOWN]]

    return [
        {"step": "anchor", "figures": figures(anchors.figures.tolist()), "plot": plot(anchors.plot.tolist())},
        {"step": "awaken", "figures": figures(awake.figures.tolist()), "plot": plot(awake.plot.tolist())},
        {
            "step": "match",
            "pairs": len(pairs),
            "heaviest": [[*figures([p.figure]), *plot([p.plot]), round(p.weight, 6)] for p in pairs[:SHOWN]],
        },
    ]


def node(slice_: Slice, index: Index, number: int) -> str:
    """What a plot node is called: its record, or its chunk as chapter:start-end."""
    if number < index.plot.events:
        return slice_.records[int(index.plot.records[number])].name
    row = slice_.passages[int(index.plot.chunk[number])]
    return f"{row.chapter}:{row.start}-{row.end}"
