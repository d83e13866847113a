"""What a record says as a plain sentence of a recap, under the names that hold at the moment."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from events.domain_events import Json
from events.names import READER, fact_key, name_key
from projections.story_state.found import RecordRow
from services.auditing.material import Material

DEAD: Final = frozenset({"dead", "died", "deceased", "killed", "drowned", "murdered", "slain", "executed"})
STANDS_OPEN: Final = {
    "promise": "A promise is still to be kept",
    "mystery": "One thing is still not explained",
    "goal": "One aim is not yet reached",
    "threat": "One danger is not yet past",
    "setup": "One thing has been laid and not yet used",
}
OPEN: Final = "This is still open"
TO_LIGHT: Final = "It comes to light"
STAND_OPEN: Final = {
    "promise": "promises are still to be kept",
    "mystery": "things are still not explained",
    "goal": "aims are not yet reached",
    "threat": "dangers are not yet past",
    "setup": "things have been laid and not yet used",
}
"""The same of several, after their number."""
_STANCES: Final = {
    "knows": "{who} knows {fact}",
    "believes": "{who} believes {fact}",
    "suspects": "{who} suspects {fact}",
    "doubts": "{who} doubts {fact}",
    "unaware": "{who} does not know {fact}",
    "mistaken": "{who} is mistaken in believing {fact}",
}
_ATTRIBUTES: Final = {
    "status": "{who} is {value}",
    "emotion": "{who} feels {value}",
    "injury": "{who} is hurt: {value}",
    "allegiance": "{who} stands with {value}",
    "occupation": "{who} works as {value}",
    "disguise": "{who} goes about as {value}",
    "ability": "{who} is able to {value}",
    "trait": "{who} is {value}",
}
_ASKING: Final = frozenset({"who", "whom", "whose", "what", "which", "where", "when", "why", "how", "whether"})
_SEVERAL: Final = re.compile(r"(?:the|all|some|two|three) (?:\w+ )*\w+(?<!s)s$", re.IGNORECASE)
"""A name that is of several: `the goblins`."""
_OPENERS: Final = frozenset(
    {
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "his",
        "her",
        "their",
        "its",
        "he",
        "she",
        "they",
        "it",
        "there",
    }
    | {"somebody", "someone", "something", "nobody", "no", "nothing", "everybody", "all", "one", "two", "three"}
)
"""Words that have a capital at the beginning of a sentence only."""
_SPEECH: Final = re.compile(r"^[^“”]{1,80}(?:: |, )“[^”]*”?$")
"""Somebody says something: worth no sentence of a recap."""
_SCENE: Final = re.compile(r"^\S[^.:]{0,160}(?:,| and )[^.:]{0,80}: ")
"""Whom an extractor saw in a scene, with the scene's first words."""
_OF_A_TELLER: Final = re.compile(r"(?:I|My|We|Our)\b")
"""Words of somebody in the story, who is not the one that tells the recap."""
_ARE: Final = re.compile(r"(?:at|in|on|of|under|beyond) |.* and |.*(?:s|ed|en)$", re.IGNORECASE)
"""What two can be said to be together: `friends`, `at peace`, `husband and wife`, `reconciled`."""
_POSSESSIVES: Final = frozenset({"his", "her", "its"})
_PERSONAL: Final = _POSSESSIVES | {"he", "she", "it"}
_UNNAMED: Final = _PERSONAL | {"they", "their", "this", "that"}
_PARTICLES: Final = ("to ", "that ")


def sentence(material: Material, row: RecordRow) -> str:
    """The record in one sentence; empty for a record that makes none (an introduction, a contact without a summary)."""
    say = _SAID.get(row.kind)
    said = finished(say(material, row, material.naming.renamed(row.payload, row.mentions))) if say else ""
    return "" if _OF_A_TELLER.match(said) else said


def finished(text: str) -> str:
    """With a capital at its beginning and a stop at its end; white space is drawn together."""
    said = " ".join(text.split()).rstrip(" ;,:")
    if not said:
        return ""
    said = said[0].upper() + said[1:]
    return said if said[-1] in ".!?…”\"'’" else said + "."


def _summary(material: Material, row: RecordRow, p: Mapping[str, Json]) -> str:
    said = str(p.get("summary") or "")
    return "" if _SPEECH.search(said) or _SCENE.search(said) else _named(material, row, said)


def _named(material: Material, row: RecordRow, text: str) -> str:
    """The text with whom its first word means by name, the first that the record is about; nothing where that is not known.

    `Her hand swells` says little where the sentence before it is left out.
    """
    first, _, rest = text.partition(" ")
    pronoun = first.casefold()
    if pronoun not in _PERSONAL:
        return text
    who = next((m.entity for m in row.mentions if m.slot.startswith(("participants", "source", "subject"))), None)
    if who is None:
        return ""
    name = material.naming.name(who)
    return f"{name}’s {rest}" if pronoun in _POSSESSIVES else f"{name} {rest}"


def _identity(_m: Material, row: RecordRow, _p: Mapping[str, Json]) -> str:
    # under canonical names the two are one
    return f"{row.payload['a']} turns out to be {row.payload['b']}"


def _revelation(material: Material, row: RecordRow, p: Mapping[str, Json]) -> str:
    """Who learns it, where somebody of the story does; what the reader alone learns is told as it is."""
    to = p.get("revealed_to") or []
    names = [str(name) for name in (to if isinstance(to, list) else [to]) if name_key(str(name)) != READER]
    fact = material.fact(row)
    if names:
        learns = "learns" if len(names) == 1 and not _SEVERAL.match(names[0]) else "learn"
        return f"{_listed(names)} {learns} {_clause(fact)}"
    return fact if fact.partition(" ")[0].casefold() not in _ASKING else f"{TO_LIGHT} {_clause(fact)}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _character(_m: Material, row: RecordRow, p: Mapping[str, Json]) -> str:
    who, attribute, value = str(p["character"]), str(p["attribute"]), str(p["value"])
    key = attribute.casefold()
    if row.payload.get("op") == "remove":
        return f"{who} is no longer {value}" if key in ("status", "trait", "occupation") else ""
    if key == "goal":
        return f"{who} wants {value}" if value.startswith(_PARTICLES) else f"{who}’s goal is {value}"
    if key in _ATTRIBUTES:
        said = _ATTRIBUTES[key].format(who=who, value=value.removeprefix("to ") if key == "ability" else value)
        return said.replace(f"{who} is ", f"{who} are ", 1) if _SEVERAL.match(who) else said
    return f"{who}’s {attribute} is {value}"


def _relationship(_m: Material, _r: RecordRow, p: Mapping[str, Json]) -> str:
    if p.get("description"):
        return str(p["description"])
    source, target, relation = str(p["source"]), str(p["target"]), str(p["relation"])
    if p.get("symmetric", True):
        joined = f"{source} and {target} are {relation}"
        return joined if _ARE.match(relation) else f"between {source} and {target} it stands so: {relation}"
    if relation.endswith(" of"):
        return f"{source} is {relation} {target}"
    return f"{source} is {target}’s {relation}" if relation.isalpha() else f"{source} is to {target}: {relation}"


def _object(_m: Material, _r: RecordRow, p: Mapping[str, Json]) -> str:
    thing = f"the {p['object']}" if str(p["object"])[:1].islower() else str(p["object"])
    parts = []
    if p.get("owner"):
        parts.append(f"{p['owner']} has {thing}")
    if p.get("location"):
        parts.append(f"{thing} is at {p['location']}")
    if p.get("state"):
        parts.append(f"{thing} is {p['state']}")
    return "; ".join(parts)


def _knowledge(material: Material, row: RecordRow, p: Mapping[str, Json]) -> str:
    return _STANCES[p.get("stance", "knows")].format(who=p["knower"], fact=_clause(material.fact(row)))


def _thread(_m: Material, _r: RecordRow, p: Mapping[str, Json]) -> str:
    if p["status"] in ("paid_off", "abandoned"):
        told, thread = str(p.get("description") or ""), str(p["thread"])
        if not told:
            return f"{thread} is settled"
        return told if set(fact_key(told).split()) & set(fact_key(thread).split()) else f"{thread} is settled: {told}"
    # what is told of a step on the way does not say what the thread is, nor does what begins with whom nobody has named
    told = str((p.get("description") if p["status"] == "opened" else "") or "")
    what = p["thread"] if not told or told.partition(" ")[0].casefold() in _UNNAMED or told.endswith(" it.") else told
    return f"{STANDS_OPEN.get(p.get('thread_kind') or '', OPEN)}: {what}"


def _arc(_m: Material, _r: RecordRow, p: Mapping[str, Json]) -> str:
    return f"{p['subject']}’s {p['arc']} has come to this: {p['stage']}"


def _rule(_m: Material, _r: RecordRow, p: Mapping[str, Json]) -> str:
    return str(p["statement"])


def _clause(text: str) -> str:
    """A sentence as the part of another: "that the lamp is dark", "who the clerk is"."""
    said = text.strip().rstrip(".!")
    first = said.partition(" ")[0].casefold()
    if first in _OPENERS or first in _ASKING:
        said = said[0].lower() + said[1:]
    return said if first in _ASKING else f"that {said}"


_SAID: Final[dict[str, Callable[[Material, RecordRow, Mapping[str, Json]], str]]] = {
    "situation": _summary,
    "event": _summary,
    "interaction": _summary,
    "identity": _identity,
    "revelation": _revelation,
    "character_delta": _character,
    "relationship_delta": _relationship,
    "object_delta": _object,
    "knowledge": _knowledge,
    "thread": _thread,
    "arc_delta": _arc,
    "world_rule": _rule,
}
