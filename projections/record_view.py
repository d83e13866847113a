"""A record as the read models show it: what its events, taken in order, leave of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from events.domain_events import (
    Json,
    Mention,
    Order,
    RecordAsserted,
    Recorded,
    RecordEvent,
    RecordInvalidated,
    RecordRebound,
    RecordReinstated,
    RecordStated,
    Setting,
    StoryEvent,
)

ACTUAL = "actual"


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record in the newest revision that states it. `evidence` holds half-open code point spans of that text."""

    uid: str
    name: str
    chapter: int
    revision: int
    kind: str
    payload: Json
    evidence: tuple[tuple[int, int], ...]
    order: Order
    content: str
    mentions: tuple[Mention, ...]
    settings: tuple[Setting, ...]
    live: bool

    @property
    def is_actual(self) -> bool:
        return bool(self.payload.get("modality", ACTUAL) == ACTUAL)


@dataclass(frozen=True, slots=True)
class Change:
    """What a publication, taken as a whole, did to a record."""

    before: RecordView | None
    after: RecordView


def stated(event: RecordStated, *, live: bool) -> RecordView:
    return RecordView(
        uid=event.uid,
        name=event.record,
        chapter=event.chapter,
        revision=event.revision,
        kind=event.kind,
        payload=event.payload,
        evidence=event.evidence,
        order=event.order,
        content=event.content,
        mentions=event.mentions,
        settings=event.settings,
        live=live,
    )


def advanced(view: RecordView | None, event: RecordEvent) -> RecordView:
    """The view after one more event of the record.

    A statement of an older revision than the one shown only arrived late and changes nothing.
    """
    if isinstance(event, RecordStated):
        if view is None:
            return stated(event, live=True)
        return view if event.revision < view.revision else stated(event, live=view.live)
    if view is None:
        raise ValueError(
            f"{type(event).__name__} of {event.story}#{event.version} concerns {event.uid}, which no event asserted"
        )
    match event:
        case RecordRebound():
            return replace(view, content=event.content, mentions=event.mentions, settings=event.settings)
        case RecordInvalidated():
            return replace(view, live=False)
        case RecordReinstated():
            return replace(view, live=True)
    return view


def record_uids(events: Iterable[Recorded]) -> list[str]:
    return list({r.event.uid: None for r in events if isinstance(r.event, RecordEvent)})


def known_before(events: Iterable[Recorded]) -> list[str]:
    """The uids of records that were asserted before these events."""
    first: dict[str, bool] = {}
    for event in (recorded.event for recorded in events):
        if isinstance(event, RecordEvent):
            first.setdefault(event.uid, isinstance(event, RecordAsserted))
    return [uid for uid, asserted in first.items() if not asserted]


def changes(heads: Mapping[str, RecordView], events: Iterable[StoryEvent]) -> list[Change]:
    """The net effect of a publication on each record it names. `heads` are the views before it, by uid."""
    after: dict[str, RecordView] = {}
    for event in events:
        if isinstance(event, RecordEvent):
            after[event.uid] = advanced(after.get(event.uid) or heads.get(event.uid), event)
    return [Change(heads.get(uid), view) for uid, view in after.items() if heads.get(uid) != view]
