"""What holds now, beside evidence that tells what held before.

A packet that gives a value which holds no more gives the one that holds too, or it leaves the evidence out: whoever takes evidence
in asks first what must stand beside it (`Beside.of_text`, `Beside.of_record`), and counts its room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from services.retrieval.evidence import ended_item, entry_item
from services.retrieval.packing import Item, cost_of
from services.retrieval.slices import Slice

PAST: Final = "what the text tells of this is past"


class Beside:
    """The values that hold, for the keys of which a packet gives a past one. `used` is what they take, a separator after each."""

    def __init__(self, slice_: Slice) -> None:
        self._slice = slice_
        self._made: dict[str, list[Item]] = {}
        self._taken: dict[str, list[Item]] = {}
        self._told: set[str] = set()
        self.used = 0

    def of_text(self, text: str, sentences: Iterable[int]) -> frozenset[str]:
        """The keys of which a text, which is these sentences, gives a past value, and not the one that holds as well."""
        records = self._standing(sentences)
        return self._slice.past.given_by(text, records) - self._slice.past.told_by(text, records)

    def tell(self, text: str, sentences: Iterable[int]) -> None:
        """Such a text is in the packet: what it tells of what holds needs not be said again."""
        for key in self._slice.past.told_by(text, self._standing(sentences)) - self._told:
            self._told.add(key)
            self.used -= sum(map(cost_of, self._taken.pop(key, ())))

    def of_record(self, name: str) -> frozenset[str]:
        """The keys that the record called so set to a value that holds no more."""
        index = self._slice.record_by_name.get(name)
        return frozenset() if index is None else self._slice.past.set_by(index)

    def cost(self, keys: Iterable[str]) -> int:
        """The characters that the values of keys take which are not there yet."""
        return sum(cost_of(item) for key in self._missing(keys) for item in self._held(key))

    def take(self, keys: Iterable[str]) -> None:
        self.used += self.cost(keys)
        self._taken.update((key, self._held(key)) for key in self._missing(keys))

    def holds(self, keys: Iterable[str]) -> bool:
        return not self._missing(keys)

    @property
    def items(self) -> list[Item]:
        """In the order of their keys."""
        return [item for key in sorted(self._taken) for item in self._taken[key]]

    def _missing(self, keys: Iterable[str]) -> set[str]:
        return set(keys) - self._taken.keys() - self._told

    def _standing(self, sentences: Iterable[int]) -> set[int]:
        return {record for s in sentences for record in self._slice.provenance.records_of(s).tolist()}

    def _held(self, key: str) -> list[Item]:
        if key not in self._made:
            self._made[key] = list(current(self._slice, key))
        return self._made[key]


def current(slice_: Slice, key: str) -> Iterator[Item]:
    """The value that a key has, or where it has none any more, until when it had its last one."""
    entries = slice_.entries_by_key[key]
    holding = [entry for entry in entries if entry.holds]
    for entry in holding:
        yield entry_item(slice_, entry, 0, path=(PAST,))
    if not holding:
        yield ended_item(slice_, max(entries, key=lambda entry: entry.valid_from), 0, path=(PAST,))
