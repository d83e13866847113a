"""What holds now, beside evidence that tells what held before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from services.retrieval.evidence import entry_item
from services.retrieval.fusion import Scores
from services.retrieval.packing import Item
from services.retrieval.slices import Slice
from services.retrieval.weave.selecting import Selection

STATES: Final = 6
ONE: Final = 120
"""Characters that it may have in any packet: an entry with its heading."""
PAST: Final = "what the text tells of this is past"


def told_by(slice_: Slice, text: Selection, scores: Scores) -> dict[str, float]:
    """The keys of which the text shown tells a value that holds no more, each with the score of the best sentence that does."""
    found: dict[str, float] = {}
    for sentence in (s for piece in text.pieces for s in range(piece.first, piece.last)):
        score = float(scores[sentence])
        for index in slice_.provenance.records_of(sentence).tolist():
            for entry in slice_.entries_of_record.get(index, ()):
                if not entry.holds:
                    found[entry.key] = max(found.get(entry.key, score), score)
    return found


def current(slice_: Slice, keys: Mapping[str, float]) -> Iterator[Item]:
    """The value that holds, for the `STATES` keys of the highest score; equal ones in the order of the keys."""
    for key in sorted(keys, key=lambda k: (-keys[k], k))[:STATES]:
        for entry in slice_.entries_by_key[key]:
            if entry.holds:
                yield entry_item(slice_, entry, 0, path=(PAST,))
