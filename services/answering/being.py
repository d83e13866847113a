"""Whether somebody is this or that, as his attributes are recorded: a pilot, gloomy, lame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from services.answering.looking import NOW, THING, FromState, Look, attribute_of, compiled
from services.answering.naming import Names
from services.answering.readers.sentences import FUNCTION_TERMS, terms
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

_ASKED: Final = rf"^(?:is|are) {THING} (?:still |now |already )?(?:(?:a|an|the) )?(?P<y>[^?]+?){NOW}"
_ONE: Final = frozenset(("occupation", "status", "emotion", "mood", "allegiance", "disguise", "goal"))
"""Attributes of which somebody has one at a time."""
_UNSURE: Final = re.compile(
    r"\b(?:not|never|no|nor|n[’']t|former|formerly|once|feigned|pretend\w*|believed|presumed|supposed\w*|thought|seem\w*|nearly|almost|half)\b",
    re.IGNORECASE,
)
"""Words of a value that make it another, or another's opinion."""
_LIFE: Final = frozenset(term for word in ("alive", "dead", "living") for term in terms(word))
"""What a status is read for with more care."""
_LONGEST: Final = 4
"""Words of what somebody may be."""


def questions() -> Iterator[tuple[re.Pattern[str], Look]]:
    """The wordings that ask for it, and for who is it, each with what looks it up."""
    return compiled(((_ASKED, _is), (rf"^who is (?:now |currently )?the {THING}{NOW}", _who)))


def _is(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Yes by a value that holds and says so; no where it was so, and another has come in its place."""
    wanted = set(terms(match["y"])) - FUNCTION_TERMS
    # the shortest name that leaves words to be asked about may be one of several words
    figure = names.meant(match["x"])
    if figure is None or not wanted or len(match["y"].split()) > _LONGEST or wanted <= _LIFE:
        return None
    entries = [
        e for e in slice_.entries if figure.id in e.subjects[:1] and e.key.startswith(("character(", "relationship("))
    ]
    said = [entry for entry in entries if _says(entry, wanted) and not _UNSURE.search(entry.value)]
    holds = next((entry for entry in said if entry.holds), None)
    if holds is not None:
        return FromState("Yes", (holds,), holds.key)
    now = next((each for past in said for each in entries if _is_instead(names, past, each)), None)
    return FromState(f"No: {now.value}", (now,), now.key) if now is not None else None


def _says(entry: Entry, wanted: set[str]) -> bool:
    """Whether a value has the words; of what one is to another, which has to run from him (`butler of`), all that it says."""
    there = set(terms(entry.value)) - FUNCTION_TERMS
    if entry.key.startswith("relationship("):
        return "->" in entry.key and there == wanted
    return wanted <= there


def _who(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Whose occupation it is, of the living."""
    wanted = set(terms(match["x"])) - FUNCTION_TERMS
    held = [e for e in slice_.entries if e.holds and e.key.startswith("character(") and e.subjects]
    of = {e: attribute_of(names, e) for e in held}
    dead = {e.subjects[0] for e in held if of[e] == "status" and "dead" in terms(e.value)}
    found = [
        e
        for e in held
        if of[e] == "occupation" and e.subjects[0] not in dead and wanted == set(terms(e.value)) - FUNCTION_TERMS
    ]
    who = dict.fromkeys(names.of(e.subjects[0]) for e in found)
    return FromState(", ".join(who), tuple(found), found[0].key) if found and wanted else None


def _is_instead(names: Names, past: Entry, now: Entry) -> bool:
    return now.holds and now.key == past.key and now.key.startswith("character(") and attribute_of(names, now) in _ONE
