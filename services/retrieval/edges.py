"""The typed edges between the records of a slice: what rests on what, what brings about what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from projections.passages.read import RecordRow

FIELDS: Final = ("depends_on", "causes")


class Edges:
    """Neighbours by record index. An edge leads both ways: from a payoff to its setup, and back."""

    def __init__(self, records: Sequence[RecordRow], by_name: Mapping[str, int]) -> None:
        self._near: dict[int, dict[int, str]] = {}
        for index, record in enumerate(records):
            for field in FIELDS:
                for name in record.payload.get(field) or ():
                    other = by_name.get(name if ":" in name else f"{record.chapter}:{name}")
                    if other is not None and other != index:
                        self._near.setdefault(index, {}).setdefault(other, field)
                        self._near.setdefault(other, {}).setdefault(index, field)

    def of(self, record: int) -> list[int]:
        """The records one edge away, in story order."""
        return sorted(self._near.get(record, ()))
