"""Merging what several replies say about one chapter. Where two say the same of the same words, one record remains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from events.errors import InvalidRecords
from events.evidence import folded
from events.sidecar import validate
from services.extraction.claude.verifying import position

_SAYS_MORE: Final = frozenset(
    {"id", "evidence", "confidence", "scene", "modality", "depends_on", "requires", "description", "summary", "aliases"}
    | {"focalizer", "story_time", "event_chapter"}
    | {"causes", "function", "learned_via", "polarity", "location", "event", "from", "stage"}
)
_REFERENCES: Final = ("depends_on", "causes")
_REFERENCE: Final = ("event", "fact")


def merged(replies: Iterable[Sequence[dict[str, Any]]], chapter: int) -> list[dict[str, Any]]:
    """The records of all replies in text order, ids unique, references following; valid as a sidecar of the chapter."""
    return traced(replies, chapter)[0]


def traced(replies: Iterable[Sequence[dict[str, Any]]], chapter: int) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """What `merged` gives, and by record id the number of the reply that said it first."""
    kept: list[dict[str, Any]] = []
    taken: set[str] = set()
    origin: dict[str, int] = {}
    for number, reply in enumerate(replies):
        names: dict[str, str] = {}
        fresh = []
        for record in reply:
            if (same := _same(record, kept)) is not None:
                names[record["id"]] = same["id"]
                _enrich(same, record)
            else:
                names[record["id"]] = _free(record["id"], taken)
                fresh.append(record)
        kept += [_renamed(record, names) for record in fresh]
        origin |= {names[record["id"]]: number for record in fresh}
    kept.sort(key=position)
    return _sound(kept, chapter), origin


def _same(record: dict[str, Any], kept: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    mine = _signature(record)
    for other in kept:
        if other["kind"] != record["kind"] or _signature(other) != mine:
            continue
        if record["kind"] == "entity" or _overlap(record, other):
            return other
    return None


def _signature(record: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What a record is about, without the parts that two readings word differently."""
    if record["kind"] == "entity":
        return (("name", folded(record["name"]).casefold()),)
    said = {name: value for name, value in record.items() if name not in _SAYS_MORE}
    if "participants" in said:
        people = [p["entity"] if isinstance(p, dict) else p for p in said["participants"]]
        said["participants"] = sorted(folded(p).casefold() for p in people)
    return tuple(sorted((name, folded(str(value)).casefold()) for name, value in said.items()))


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return any(a["start"] < b["end"] and b["start"] < a["end"] for a in one["evidence"] for b in other["evidence"])


def _enrich(kept: dict[str, Any], record: dict[str, Any]) -> None:
    """An entity met twice has the aliases of both."""
    if record["kind"] == "entity" and record.get("aliases"):
        kept["aliases"] = list(dict.fromkeys([*kept.get("aliases", ()), *record["aliases"]]))


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}.{number}"
    taken.add(name)
    return name


def _renamed(record: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    renamed = {**record, "id": names[record["id"]]}
    for field in _REFERENCES:
        if field in renamed:
            renamed[field] = [names.get(name, name) for name in renamed[field]]
    for field in _REFERENCE:
        if renamed.get(field) in names and record["kind"] in ("revelation", "knowledge"):
            renamed[field] = names[renamed[field]]
    return renamed


def _sound(records: list[dict[str, Any]], chapter: int) -> list[dict[str, Any]]:
    """The records without references to what has been rejected, and without circles."""
    ids = {record["id"] for record in records}
    for record in records:
        for field in _REFERENCES:
            names = [name for name in record.pop(field, ()) if name in ids - {record["id"]} or ":" in name]
            if names:
                record[field] = names
    try:
        return validate(records, chapter=chapter)
    except InvalidRecords:
        # dependencies in a circle: none of them can be trusted
        for record in records:
            record.pop("depends_on", None)
        return validate(records, chapter=chapter)
