"""Which fields of a record name entities, and which state keys a record sets: one place for every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from events.domain_events import Json, Mention, Setting, Term
from events.ids import EntityId
from events.names import IDEA, PERSON, PLACE, READER, THING, fact_key, literal_key, name_key

ANY: Final[tuple[str, ...]] = ()
_PEOPLE: Final = (PERSON,)
_PLACES: Final = (PLACE,)
_THINGS: Final = (THING,)


@dataclass(frozen=True, slots=True)
class Reference:
    """A field that names an entity. `prefer`: the classes that make sense there. `soft`: a literal unless the name is known."""

    slot: str
    surface: str
    prefer: tuple[str, ...] = ANY
    soft: bool = False


def references(payload: Mapping[str, Json]) -> list[Reference]:
    """The entity-naming fields of a record, in a fixed order. `entity` records: their own name, as slot `name`."""
    found = list(_OF_KIND[payload["kind"]](payload)) if payload["kind"] in _OF_KIND else []
    if focalizer := payload.get("focalizer"):
        found.append(Reference("focalizer", focalizer, _PEOPLE))
    return [r for r in found if not (name_key(r.surface) == READER and r.slot.split(".")[0] in _MAY_BE_READER)]


_MAY_BE_READER: Final = frozenset({"knower", "revealed_to", "known_to"})


def _one(
    slot: str, prefer: tuple[str, ...] = ANY, *, soft: bool = False
) -> Callable[[Mapping[str, Json]], list[Reference]]:
    def find(payload: Mapping[str, Json]) -> list[Reference]:
        value = payload.get(slot)
        return [Reference(slot, value, prefer, soft)] if isinstance(value, str) else []

    return find


def _many(slot: str, prefer: tuple[str, ...] = _PEOPLE) -> Callable[[Mapping[str, Json]], list[Reference]]:
    def find(payload: Mapping[str, Json]) -> list[Reference]:
        value = payload.get(slot) or []
        names = [value] if isinstance(value, str) else value
        return [
            Reference(f"{slot}.{number}", name["entity"] if isinstance(name, dict) else name, prefer)
            for number, name in enumerate(names)
        ]

    return find


def _all(*finders: Callable[[Mapping[str, Json]], list[Reference]]) -> Callable[[Mapping[str, Json]], list[Reference]]:
    return lambda payload: [reference for find in finders for reference in find(payload)]


def _allegiance(payload: Mapping[str, Json]) -> list[Reference]:
    soft = payload["attribute"].casefold() in ("allegiance", "disguise")
    return [Reference("value", payload["value"], _PEOPLE, soft=True)] if soft else []


_OF_KIND: Final[dict[str, Callable[[Mapping[str, Json]], list[Reference]]]] = {
    "entity": _one("name"),
    "identity": _all(_one("a"), _one("b"), _many("known_to")),
    "situation": _all(_many("participants"), _one("location", _PLACES)),
    "event": _all(_many("participants", ANY), _one("location", _PLACES)),
    "interaction": _all(_one("source", _PEOPLE), _one("target", _PEOPLE)),
    "presence": _all(_one("entity", (PERSON, THING)), _one("location", _PLACES)),
    "character_delta": _all(_one("character", _PEOPLE), _allegiance),
    "relationship_delta": _all(_one("source", _PEOPLE), _one("target", _PEOPLE)),
    "object_delta": _all(_one("object", _THINGS), _one("owner", _PEOPLE), _one("location", _PLACES)),
    "knowledge": _one("knower", _PEOPLE),
    "revelation": _many("revealed_to"),
    "arc_delta": _one("subject", (PERSON, IDEA)),
    "fact": _all(_one("subject"), _one("object", soft=True)),
}


def literal(text: str) -> Term:
    return Term(literal_key(text), text)


def settings(
    payload: Mapping[str, Json], mentions: Mapping[str, Mention], fact_text: str | None
) -> tuple[Setting, ...]:
    """The state keys the record would set, were it actual.

    `mentions` by slot. `fact_text` is the text of a `knowledge` fact once a record name in it has been followed.
    """

    def term(slot: str) -> Term:
        if mention := mentions.get(slot):
            return Term(mention.entity, mention.surface, entity=True)
        return literal(payload[slot])

    def apart(slot: str) -> Term:
        """Who is meant, by id; no entity of the key, which would make one of the two that it says are one."""
        mention = mentions.get(slot)
        return Term(mention.entity, mention.surface) if mention else literal(payload[slot])

    match payload["kind"]:
        case "identity":
            return (Setting("identity", (apart("a"), apart("b")), apart("b")),)
        case "presence":
            return (Setting("location", (term("entity"),), term("location")),)
        case "character_delta":
            return (_character(payload, term),)
        case "relationship_delta":
            arrow = not payload.get("symmetric", True)
            return (Setting("relationship", (term("source"), term("target")), literal(payload["relation"]), arrow),)
        case "object_delta":
            functors = (("owner", "owner"), ("location", "location"), ("object_state", "state"))
            return tuple(Setting(f, (term("object"),), term(slot)) for f, slot in functors if slot in payload)
        case "knowledge":
            text = fact_key(fact_text or payload["fact"])
            return (Setting("knowledge", (term("knower"), Term(text, text)), literal(payload.get("stance", "knows"))),)
        case "thread":
            return (Setting("thread", (literal(payload["thread"]),), literal(payload["status"])),)
        case "arc_delta":
            return (Setting("arc", (term("subject"), literal(payload["arc"])), literal(payload["stage"])),)
        case "fact":
            args = (term("subject"), literal(payload["predicate"]), term("object"))
            return (Setting("fact", args, literal("false" if payload.get("negated") else "true")),)
        case "world_rule":
            return (Setting("rule", (literal(payload["rule"]),), literal(payload["statement"])),)
    return ()


def _character(payload: Mapping[str, Json], term: Callable[[str], Term]) -> Setting:
    op, attribute, value = payload.get("op", "set"), literal(payload["attribute"]), term("value")
    if op == "set":
        return Setting("character", (term("character"), attribute), value)
    return Setting("character", (term("character"), attribute, value), value if op == "add" else None)


def fact_reference(payload: Mapping[str, Json]) -> str | None:
    """The text that may be a record's name instead of a fact: of `knowledge` and `revelation`."""
    return payload.get("fact") if payload["kind"] in ("knowledge", "revelation") else None


def fact_text(payload: Mapping[str, Json]) -> str | None:
    """What a fact, event or revelation record says, when another record's fact names it."""
    match payload["kind"]:
        case "fact":
            words = [
                payload["subject"],
                "not" if payload.get("negated") else "",
                payload["predicate"],
                payload["object"],
            ]
            return " ".join(word for word in words if word)
        case "event":
            return str(payload["summary"])
        case "revelation":
            return str(payload["fact"])
    return None


def occurrence_text(payload: Mapping[str, Json]) -> str:
    """The normalised text by which an occurrence (a record that sets no key) is the same in another revision."""
    return literal_key(str(payload.get("summary") or payload.get("fact") or payload.get("type") or ""))


def entities_of(setting: Setting) -> list[EntityId]:
    """The entities that a state key names."""
    return [EntityId(t.key) for t in setting.args if t.entity]
