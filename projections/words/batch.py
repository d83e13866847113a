"""A batch of events folded in memory into rows that come and rows that end; see `schema.sql` for what the rows say.

What is left is what its events, taken one after another, would have left, also of a row that came and went within the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import orjson

from events.domain_events import (
    ChapterPublished,
    ChapterRetracted,
    CheckpointNamed,
    EntityLinked,
    EntityLinkEvent,
    EntityUnlinked,
    RecordAsserted,
    RecordCarried,
    Recorded,
    RecordEvent,
    RecordInvalidated,
    RecordRebound,
    RecordReinstated,
    RecordStated,
)
from projections.wire import mentions_json, settings_json
from projections.words.material import Material

Row: TypeAlias = dict[str, Any]
"""A row on its way, by column. `hash` is its text's, in hexadecimal digits; `since` and `until` the positions it holds for."""
Key: TypeAlias = tuple[str | int, ...]

COPIED: Final = (
    "chapter", "name", "revision", "kind", "payload", "evidence", "scene", "start_at", "ordinal", "mentions", "settings",
    "text", "hash",
)  # fmt: skip
"""What a record shows: the columns that a later row of the same record may take over."""
_NEVER: Final = "empty"


@dataclass(slots=True)
class KnownRecord:
    """A record as far as the batch needs it. `shown` is what its newest row shows, `stored` that an open row is in the table."""

    shown: Row | None = None
    stored: bool = False
    open: list[Row] = field(default_factory=list)


@dataclass(slots=True)
class Known:
    """What is in the tables already of what a batch concerns: records by story and uid, current revisions by chapter."""

    records: dict[tuple[str, str], KnownRecord] = field(default_factory=dict)
    revisions: dict[tuple[str, int], int] = field(default_factory=dict)


def asked(batch: Sequence[Recorded]) -> tuple[list[tuple[str, str]], list[tuple[str, int]]]:
    """The records and chapters that have to be `Known`: those of records that were asserted before the batch."""
    asserted: set[tuple[str, str]] = set()
    records: dict[tuple[str, str], None] = {}
    chapters: dict[tuple[str, int], None] = {}
    for event in (recorded.event for recorded in batch):
        if isinstance(event, RecordAsserted):
            asserted.add((event.story, event.uid))
        elif isinstance(event, RecordEvent):
            if (event.story, event.uid) not in asserted:
                records[event.story, event.uid] = None
            if isinstance(event, RecordCarried):
                chapters[event.story, event.chapter] = None
    return list(records), list(chapters)


class WordsBatch:
    """The rows of a batch, by table, and where rows from before end: by table and what they are found by."""

    def __init__(self, words: Material, known: Known) -> None:
        self._words = words
        self._known = known
        self.rows: dict[str, list[Row]] = {
            "chapters": [],
            "passages": [],
            "records": [],
            "links": [],
            "checkpoints": [],
        }
        self.ends: dict[str, dict[Key, int]] = {"chapters": {}, "passages": {}, "records": {}, "links": {}}
        self._open: dict[tuple[str, Key], list[Row]] = {}

    def take(self, recorded: Recorded) -> None:
        """The next event. Decisions of editors show in the links and records that follow them."""
        match recorded.event:
            case ChapterPublished() as event:
                self._publish(event, recorded.position)
            case ChapterRetracted() as event if not event.superseded:
                shown = {"text_hash": None, "title": None, "language": ""}
                self._replace_chapter(event, recorded.position, shown)
            case RecordEvent() as event:
                self._tell(event, recorded.position)
            case EntityLinked() as event:
                self._begin("links", _link_key(event), _link(event), recorded.position)
            case EntityUnlinked() as event:
                self._end("links", _link_key(event), recorded.position)
            case CheckpointNamed() as event:
                self.rows["checkpoints"].append(
                    {"story": event.story, "name": event.name, "at": event.at, "seen": recorded.position}
                )

    def _publish(self, event: ChapterPublished, position: int) -> None:
        shown = {"text_hash": event.text_hash, "title": event.title, "language": event.language}
        if event.superseded:  # an older revision arrived late: its text is referred to, and never current
            self._add("chapters", {**_chapter(event), **shown}, None)
            return
        self._replace_chapter(event, position, shown)
        for passage in self._words.passages[event.story, event.chapter, event.revision]:
            window = passage.window
            row = {
                **_chapter(event), "ordinal": window.ordinal, "start_at": window.start, "end_at": window.end,
                "text": passage.text, "hash": passage.hash.hex(),
            }  # fmt: skip
            self._begin("passages", (event.story, event.chapter), row, position)

    def _replace_chapter(self, event: ChapterPublished | ChapterRetracted, position: int, shown: Row) -> None:
        key = (event.story, event.chapter)
        self._end("passages", key, position)
        self._end("chapters", key, position)
        self._begin("chapters", key, {**_chapter(event), **shown}, position)
        self._known.revisions[event.story, event.chapter] = event.revision

    def _tell(self, event: RecordEvent, position: int) -> None:
        known = self._known.records.setdefault((event.story, event.uid), KnownRecord())
        if isinstance(event, RecordAsserted):
            self._show(event, known, self._stated(event, position), position, live=True)
        elif isinstance(event, RecordCarried):
            # only a carry into the current revision changes what is shown; it does not change whether it is live
            if self._known.revisions.get((event.story, event.chapter)) == event.revision:
                live = self._hide(event, known, position)
                self._show(event, known, self._stated(event, position), position, live=live)
        elif isinstance(event, RecordInvalidated):
            self._hide(event, known, position)
        elif isinstance(event, RecordReinstated):
            if not known.open and not known.stored and known.shown is not None:
                self._show(event, known, known.shown, position, live=True)
        elif isinstance(event, RecordRebound):
            live = self._hide(event, known, position)
            if known.shown is not None:
                self._show(event, known, {**known.shown, **_names(event)}, position, live=live)

    def _stated(self, event: RecordStated, position: int) -> Row:
        text, text_hash = self._words.records[position]
        return {
            "chapter": event.chapter, "name": event.record, "revision": event.revision, "kind": event.kind,
            "payload": event.payload, "evidence": event.evidence, "scene": event.order.scene,
            "start_at": event.order.start, "ordinal": event.order.ordinal, **_names(event), "text": text,
            "hash": text_hash.hex(),
        }  # fmt: skip

    def _show(self, event: RecordEvent, known: KnownRecord, shown: Row, position: int, *, live: bool) -> None:
        """A new row of the record; one that is not live keeps what a reinstatement would show."""
        row = {"story": event.story, "uid": event.uid, "seen": position, **shown}
        self._add("records", row, position if live else None)
        known.shown = shown
        if live:
            known.open.append(row)

    def _hide(self, event: RecordEvent, known: KnownRecord, position: int) -> bool:
        """End the rows of the record that are open; whether there was one."""
        was = bool(known.open) or known.stored
        if known.stored:
            self.ends["records"][event.story, event.uid] = position
            known.stored = False
        for row in known.open:
            row["until"] = position
        known.open.clear()
        return was

    def _begin(self, table: str, key: Key, row: Row, position: int) -> None:
        self._add(table, row, position)
        self._open.setdefault((table, key), []).append(row)

    def _end(self, table: str, key: Key, position: int) -> None:
        for row in self._open.pop((table, key), ()):
            row["until"] = position
        self.ends[table].setdefault(key, position)  # of those in the table, the first end is the one that is meant

    def _add(self, table: str, row: Row, since: int | None) -> None:
        row["since"], row["until"] = since, None
        self.rows[table].append(row)


def recorded_range(row: Row) -> str:
    """The positions that a row holds for, as PostgreSQL reads them."""
    if row["since"] is None:
        return _NEVER
    return f"[{row['since']},{'' if row['until'] is None else row['until']})"


def _chapter(event: ChapterPublished | ChapterRetracted) -> Row:
    return {"story": event.story, "chapter": event.chapter, "revision": event.revision}


def _names(event: RecordStated | RecordRebound) -> Row:
    return {
        "mentions": orjson.Fragment(mentions_json(event.mentions)),
        "settings": orjson.Fragment(settings_json(event.settings)),
    }


LINK_COLUMNS: Final = ("story", "chapter", "rank", "a", "b", "origin")


def _link(event: EntityLinkEvent) -> Row:
    return dict(zip(LINK_COLUMNS, _link_key(event), strict=True))


def _link_key(event: EntityLinkEvent) -> Key:
    return (event.story, event.chapter, event.rank, event.a, event.b, event.origin)
