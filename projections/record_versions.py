"""The table of record versions, which every read model made of records begins with (see `records.sql`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
from psycopg import sql

from events.domain_events import Order
from projections.copying import array, line
from projections.facets import Facet, Row
from projections.once_asserted import OnceAsserted
from projections.projection import Conn
from projections.record_view import RecordView
from projections.wire import mentions_from, mentions_json, setting_from, settings_json

TABLE_SQL = Path(__file__).with_name("records.sql").read_text(encoding="utf-8")
INDEX_SQL = """
CREATE INDEX records_by_uid ON records (story, uid);
"""
_HEADS = sql.SQL(
    "SELECT r.story, r.uid, live, name, chapter, revision, kind, payload::text, evidence, scene, start, ordinal, content,"
    " mentions::text, settings::text FROM unnest(%s::text[], %s::text[]) AS n (story, uid)"
    " JOIN records r ON r.story = n.story AND r.uid = n.uid AND upper_inf(recorded)"
)


def _rows(view: RecordView) -> list[Row]:
    order = view.order
    return [
        (
            view.live,
            view.name,
            view.chapter,
            view.revision,
            view.kind,
            orjson.dumps(view.payload).decode(),
            flat(view.evidence),
            order.scene,
            order.start,
            order.ordinal,
            view.content,
            mentions_json(view.mentions),
            settings_json(view.settings),
        )
    ]


def _lines(once: OnceAsserted) -> list[str]:
    if once.record_line is None:
        once.record_line = _line(once)
    return [once.record_line]


def _line(once: OnceAsserted) -> str:
    state = once.state
    scene, start, ordinal = once.order
    payload, mentions = orjson.dumps(state["payload"]).decode(), orjson.dumps(state["mentions"]).decode()
    return line(
        (
            "t",
            state["record"],
            f"{once.chapter}",
            f"{state['revision']}",
            state["kind"],
            payload,
            flat(state["evidence"]),
            f"{scene}",
            f"{start}",
            f"{ordinal}",
            state["content"],
            mentions,
            orjson.dumps([setting.json for setting in once.settings]).decode() if once.settings else "[]",
        )
    )


RECORDS = Facet(
    "records",
    (
        "live",
        "name",
        "chapter",
        "revision",
        "kind",
        "payload",
        "evidence",
        "scene",
        "start",
        "ordinal",
        "content",
        "mentions",
        "settings",
    ),
    _rows,
    _lines,
)


def heads(conn: Conn, named: Sequence[tuple[str, str]]) -> dict[tuple[str, str], RecordView]:
    """The records as they are shown now, live or not, of those named by story and uid (each once)."""
    if not named:
        return {}
    rows = conn.execute(_HEADS, (array([story for story, _ in named]), array([uid for _, uid in named])))
    return {(row[0], row[1]): view_of(row[1], row[2:]) for row in rows}


def view_of(uid: str, row: Sequence[Any]) -> RecordView:
    """The record that a row of the table, in the order of `RECORDS.columns`, shows."""
    live, name, chapter, revision, kind, payload, evidence, scene, start, ordinal, content, mentions, settings = row
    return RecordView(
        uid=uid,
        name=name,
        chapter=chapter,
        revision=revision,
        kind=kind,
        payload=orjson.loads(payload),
        evidence=spans(evidence if isinstance(evidence, list) else _flat(evidence)),
        order=Order(scene, start, ordinal),
        content=content,
        mentions=mentions_from(orjson.loads(mentions)),
        settings=tuple(setting_from(row) for row in orjson.loads(settings)),
        live=live,
    )


def flat(evidence: Sequence[Sequence[int]]) -> str:
    """Spans as a flat array, as PostgreSQL reads it."""
    if len(evidence) == 1:  # nearly always
        start, end = evidence[0]
        return f"{{{start},{end}}}"
    return "{" + ",".join([f"{start},{end}" for start, end in evidence]) + "}"


def _flat(written: str) -> list[int]:
    """The elements of an array of integers as it is written into a row."""
    return [int(number) for number in written[1:-1].split(",")] if len(written) > 2 else []


def spans(flat: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Half-open spans from the flat array of a row."""
    return tuple(zip(flat[::2], flat[1::2], strict=True))
