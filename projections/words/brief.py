"""What a record says, as short as it can be said: one line among others.

It is the statement (`verbalising`) without who took part, where it was and how it was learned. What kind of truth it is stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from events.domain_events import Json
from projections.words.verbalising import marked, statement

Payload = Mapping[str, Any]


def brief(kind: str, payload: Json) -> str:
    """The core of what a record of this kind says, as a sentence; its statement where it has no shorter one."""
    fields = payload if isinstance(payload, Mapping) else {}
    said = _CORES.get(kind, _nothing)(fields)
    return marked(said, fields) if said.strip() else statement(kind, payload)


def _nothing(p: Payload) -> str:
    return ""


def _summary(p: Payload) -> str:
    return str(p.get("summary") or "")


def _relation(p: Payload) -> str:
    joint = "and" if p.get("symmetric", True) else "→"
    return f"{p.get('source', '')} {joint} {p.get('target', '')}: {p.get('relation', '')}"


def _knowledge(p: Payload) -> str:
    return f"{p.get('knower', '')} {p.get('stance', 'knows')} that {p.get('fact', '')}"


def _revelation(p: Payload) -> str:
    return str(p.get("fact") or "")


def _thread(p: Payload) -> str:
    return str(p.get("description") or "")


def _arc(p: Payload) -> str:
    return f"{p.get('subject', '')}, {p.get('arc', '')}: {p.get('stage', '')}"


_CORES: Final[dict[str, Callable[[Payload], str]]] = {
    "situation": _summary,
    "event": _summary,
    "interaction": _summary,
    "relationship_delta": _relation,
    "knowledge": _knowledge,
    "revelation": _revelation,
    "thread": _thread,
    "arc_delta": _arc,
}
