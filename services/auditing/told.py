"""What a recap may tell: one statement of the story, before it is put into prose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from projections.story_state.found import RecordRow

OCCURRENCES: Final = frozenset({"situation", "event", "interaction", "revelation"})
"""The kinds of records that tell that something happens, rather than that something is so."""


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence of a recap, the records it comes from, and how much it matters. `place` sorts in telling order."""

    text: str
    rows: tuple[RecordRow, ...]
    worth: float
    place: tuple[int, bool, int]
    is_open: bool = False
    about: frozenset[str] = frozenset()
    """The entities it is about."""
    subject: str = ""
    said: str = ""
    predicate: str = ""
    """Who or what it begins with: an entity, or a turn of words; as it is called there; and the rest. Empty where it cannot be parted."""

    @property
    def happens(self) -> bool:
        """Whether it is told that something happens, rather than that something is so."""
        return self.rows[-1].kind in OCCURRENCES

    @property
    def chapter(self) -> int:
        return self.rows[0].chapter
