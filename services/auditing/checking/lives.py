"""The dead act, and the dead who are alive again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from events.domain_events import Setting, Term
from events.names import PERSON, UNKNOWN, class_of, literal_key
from events.revisions import Entry
from services.auditing.checking import cues
from services.auditing.checking.case import Case, Held, State, mentioned, words_of
from services.auditing.checking.findings import DEAD_ACT, ERROR, Finding
from services.auditing.checking.knowing import SAME, content

_DOES: Final = {
    "interaction": ("source",),
    "presence": ("entity",),
    "knowledge": ("knower",),
    "object_delta": ("owner",),
}
_OWN_DOING: Final = frozenset({"goal", "emotion", "ability", "disguise", "injury", "location"})
_STATUS: Final = "status"
_FEW: Final = 2
_THEREIN: Final = re.compile(r"(?:In|On|At|By) (?:it|them|that|this|which)\b|There(?:in)?\b", re.IGNORECASE)
_REASONS: Final = ("revelation", "identity", "fact", "event")


def dead_acts(case: Case) -> Iterator[Finding]:
    """Whoever is dead and does something, in the plain telling: not in a dream, a memory, a report or a letter."""
    accused: set[str] = set()
    for entry, state in case.walk():
        if not entry.actual:
            continue
        for entity in _agents(entry):
            death = _death(case, state, entity)
            if death is None or case.head(entity) in accused or not _plainly(case, entry, entity, death):
                continue
            accused.add(case.head(entity))
            yield _finding(case, entry, entity, death, "acts")
        if entry.kind == "character_delta" and literal_key(entry.payload["attribute"]) == _STATUS:
            entity = entry.entity("character") or ""
            death = _death(case, state, entity)
            if death and case.head(entity) not in accused and _comes_back(case, entry, entity):
                accused.add(case.head(entity))
                yield _finding(case, entry, entity, death, f"is {entry.payload['value']}")


def _agents(entry: Entry) -> list[str]:
    """Who does something in the record, or is there in the flesh."""
    if entry.kind in ("event", "situation"):
        return [
            m.entity
            for m in entry.mentions
            if m.slot.startswith("participants") and not cues.PASSIVE_ROLE.search(_role(entry, m.slot))
        ]
    if entry.kind == "character_delta":
        own = literal_key(entry.payload["attribute"]) in _OWN_DOING
        return [e for e in (entry.entity("character"),) if e] if own else []
    return [e for slot in _DOES.get(entry.kind, ()) if (e := entry.entity(slot))]


def _role(entry: Entry, slot: str) -> str:
    one = entry.payload["participants"][int(slot.partition(".")[2])]
    return str(one.get("role") or "") if isinstance(one, dict) else ""


def _death(case: Case, state: State, entity: str) -> Held | None:
    if class_of(case.head(entity)) not in (PERSON, UNKNOWN):
        return None
    who = Term(case.head(entity), "", entity=True)
    held = state.get(Setting("character", (who, Term(_STATUS, _STATUS)), None).node_key)
    return held if held and cues.is_dead(held.value.text) else None


def _plainly(case: Case, entry: Entry, entity: str, death: Held) -> bool:
    """Whether the record is told as happening now, after the death."""
    said = f"{words_of(entry)} {case.sentences(entry)}"
    if cues.UNREAL.search(said) or cues.DEAD.search(case.sentences(entry)) or _in_the_past(entry, death):
        return False
    if _in_it(case, entry) or _retold(case, entry, entity):
        return False
    summary = words_of(entry)
    if entry.kind in ("event", "situation") and not case.names_in(_without_possessives(summary), entity):
        return not case.names_in(summary, entity)  # only something of theirs is spoken of
    return True


def _in_it(case: Case, entry: Entry) -> bool:
    """Whether the sentence goes on with a letter, a dream or the like that the one before speaks of (`In it she asked …`)."""
    before = cues.before(case.text, entry.evidence[0][0])
    return _THEREIN.match(case.sentences(entry).strip()) is not None and cues.UNREAL.search(before) is not None


def _retold(case: Case, entry: Entry, entity: str) -> bool:
    """Whether the sentence only says again what somebody is recorded to know of the one who died."""
    said = content(case.sentences(entry))
    facts = (held.setting.args[1].text for held in case.state.values() if held.setting.functor == "knowledge")
    told = (content(fact) for fact in facts if case.names_in(fact, entity))
    return any(len(fact) > _FEW and len(fact & said) >= SAME * len(fact) for fact in told)


def _in_the_past(entry: Entry, death: Held) -> bool:
    time = entry.payload.get("story_time") or {}
    order, label = time.get("order"), str(time.get("label") or "")
    if order is not None:
        died = (death.last.payload.get("story_time") or {}).get("order")
        return bool(order < (death.since if died is None else died))
    return bool(cues.UNREAL.search(label) or "before" in label or "earlier" in label)


def _without_possessives(text: str) -> str:
    return " ".join(w for w in text.replace("’", "'").split() if not w.rstrip(".,;:!?").endswith(("'s", "s'")))


def _comes_back(case: Case, entry: Entry, entity: str) -> bool:
    """Whether somebody dead is given another status, and nothing in the draft says how that can be."""
    value = entry.payload["value"]
    if cues.is_dead(value) or cues.POSTHUMOUS.search(value) or cues.UNREAL.search(case.sentences(entry)):
        return False
    told = [e for e in mentioned(case.entries, entity, case) if e.kind in _REASONS]
    told += [e for e in case.entries if e.kind == "revelation" and case.names_in(words_of(e), entity)]
    said = (f"{words_of(e)} {e.payload.get('predicate', '')} {case.sentences(e)}" for e in told)
    return not any(e.kind == "identity" for e in told) and not any(map(cues.ALIVE_AFTER_ALL.search, said))


def _finding(case: Case, entry: Entry, entity: str, death: Held, does: str) -> Finding:
    name = case.name(entity)
    where = f"since chapter {death.since}" if death.since < case.chapter else "earlier in this draft"
    return Finding(
        DEAD_ACT, ERROR, f"{name} is {case.value(death)} {where}, and {does} here.",
        (case.before(entity),), entry, death.support, case.key(death), case.value(death), death.since,
    )  # fmt: skip
