"""What a record shows, as one JSON text: the fields of its statement, in the form in which events store them.

A table that keeps it needs columns only for what is asked for; and of a record that nothing else is told of, the text is
put together from that of its event, without being understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw

from events.domain_events import Json, Mention, Order
from events.stored import AssertedState
from events.wire import mentions_of, settings_of, stored_json
from projections.record_view import RecordView


class RecordBody(msgspec.Struct, frozen=True, gc=False):
    """The fields of a statement that are in no column. `evidence` holds half-open code point spans."""

    record: str
    revision: int
    payload: Json
    evidence: tuple[tuple[int, int], ...]
    order: tuple[int, int, int]
    content: str
    mentions: list[tuple[str, str, str]]
    settings: list[Any]

    @property
    def named(self) -> tuple[Mention, ...]:
        """The entities that the record names, and where."""
        return mentions_of(self.mentions)


class _Written(msgspec.Struct, frozen=True, gc=False):
    """The same fields in the same order, as they are written."""

    record: Raw
    revision: Raw
    payload: Raw
    evidence: Raw
    order: tuple[int, int, int]
    content: Raw
    mentions: Raw
    settings: Raw


read_body: Final = msgspec.json.Decoder(RecordBody).decode
"""The fields from their text."""
_write: Final = msgspec.json.Encoder().encode


def body_of(state: AssertedState) -> str:
    """The text of a record as it was asserted."""
    return _write(
        _Written(
            state.record, state.revision, state.payload, state.evidence,
            state.order, state.content, state.mentions, state.settings,
        )
    ).decode()  # fmt: skip


def body_of_view(view: RecordView) -> str:
    """The text of a record as it is shown: of one that was only asserted the same as `body_of`."""
    return stored_json(
        {
            "record": view.name, "revision": view.revision, "payload": view.payload, "evidence": view.evidence,
            "order": view.order, "content": view.content, "mentions": view.mentions, "settings": view.settings,
        }
    ).decode()  # fmt: skip


def view_of(uid: str, row: Sequence[Any]) -> RecordView:
    """The record that a row of the table of records shows: whether it is live, its chapter, kind and body."""
    live, chapter, kind, written = row
    body = read_body(written)
    return RecordView(
        uid=uid,
        name=body.record,
        chapter=chapter,
        revision=body.revision,
        kind=kind,
        payload=body.payload,
        evidence=body.evidence,
        order=Order(*body.order),
        content=body.content,
        mentions=body.named,
        settings=settings_of(body.settings),
        live=live,
    )
