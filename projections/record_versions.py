"""The table of record versions, which every read model made of records begins with (see `records.sql`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from psycopg import sql

from projections.copying import array, json_value
from projections.facets import Facet, Row
from projections.once_asserted import OnceAsserted
from projections.projection import Conn
from projections.record_body import body_of_view, view_of
from projections.record_view import RecordView

TABLE_SQL = Path(__file__).with_name("records.sql").read_text(encoding="utf-8")
INDEX_SQL = """
CREATE INDEX records_by_uid ON records (story, uid);
"""
_HEADS = sql.SQL(
    "SELECT r.story, r.uid, live, chapter, kind, body FROM unnest(%s::text[], %s::text[]) AS n (story, uid)"
    " JOIN records r ON r.story = n.story AND r.uid = n.uid AND upper_inf(recorded)"
)


def _rows(view: RecordView) -> list[Row]:
    return [(view.live, view.chapter, view.kind, body_of_view(view))]


def _lines(once: OnceAsserted) -> list[str]:
    if once.record_line is None:
        once.record_line = f"t\t{once.chapter}\t{once.state.kind}\t{json_value(once.body())}"
    return [once.record_line]


RECORDS = Facet("records", ("live", "chapter", "kind", "body"), _rows, _lines)


def heads(conn: Conn, named: Sequence[tuple[str, str]]) -> dict[tuple[str, str], RecordView]:
    """The records as they are shown now, live or not, of those named by story and uid (each once)."""
    if not named:
        return {}
    rows = conn.execute(_HEADS, (array([story for story, _ in named]), array([uid for _, uid in named])))
    return {(row[0], row[1]): view_of(row[1], row[2:]) for row in rows}


def spans(flat: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Half-open spans from the flat array of a row."""
    return tuple(zip(flat[::2], flat[1::2], strict=True))
