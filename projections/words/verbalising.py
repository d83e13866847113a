"""What a record says, in one sentence: the text that is searched and embedded for it.

It depends on the record and its chapter's text alone, never on how names resolve, so a record keeps its vector when other chapters
change. The names are those the record was handed in with. Labels of kinds stay out: they pull vectors towards each other
without saying anything of the story (NWM, appendix H, measures the loss).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from events.domain_events import Json

MAX_QUOTE: Final = 600
"""Characters of evidence in a record's text; the spans themselves stay whole."""

Payload = Mapping[str, Any]


def record_text(kind: str, payload: Json, quotes: Sequence[str]) -> str:
    """The statement of a record, followed by its evidence: `brass key: owner Mara Voss. "the brass key lay warm"`."""
    said = statement(kind, payload)
    quoted = " … ".join(" ".join(quote.split()) for quote in quotes)
    if len(quoted) > MAX_QUOTE:
        quoted = quoted[:MAX_QUOTE].rsplit(" ", 1)[0] + " …"
    return f'{said} "{quoted}"' if quoted else said


def statement(kind: str, payload: Json) -> str:
    """What a record of this kind says, as a sentence. Unknown kinds list their fields."""
    fields = payload if isinstance(payload, Mapping) else {}
    return marked(STATEMENTS.get(kind, _listed)(fields), fields)


def marked(said: str, fields: Payload) -> str:
    """A text on one line, as a sentence, and what kind of truth it is where the record says so."""
    modality = fields.get("modality", "actual")
    focalizer = fields.get("focalizer")
    marks = [
        m for m in ("" if modality == "actual" else str(modality), f"seen by {focalizer}" if focalizer else "") if m
    ]
    said = " ".join(said.split())
    if said and said[-1] not in ".!?…。！？":
        said += "."
    return f"{said} ({', '.join(marks)})" if marks else said


def _names(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        role = value.get("role")
        return str(value.get("entity", "")) + (f" as {role}" if role else "")
    if isinstance(value, Sequence):
        return ", ".join(_names(item) for item in value)
    return str(value)


def _join(parts: Iterable[str], separator: str = "; ") -> str:
    return separator.join(part for part in parts if part)


def _with(label: str, value: Json) -> str:
    return f"{label} {_names(value)}" if value not in (None, "", []) else ""


def _entity(p: Payload) -> str:
    return _join(
        (
            f"{p.get('name', '')}, {p.get('type', '')}",
            _with("also called", p.get("aliases")),
            _names(p.get("description")),
        )
    )


def _identity(p: Payload) -> str:
    return _join((f"{p.get('a', '')} is {p.get('b', '')}", _with("known to", p.get("known_to"))))


def _happening(p: Payload) -> str:
    return _join(
        (
            _names(p.get("summary")),
            _with("with", p.get("participants")),
            _with("at", p.get("location")),
            _names(p.get("function")),
        )
    )


def _interaction(p: Payload) -> str:
    return _join((f"{p.get('source', '')} → {p.get('target', '')}: {p.get('type', '')}", _names(p.get("summary"))))


def _presence(p: Payload) -> str:
    return f"{p.get('entity', '')} is at {p.get('location', '')}"


def _character_delta(p: Payload) -> str:
    ended = "no longer " if p.get("op") == "remove" else ""
    return f"{p.get('character', '')}: {p.get('attribute', '')} {ended}{p.get('value', '')}"


def _relationship_delta(p: Payload) -> str:
    joint = "and" if p.get("symmetric", True) else "→"
    return _join(
        (f"{p.get('source', '')} {joint} {p.get('target', '')}: {p.get('relation', '')}", _names(p.get("description")))
    )


def _object_delta(p: Payload) -> str:
    states = (_with("owner", p.get("owner")), _with("location", p.get("location")), _with("state", p.get("state")))
    return f"{p.get('object', '')}: {_join(states)}"


def _knowledge(p: Payload) -> str:
    how = _with("learned via", p.get("learned_via"))
    return _join((f"{p.get('knower', '')} {p.get('stance', 'knows')} that {p.get('fact', '')}", how))


def _revelation(p: Payload) -> str:
    return _join((f"It is revealed that {p.get('fact', '')}", _with("to", p.get("revealed_to"))))


def _thread(p: Payload) -> str:
    kind = _names(p.get("thread_kind"))
    title = f"{p.get('thread', '')}" + (f" ({kind})" if kind else "")
    return _join((f"{title}: {str(p.get('status', '')).replace('_', ' ')}", _names(p.get("description"))))


def _arc_delta(p: Payload) -> str:
    return _join(
        (
            f"{p.get('subject', '')}, {p.get('arc', '')}: {p.get('stage', '')}",
            _with("from", p.get("from")),
            _names(p.get("function")),
        )
    )


def _fact(p: Payload) -> str:
    denied = "not " if p.get("negated") else ""
    return f"{p.get('subject', '')} {denied}{p.get('predicate', '')} {p.get('object', '')}"


def _world_rule(p: Payload) -> str:
    return f"{p.get('rule', '')}: {p.get('statement', '')}"


_SHARED: Final = frozenset(
    {"kind", "id", "evidence", "confidence", "scene", "focalizer", "modality", "story_time", "depends_on", "requires"}
)


def _listed(p: Payload) -> str:
    shown = ((name, _names(p[name])) for name in sorted(p) if name not in _SHARED)
    return _join(f"{name} {value}" for name, value in shown if value)


STATEMENTS: Final[dict[str, Callable[[Payload], str]]] = {
    "entity": _entity,
    "identity": _identity,
    "situation": _happening,
    "event": _happening,
    "interaction": _interaction,
    "presence": _presence,
    "character_delta": _character_delta,
    "relationship_delta": _relationship_delta,
    "object_delta": _object_delta,
    "knowledge": _knowledge,
    "revelation": _revelation,
    "thread": _thread,
    "arc_delta": _arc_delta,
    "fact": _fact,
    "world_rule": _world_rule,
}
