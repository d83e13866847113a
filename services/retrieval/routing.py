"""What sort of question is asked, in the ten categories of NWM's query taxonomy (section 4, "Query taxonomy").

The rules look at the question's own words only. A category says which kinds of records bear on it; it never excludes the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

CATEGORIES: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "knowledge_boundary": (
        (
            r"\b(?:know|knows|knew|known|aware|unaware|believes?|suspects?|doubts?|realis\w*|realiz\w*|learn\w*|secrets?|hid\w*|"
            r"tells?|told|mistak\w*|keeps? from|reader)\b"
        ),
        frozenset({"knowledge", "revelation"}),
    ),
    "promise_payoff": (
        (
            r"\b(?:promis\w*|vow\w*|swor\w*|oath|foreshadow\w*|set ?up|pay\w* off|payoff|fulfil\w*|kept|broken?|debt|prophec\w*|"
            r"come of|threat\w*|plan\w*|resolv\w*)\b"
        ),
        frozenset({"thread"}),
    ),
    "relationship_constraint": (
        (
            r"\b(?:relation\w*|friend\w*|enem\w*|love\w*|marr\w*|trust\w*|allian\w*|brother|sister|father|mother|son|daughter|wife|"
            r"husband|between|each other|attitude|feel\w* (?:about|towards?))\b"
        ),
        frozenset({"relationship_delta", "interaction"}),
    ),
    "object_location_state": (
        r"\b(?:where|wherever|location|keep(?:ing|s)?|owns?|owner|holds?|hands? of|possess\w*|wears?|wore|worn|lost|carr(?:y|ies|ied))\b",
        frozenset({"object_delta", "presence"}),
    ),
    "latest_character_state": (
        (
            r"\b(?:now|currently|latest|at present|by then|still|become|became|state|condition|mood|temper|injur\w*|wound\w*|looks?|"
            r"appear\w*|wants?|goal|last)\b"
        ),
        frozenset({"character_delta", "presence", "arc_delta"}),
    ),
    "temporal_ordering": (
        r"\b(?:when|before|after|first|earlier|later|then|until|since|while|order|sequence|night|day|morning|evening|how long)\b",
        frozenset({"event", "situation"}),
    ),
    "world_rule": (
        r"\b(?:rules?|laws?|magic\w*|always|never|cannot|forbidden|allowed|power|customs?|possible|must)\b",
        frozenset({"world_rule", "fact"}),
    ),
    "narratological_function": (
        r"\b(?:narrat\w*|function|role|revers\w*|turning|parallel\w*|mirror\w*|contrast\w*|iron\w*|theme|chapter|scene|follow how)\b",
        frozenset({"situation", "arc_delta", "thread"}),
    ),
    "event_grounding": (
        r"\b(?:what happen\w*|how (?:did|does|do)|why (?:did|does|do)|caus\w*|because|result\w*|did|does)\b",
        frozenset({"event", "interaction"}),
    ),
    "needle_detail": (
        r"\b(?:how (?:many|much|tall|old|far|big|high|wide)|colou?r|number|name|called|exact\w*|which|what (?:is|was|are|were))\b",
        frozenset({"entity", "fact"}),
    ),
}
"""By category: what its questions say, and the kinds of records that bear on it. The order decides between equals."""

_CUES: Final = {name: re.compile(pattern, re.IGNORECASE) for name, (pattern, _) in CATEGORIES.items()}
MOST: Final = 3


def categories(question: str) -> list[str]:
    """The categories a question belongs to, at most `MOST`, the one with the most cues first; `needle_detail` where none speaks."""
    cues = {name: len(set(map(str.casefold, pattern.findall(question)))) for name, pattern in _CUES.items()}
    found = [name for name in sorted(cues, key=lambda name: -cues[name]) if cues[name]]
    return found[:MOST] or ["needle_detail"]


def kinds(found: list[str]) -> frozenset[str]:
    """The kinds of records that bear on questions of these categories."""
    return frozenset[str]().union(*(CATEGORIES[name][1] for name in found))
