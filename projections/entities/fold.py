"""What a record contributes to the entities: mentions, names, edges."""

from __future__ import annotations

from collections.abc import Sequence

from events.names import name_key
from projections.entities.edges import edges_of
from projections.facets import Facet, Row, Value
from projections.record_view import ACTUAL, RecordView

_PLACE = ("chapter", "scene", "start", "ordinal")


def _place(view: RecordView) -> tuple[int, int, int, int]:
    return (view.chapter, view.order.scene, view.order.start, view.order.ordinal)


def _mentions(view: RecordView) -> Sequence[Row]:
    if not view.live:
        return ()
    place = _place(view)
    return [
        (m.entity, m.slot, m.surface, name_key(m.surface), view.kind == "entity" and m.slot == "name", *place)
        for m in view.mentions
    ]


def _names(view: RecordView) -> Sequence[Row]:
    if not view.live or view.kind != "entity":
        return ()
    entity = next((m.entity for m in view.mentions if m.slot == "name"), None)
    if entity is None:
        return ()
    names = [view.payload["name"], *view.payload.get("aliases", ())]
    place = _place(view)
    return [(entity, name, name_key(name), rank, *place) for rank, name in enumerate(names)]


def _edges(view: RecordView) -> Sequence[Row]:
    if not view.live:
        return ()
    modality: Value = view.payload.get("modality", ACTUAL)
    evidence = "{" + ",".join(f"{start},{end}" for start, end in view.evidence) + "}"
    grounded = (modality, view.name, view.revision, evidence, *_place(view))
    return [(e.source, e.target, e.type, e.label, e.polarity, *grounded) for e in edges_of(view)]


MENTIONS = Facet("mentions", ("entity", "slot", "surface", "surface_key", "introduces", *_PLACE), _mentions)
NAMES = Facet("names", ("entity", "name", "name_key", "rank", *_PLACE), _names)
EDGES = Facet(
    "edges",
    ("source", "target", "type", "label", "polarity", "modality", "record", "revision", "evidence", *_PLACE),
    _edges,
)
