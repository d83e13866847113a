"""A record of which nothing but its assertion is ever told, as plain as it is stored."""

from __future__ import annotations

from collections.abc import Sequence

from events.domain_events import Order
from events.upcasting import State
from events.wire import mentions_of, settings_of, spans_of
from projections.record_view import RecordView
from projections.wire import PlainSetting, plain_settings


class OnceAsserted:
    """What rows are made of. `state` is the stored one of a `RecordAsserted` of the present version."""

    __slots__ = ("chapter", "order", "settings", "state", "uid")

    def __init__(self, state: State) -> None:
        self.state = state
        self.uid: str = state["uid"]
        self.chapter: int = state["chapter"]
        self.order: Sequence[int] = state["order"]
        self.settings: list[PlainSetting] = plain_settings(state["settings"])

    def view(self) -> RecordView:
        """The record with its objects."""
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
