"""`state`: everything that is known, serialized without regard to the question up to the budget (NWM, "State Memory").

The state entries that hold come first, ordered by key; after them the records that set no key, in story order. The first
that does not fit ends the packet: the method shows what a fixed order costs, which is why it is a baseline.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.retrieval.evidence import entry_item, record_item
from services.retrieval.packing import Item, Packing
from services.retrieval.passages import Asked, Trace
from services.retrieval.slices import Slice


def state(asked: Asked, budget: int, trace: Trace) -> list[Item]:
    packing = Packing(budget)
    for item in _serialized(asked.slice):
        if not packing.take(item):
            break
    trace.append({"step": "state", "entries": sum(e.holds for e in asked.slice.entries), "taken": len(packing.items)})
    return packing.items


def _serialized(slice_: Slice) -> Iterator[Item]:
    for place, entry in enumerate(e for e in slice_.entries if e.holds):
        yield entry_item(slice_, entry, place)
    for index, record in enumerate(slice_.records):
        if not record.settings:
            yield record_item(slice_, index, 0.0, "state")
