"""A record of which nothing but its assertion is ever told, as plain as it is stored."""

from __future__ import annotations

from collections.abc import Sequence

from events.domain_events import Order
from events.upcasting import State
from events.wire import mentions_of, settings_of, spans_of
from projections.record_view import RecordView
from projections.wire import PlainSetting, plain_settings


class OnceAsserted:
    """What rows are made of. `state` is the stored one of a `RecordAsserted` of the present version.

    What several read models make of it is made once: they follow the log side by side.
    """

    __slots__ = ("_view", "chapter", "order", "record_line", "settings", "state", "uid")

    def __init__(self, state: State) -> None:
        self.state = state
        self.uid: str = state["uid"]
        self.chapter: int = state["chapter"]
        self.order: Sequence[int] = state["order"]
        self.settings: list[PlainSetting] = plain_settings(state["settings"])
        self.record_line: str | None = None
        """Its row in the table of records, once that is made."""
        self._view: RecordView | None = None

    def view(self) -> RecordView:
        """The record with its objects."""
        if self._view is None:
            self._view = self._made()
        return self._view

    def _made(self) -> RecordView:
        state = self.state
        return RecordView(
            uid=self.uid,
            name=state["record"],
            chapter=self.chapter,
            revision=state["revision"],
            kind=state["kind"],
            payload=state["payload"],
            evidence=spans_of(state["evidence"]),
            order=Order(*self.order),
            content=state["content"],
            mentions=mentions_of(state["mentions"]),
            settings=settings_of(state["settings"]),
            live=True,
        )
