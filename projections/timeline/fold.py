"""Presence, told apart from mention: only what actually happens puts somebody into a chapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from projections.facets import Facet, Row
from projections.record_view import RecordView

PRESENT_AS: Final[dict[str, tuple[str, ...]]] = {
    "presence": ("entity",),
    "situation": ("participants",),
    "event": ("participants",),
    "interaction": ("source", "target"),
}
"""For each kind, the fields whose entities are there."""


def _rows(view: RecordView) -> Sequence[Row]:
    if not view.live:
        return ()
    fields = PRESENT_AS.get(view.kind, ()) if view.is_actual else ()
    found: dict[str, bool] = {}
    for mention in view.mentions:
        field = mention.slot.partition(".")[0]
        found[mention.entity] = found.get(mention.entity, False) or field in fields
    return [(entity, view.chapter, present) for entity, present in found.items()]


APPEARANCES = Facet("appearances", ("entity", "chapter", "present"), _rows)
