"""A run of whole publications as read models take it in: read once, and shared by all that follow the log side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from events.domain_events import Recorded
from events.stored import Asserted, StoredEvent
from projections.publications import is_known
from projections.stored_publications import StoredPublication, of_batch


class LogBatch:
    """Events in order of position, at least one. What of them is needed is made when it is asked for."""

    def __init__(self, read: Sequence[StoredEvent]) -> None:
        self._known = [each for each in read if is_known(each)]
        self.skipped = len(read) - len(self._known)
        """How many are of a type that only a newer program knows."""
        self.position = read[-1].position
        """That of the last event."""

    @cached_property
    def events(self) -> list[Recorded]:
        """The events of known types."""
        return [each.recorded() if isinstance(each, Asserted) else each for each in self._known]

    @cached_property
    def publications(self) -> list[StoredPublication]:
        """The same by publications."""
        return of_batch(self._known)
