"""The assertions that a record makes: one row a setting of a live record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from events.domain_events import SEPARATOR, Setting, Term
from projections.copying import line
from projections.facets import Facet, Row
from projections.once_asserted import OnceAsserted
from projections.record_view import RecordView
from projections.wire import setting_json


def value_key(value: Term | None) -> str | None:
    """How a value is compared; None where it ends the key."""
    return None if value is None else value.compared


def _rows(view: RecordView) -> Sequence[Row]:
    if not view.live:
        return ()
    order = view.order
    place = (view.chapter, order.scene, order.start, order.ordinal)
    return [(s.node_key, s.functor, value_key(s.value), *place, setting_json(s)) for s in view.settings]


def entities_of_keys(views: Sequence[RecordView]) -> Iterator[tuple[str, str]]:
    """(entity, node key) for each key that names an entity in an argument or as a value."""
    seen: set[tuple[str, str]] = set()
    for view in views:
        for setting in view.settings:
            key = setting.node_key
            for entity in _entities(setting):
                pair = (entity, key)
                if pair not in seen:
                    seen.add(pair)
                    yield pair


def _entities(setting: Setting) -> Iterator[str]:
    for term in (*setting.args, setting.value):
        if term is not None and term.entity:
            yield term.key


def entities_of_node_key(key: str, values: Iterable[str]) -> set[str]:
    """The entities that a node key names in its arguments, and those among values as they are compared."""
    terms = [*key[key.index("(") + 1 : -1].split(SEPARATOR), *values]
    return {term[1:] for term in terms if term.startswith("@")}


def _lines(once: OnceAsserted) -> Sequence[str]:
    scene, start, ordinal = once.order
    place = (f"{once.chapter}", f"{scene}", f"{start}", f"{ordinal}")
    return [line((s.node_key, s.functor, s.value, *place, s.stored)) for s in once.settings]


ASSERTIONS = Facet(
    "assertions",
    ("node_key", "functor", "value_key", "chapter", "scene", "start", "ordinal", "setting"),
    _rows,
    _lines,
)
