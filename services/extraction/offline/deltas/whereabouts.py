"""Where somebody has come to, where the place has no name of its own: "went into the library"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from services.extraction.offline.deltas.change import Change, Ground, confidence
from services.extraction.offline.lexicon import ENTERING, MOVING, words
from services.extraction.offline.observations import Argument, Clause

_INTO: Final = frozenset(("to", "into", "at", "inside", "aboard", "onto"))
_PLACES: Final = words(
    "library kitchen parlour parlor drawing-room dining-room breakfast-room sitting-room ballroom nursery study attic garret cellar "
    "pantry conservatory greenhouse gallery chapel church churchyard cathedral abbey convent monastery castle palace tower "
    "dungeon prison gaol jail courtroom court school schoolroom schoolhouse hospital asylum theatre theater inn tavern hotel "
    "farm farmhouse mill barn stable stables smithy forge shop bank museum station harbour harbor dock wharf quay ship boat "
    "garden orchard park shrubbery lawn terrace cottage hut cabin tent camp cave island beach shore village town city forest "
    "wood woods mountain graveyard cemetery bridge market office laboratory lighthouse vicarage parsonage rectory"
)
_THE: Final = re.compile(r"the\s+", re.IGNORECASE)
_LONGEST_NAME: Final = 3


def whereabouts(ground: Ground) -> Iterator[Change]:
    for clause in ground.clauses:
        if clause.passive or clause.earlier or clause.verb not in MOVING or not ground.real(clause):
            continue
        who = ground.subject(clause)
        place = next((name for argument in clause.arguments if (name := _place(ground, clause, argument))), "")
        if who is not None and place:
            fields = {"entity": who.figure.name, "location": place}
            yield Change("presence", fields, ground.span(clause), confidence(who))


def _place(ground: Ground, clause: Clause, argument: Argument) -> str:
    """A place that there is one of, as far as the chapter tells; empty for what is no place, or only looked at or left."""
    head = ground.word(argument.head)
    reached = argument.preposition in _INTO or (not argument.preposition and clause.verb in ENTERING)
    if head.lower() not in _PLACES or not reached or ground.mentions.at(argument.head) is not None:
        return ""
    phrase = " ".join(ground.text[argument.span.start : argument.head + len(head)].split())
    article = _THE.match(phrase)
    if article is None:
        return ""
    name = phrase[article.end() :]
    return f"the {name}" if len(name.split()) <= _LONGEST_NAME else ""
