"""The schema of a reply, generated from the record models, and the way back from a reply to records.

The service compiles the schema to a grammar and takes at most 24 optional fields and few unions. So what all kinds share
stands outside a record's `content`, lists and fields with a default are always written, and null is said by leaving out.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, get_args

from pydantic.fields import FieldInfo

from events.domain_events import Json
from events.records import KINDS, AnyRecord, Knowers, Participants, Record

MODELS: Final[dict[str, type[Record]]] = dict(zip(KINDS, get_args(get_args(AnyRecord)[0]), strict=True))

_ALWAYS_SAID: Final = frozenset(
    {"thread.thread_kind", "identity.known_to", "revelation.revealed_to", "interaction.summary"}
    | {"revelation.event_chapter"}
)
"""Fields that records may leave out and replies do not: each optional one makes the grammar bigger."""
_TEXT: Final = {"type": "string"}
_NAMES: Final = {"type": "array", "items": _TEXT}
_PARTICIPANTS: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"entity": _TEXT, "role": _TEXT},
        "required": ["entity", "role"],
        "additionalProperties": False,
    },
}
_REQUIREMENTS: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"key": _TEXT, "value": {"anyOf": [_TEXT, {"type": "boolean"}, {"type": "null"}]}},
        "required": ["key", "value"],
        "additionalProperties": False,
    },
}


@cache
def schema() -> dict[str, Any]:
    """The JSON schema of a reply: `{"records": [{"id", "quotes", "scene", …, "content": {"kind", …}}]}`. Do not change it."""
    shared: dict[str, Any] = {
        "id": _TEXT,
        "quotes": _NAMES,
        "scene": {"type": "integer"},
        "modality": _enumeration(Record.model_fields["modality"].annotation),
        "confidence": {"type": "number"},
        "focalizer": _TEXT,
        "story_time": _TEXT,
        "content": {"anyOf": [_content(kind) for kind in KINDS]},
        "depends_on": _NAMES,
        "requires": _REQUIREMENTS,
    }
    optional = {"depends_on", "requires"}
    record = _object(shared, [name for name in shared if name not in optional])
    return _object({"records": {"type": "array", "items": record}}, ["records"])


def record(said: Json) -> dict[str, Any]:
    """One record of a reply as a sidecar has it. Raises ValueError for what is no record; fields are not checked.

    A record that is written flat, as in a sidecar, is taken as well: not every model keeps to a schema.
    """
    if not isinstance(said, dict):
        raise ValueError("a record is an object")
    content = said.get("content")
    flat: dict[str, Any] = {name: value for name, value in said.items() if name not in ("content", "quotes")}
    flat |= content if isinstance(content, dict) else {}
    quotes = said.get("quotes")
    if isinstance(quotes, list):
        flat["evidence"] = [{"quote": quote} for quote in quotes if isinstance(quote, str) and quote.strip()]
    for name in ("participants", "revealed_to", "known_to", "depends_on", "requires", "aliases", "causes"):
        if name in flat and not flat[name]:
            del flat[name]
    if isinstance(flat.get("participants"), list):
        flat["participants"] = [_participant(each) for each in flat["participants"]]
    for name in ("scene", "event_chapter"):
        if isinstance(flat.get(name), int) and flat[name] < 1:
            del flat[name]
    if isinstance(flat.get("story_time"), str):
        flat["story_time"] = {"label": flat["story_time"].strip()} if flat["story_time"].strip() else None
    return {name: value for name, value in flat.items() if value not in (None, "")}


def own_fields(kind: str) -> dict[str, FieldInfo]:
    """The fields only this kind has, by the name they are written with."""
    fields = MODELS[kind].model_fields.items()
    return {field.alias or name: field for name, field in fields if name not in Record.model_fields and name != "kind"}


def _content(kind: str) -> dict[str, Any]:
    properties: dict[str, Any] = {"kind": {"type": "string", "enum": [kind]}}
    required = ["kind"]
    written = MODELS[kind].model_json_schema()["properties"]
    for name, field in own_fields(kind).items():
        properties[name] = _field(written[name], field)
        if field.is_required() or field.get_default() is not None or f"{kind}.{name}" in _ALWAYS_SAID:
            required.append(name)
    return _object(properties, required)


def _field(found: dict[str, Any], field: FieldInfo) -> dict[str, Any]:
    if field.annotation == get_args(Participants)[0]:
        return _PARTICIPANTS
    if field.annotation == Knowers | None:
        return _NAMES
    plain = next((each for each in found.get("anyOf", [found]) if each.get("type") != "null"), found)
    if "enum" in plain or "const" in plain:
        return {"type": "string", "enum": plain.get("enum") or [plain["const"]]}
    return _NAMES if plain["type"] == "array" else {"type": plain["type"]}


def _enumeration(annotation: Any) -> dict[str, Any]:
    return {"type": "string", "enum": list(get_args(annotation))}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _participant(said: Json) -> Json:
    if isinstance(said, dict) and not said.get("role"):
        return said.get("entity", "")
    return said
