"""`entity`: everything that is known of one entity after a chapter."""

from __future__ import annotations

import re
from collections.abc import Iterable

from events.domain_events import Json
from events.ids import EntityId
from events.names import AMBIGUOUS, class_of, entity_id, name_key
from services.reading.entries import Entry
from services.reading.naming import Naming
from services.reading.quoting import Texts
from services.reading.session import Moment, Session
from services.reading.slices import StateSlice
from services.reading.threads import threads
from services.reading.timeline import present_and_mentioned

_SHORTEST_NAME = 3
"""Names shorter than this do not make a thread concern somebody: they stand in too many words."""


def entity(session: Session, texts: Texts, moment: Moment, name: str, known: StateSlice) -> Json:
    """The entity of a name, alias or id. A name that several share answers with `candidates`. Raises UnknownEntity."""
    naming = Naming(session, moment)
    found = naming.candidates(name)
    if len(found) > 1 or class_of(found[0]) == AMBIGUOUS:
        return _ambiguous(session, moment, naming, name, found)
    return _known(session, texts, moment, naming, found[0], known)


def _known(session: Session, texts: Texts, moment: Moment, naming: Naming, head: EntityId, known: StateSlice) -> Json:
    group = sorted(naming.group(head))
    canonical = naming.name(head)
    names = session.entities.names_of(moment.story, group, moment.at, moment.believed)
    others = naming_of_others(session, moment, group)
    aliases = [n for n in dict.fromkeys([*names, *others]) if name_key(n) != name_key(canonical)]
    entries = [entry for entry in known.entries if head in entry.entities]
    return {
        "id": head,
        "name": canonical,
        "type": naming.type(head),
        "aliases": aliases,
        "profile": _profile(session, moment, naming, group),
        "state": [entry.shown for entry in entries],
        "relationships": [_relationship(entry, naming, head) for entry in entries if entry.functor == "relationship"],
        "appearances": _appearances(session, moment, group),
        "threads": [t for t in threads(session, texts, moment, "open") if _concerns(t, [canonical, *aliases])],
        "candidates": [],
    }


def naming_of_others(session: Session, moment: Moment, group: list[EntityId]) -> list[str]:
    """The names under which the entities that have been joined went by themselves."""
    found = session.entities.display_names(moment.story, group, moment.at, moment.believed)
    return [found[entity] for entity in group if entity in found]


def _ambiguous(session: Session, moment: Moment, naming: Naming, name: str, found: list[EntityId]) -> Json:
    own = entity_id(AMBIGUOUS, name_key(name))
    candidates = [e for e in found if class_of(e) != AMBIGUOUS]
    return {
        "id": own,
        "name": name,
        "type": AMBIGUOUS,
        "aliases": [],
        "profile": None,
        "state": [],
        "relationships": [],
        "appearances": _appearances(session, moment, [own]),
        "threads": [],
        "candidates": [{"id": e, "name": naming.name(e), "type": naming.type(e)} for e in candidates],
    }


def _profile(session: Session, moment: Moment, naming: Naming, group: Iterable[EntityId]) -> str | None:
    """The merged description: a `profile` record's if there is one, else what introductions say, in story order."""
    wanted = set(group)
    profiles = session.state.records_of_kind(moment.story, ["profile"], moment.at, moment.believed)
    own = [r for r in profiles if any(m.entity in wanted for m in r.mentions)]
    for field in ("description", "text", "summary"):
        if own and isinstance(own[-1].payload.get(field), str):
            return str(own[-1].payload[field])
    said = session.entities.introductions(moment.story, sorted(wanted), moment.at, moment.believed)
    descriptions = dict.fromkeys(i.payload["description"] for i in said if i.payload.get("description"))
    return " ".join(descriptions) or None


def _relationship(entry: Entry, naming: Naming, head: EntityId) -> Json:
    others = sorted(naming.name(e) for e in entry.entities if e != head)
    return {
        **entry.shown,
        "with": others[0] if others else naming.name(head),
        "relation": entry.shown["value"],
        "polarity": entry.payload.get("polarity"),
        "description": entry.payload.get("description"),
    }


def _appearances(session: Session, moment: Moment, group: list[EntityId]) -> Json:
    found = session.timeline.appearances(moment.story, moment.at, moment.believed, group)
    present, mentioned = present_and_mentioned(found)
    return {"present": present, "mentioned": mentioned}


def _concerns(thread: Json, names: Iterable[str]) -> bool:
    """Whether the thread's name or description has one of the names in it, as a word."""
    text = f"{thread['thread']} {thread['description'] or ''}".casefold()
    keys = [name_key(name) for name in names]
    return any(re.search(rf"\b{re.escape(key)}\b", text) for key in keys if len(key) >= _SHORTEST_NAME)
