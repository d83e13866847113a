"""What two revisions of a chapter have in common: records of the same content, and names that were only renamed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from events.domain_events import Mention, Setting
from events.names import literal_key, name_key
from events.references import occurrence_text


@dataclass(frozen=True, slots=True)
class Former:
    """What somebody who was only renamed used to be called: the name key first, then every name key there was."""

    key: str
    names: frozenset[str]


class Contained(Protocol):
    """A record of a revision, as far as matching looks at it."""

    content: str


C = TypeVar("C", bound=Contained)


def content_of(payload: Mapping[str, Any], mentions: Sequence[Mention], states: Sequence[Setting]) -> str:
    """What makes a record the same across the revisions of its chapter.

    Of one that sets state keys: its kind, modality, keys and values; of an occurrence: its kind, normalised text, and
    for a text-less one whom it names. Entities count by id, so another spelling of a name changes nothing.
    """
    parts = [payload["kind"], payload.get("modality", "actual")]
    if states:
        parts += [f"{s.node_key}={s.value and ('@' if s.value.entity else '=') + s.value.key}" for s in states]
    elif payload["kind"] == "entity":
        parts += [m.entity for m in mentions if m.slot == "name"]
    else:
        parts.append(occurrence_text(payload))
        if payload["kind"] == "interaction":
            parts += [m.entity for m in mentions if m.slot in ("source", "target")]
    return hashlib.blake2b("\x1e".join(parts).encode(), digest_size=16).hexdigest()


def matched(old: Iterable[C], new: Iterable[C]) -> list[tuple[C, C]]:
    """Pairs of records of equal content; several of one content are paired in story order."""
    waiting: dict[str, list[C]] = {}
    for entry in old:
        waiting.setdefault(entry.content, []).append(entry)
    return [(waiting[entry.content].pop(0), entry) for entry in new if waiting.get(entry.content)]


def renamed(
    old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]], old_text: str, new_text: str
) -> dict[str, Former]:
    """Names of the new revision that only replace a name of the old one: new name key -> what it was.

    `old` and `new` are the payloads of the two revisions' entity records. A name counts as renamed when the new text is
    the old one with that name (and the aliases that went with it) written differently throughout, and nothing else.
    """
    gone = [e for e in old if not _has(new, e)]
    come = [e for e in new if not _has(old, e)]
    pairs = [(a, b) for a in gone for b in come if a["type"] == b["type"]]
    if not pairs or len(pairs) > 50:
        return {}
    target = literal_key(new_text)
    return {
        name_key(b["name"]): Former(
            name_key(a["name"]), frozenset(map(name_key, _names(a))) - set(map(name_key, _names(b)))
        )
        for a, b in pairs
        if literal_key(_replaced(old_text, a, b)) == target and name_key(a["name"]) not in target
    }


def _has(entities: Sequence[Mapping[str, Any]], one: Mapping[str, Any]) -> bool:
    return any(name_key(e["name"]) == name_key(one["name"]) for e in entities)


def _names(entity: Mapping[str, Any]) -> list[str]:
    return [entity["name"], *entity.get("aliases", ())]


def _replaced(text: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    forms = dict(zip(_names(a), _names(b), strict=False))
    pattern = "|".join(rf"\b{re.escape(form)}\b" for form in sorted(forms, key=len, reverse=True) if form.strip())
    return re.sub(pattern, lambda match: forms[match[0]], text) if pattern else text
