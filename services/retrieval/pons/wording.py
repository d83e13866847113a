"""What a plot node says, in words."""

from __future__ import annotations

from projections.words.verbalising import statement
from services.retrieval.pons.flow import Thread
from services.retrieval.pons.index import Index
from services.retrieval.slices import Slice


def said(slice_: Slice, index: Index, thread: Thread) -> str:
    """The statement of the event's record, or the beginning of the chunk that stands for it."""
    if thread.plot < index.plot.events:
        record = slice_.records[int(index.plot.records[thread.plot])]
        return statement(record.kind, record.payload)
    return " ".join(slice_.passages[int(index.plot.chunk[thread.plot])].text.split())[:400]
