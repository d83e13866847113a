"""A record of which nothing but its assertion is ever told, as plain as it is stored."""

from __future__ import annotations

from events.stored import AssertedState
from projections.record_body import body_of, view_of
from projections.record_view import RecordView
from projections.wire import PlainSetting, plain_settings


class OnceAsserted:
    """What rows are made of.

    What several read models make of it is made once: they follow the log side by side.
    """

    __slots__ = ("_body", "_view", "chapter", "order", "record_line", "settings", "state", "uid")

    def __init__(self, state: AssertedState) -> None:
        self.state = state
        self.uid = state.uid
        self.chapter = state.chapter
        self.order = state.order
        self.settings: list[PlainSetting] = plain_settings(state.settings)
        self.record_line: str | None = None
        """Its row in the table of records, once that is made."""
        self._body: str | None = None
        self._view: RecordView | None = None

    def body(self) -> str:
        """See `body_of`."""
        if self._body is None:
            self._body = body_of(self.state)
        return self._body

    def view(self) -> RecordView:
        """The record with its objects."""
        if self._view is None:
            self._view = view_of(self.uid, (True, self.chapter, self.state.kind, self.body()))
        return self._view
