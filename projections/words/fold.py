"""The fold from events to rows: which statements each event brings about. See `statements.sql` for what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Final, TypeAlias

import orjson
from psycopg import Connection

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
from projections.words.material import Material, Revised

Parameters: TypeAlias = dict[str, Any]
Statement: TypeAlias = tuple[str, Parameters]
"""The name of a statement and its parameters."""

_HERE: Final = Path(__file__).parent
_CACHED_VECTOR: Final = (
    "(SELECT v.vector FROM embeddings.vectors v WHERE v.embedder = %(embedder)s AND v.text_hash = %(hash)s)"
)


def write(conn: Connection[Any], batch: Sequence[Recorded], words: Material, embedder: str | None) -> None:
    """Applies a batch in order. With `embedder` each row gets its vector from the cache, else none."""
    found = statements_by_name("NULL::vector" if embedder is None else _CACHED_VECTOR)
    steps = chain((step for recorded in batch for step in steps_of(recorded, words)), touches(batch))
    with conn.cursor() as cursor:
        for name, run in groupby(steps, key=lambda step: step[0]):
            cursor.executemany(found[name], [{**parameters, "embedder": embedder} for _, parameters in run])


def steps_of(recorded: Recorded, words: Material) -> Iterator[Statement]:
    """The statements of one event, in order. Decisions of editors show in the links and records that follow them."""
    event, position = recorded.event, recorded.position
    at = {"story": event.story, "chapter": event.chapter, "position": position}
    if isinstance(event, ChapterPublished):
        yield from _published(event, at, words)
    elif isinstance(event, ChapterRetracted) and not event.superseded:
        yield "close_passages", at
        yield "close_chapter", at
        yield "open_chapter", {**at, "revision": event.revision, "text_hash": None, "title": None, "language": ""}
    elif isinstance(event, RecordEvent):
        yield from _record(event, at, words)
    elif isinstance(event, EntityLinked | EntityUnlinked):
        yield "open_link" if isinstance(event, EntityLinked) else "close_link", {**at, **_link(event)}
    elif isinstance(event, CheckpointNamed):
        yield "name_checkpoint", {**at, "name": event.name, "at": event.at}


def touches(batch: Sequence[Recorded]) -> Iterator[Statement]:
    """Which publication reached how far in which chapter. Naming a checkpoint changes no chapter."""
    last: dict[tuple[str, str, int, bool], Recorded] = {}
    for recorded in batch:
        event = recorded.event
        last[event.story, event.correlation, event.chapter, not isinstance(event, CheckpointNamed)] = recorded
    for (story, correlation, chapter, counts), recorded in last.items():
        at = {"story": story, "chapter": chapter, "position": recorded.position, "correlation": correlation}
        yield "touch", {**at, "recorded_at": recorded.event.recorded_at, "counts": counts}


def _published(event: ChapterPublished, at: Parameters, words: Material) -> Iterator[Statement]:
    chapter = {
        **at,
        "revision": event.revision,
        "text_hash": event.text_hash,
        "title": event.title,
        "language": event.language,
    }
    if event.superseded:
        yield "note_superseded", chapter
        return
    yield "close_passages", at
    yield "close_chapter", at
    yield "open_chapter", chapter
    for passage in words.passages[event.story, event.chapter, event.revision]:
        window = passage.window
        yield (
            "open_passage",
            {
                **at,
                "revision": event.revision,
                "ordinal": window.ordinal,
                "start": window.start,
                "end": window.end,
                "text": passage.text,
                "hash": passage.hash,
            },
        )


def _record(event: RecordEvent, at: Parameters, words: Material) -> Iterator[Statement]:
    named = {**at, "uid": event.uid, "revision": event.revision}
    if isinstance(event, RecordAsserted):
        yield "assert_record", {**named, **_stated(event, *words.records[at["position"]])}
    elif isinstance(event, RecordCarried):
        yield "close_carried", named
        yield "carry_record", {**named, **_stated(event, *words.records[at["position"]])}
    elif isinstance(event, RecordInvalidated):
        yield "close_record", named
    elif isinstance(event, RecordReinstated):
        yield "reinstate_record", named
    elif isinstance(event, RecordRebound):
        yield "close_record", named
        names = {"mentions": mentions_json(event.mentions), "settings": settings_json(event.settings)}
        yield "rebind_record", {**named, **names}


def _stated(event: RecordStated, text: str, text_hash: bytes) -> Parameters:
    return {
        "name": event.record,
        "kind": event.kind,
        "payload": orjson.dumps(event.payload).decode(),
        "evidence": orjson.dumps([list(span) for span in event.evidence]).decode(),
        "scene": event.order.scene,
        "start": event.order.start,
        "ordinal": event.order.ordinal,
        "mentions": mentions_json(event.mentions),
        "settings": settings_json(event.settings),
        "text": text,
        "hash": text_hash,
    }


def _link(event: EntityLinkEvent) -> Parameters:
    return {"a": event.a, "b": event.b, "origin": event.origin, "rank": event.rank}


def text_hashes(conn: Connection[Any], revised: set[Revised]) -> Mapping[Revised, str | None]:
    """The text hashes of chapter revisions that earlier batches brought."""
    found: dict[Revised, str | None] = {}
    for story, chapter, revision in sorted(revised):
        row = conn.execute(
            "SELECT text_hash FROM chapters WHERE story = %s AND chapter = %s AND revision = %s",
            [story, chapter, revision],
        ).fetchone()
        found[story, chapter, revision] = None if row is None else row[0]
    return found


def purge(conn: Connection[Any], story: str, chapter: int | None) -> list[bytes]:
    """Deletes superseded rows; the text hashes they had."""
    found = statements_by_name("NULL::vector")
    parameters = {"story": story, "chapter": chapter}
    rows = conn.execute(found["purge_passages"], parameters).fetchall()
    rows += conn.execute(found["purge_records"], parameters).fetchall()
    return [bytes(row[0]) for row in rows]


@cache
def statements_by_name(vector: str) -> Mapping[str, str]:
    """The statements of `statements.sql`, `{vector}` in them filled in."""
    parts = re.split(r"^-- name: (\w+)\n", (_HERE / "statements.sql").read_text("utf-8"), flags=re.MULTILINE)
    filled = (text.replace("{vector}", vector) for text in parts[2::2])
    return dict(zip(parts[1::2], filled, strict=True))


@cache
def schema() -> str:
    return (_HERE / "schema.sql").read_text("utf-8")
