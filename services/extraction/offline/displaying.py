"""By which of its names a figure goes: one that the chapters before and after are likely to have, too.

That is the full name without a title; for whom the chapter calls by his surname, the full name has to be more than said in passing,
so that what is said once of somebody well known ("Bathsheba Voss", as he dreams of calling her) does not rename him.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import (
    BEFORE_A_GIVEN_NAME,
    FEMALE_NAMES,
    FEMALE_TITLES,
    GIVEN_NAMES,
    MALE_TITLES,
    PARTICLES,
)
from services.extraction.offline.names import Name, surface_text

_STANDING: Final = (MALE_TITLES | FEMALE_TITLES | BEFORE_A_GIVEN_NAME) - frozenset(("mr", "mister", "miss", "mrs"))
"""Titles that belong to a name also where it is full: "Lady Catherine de Bourgh"."""
_FAMOUS: Final = 10
"""Uses of a short name beside which a full one that is said once says nothing of how its bearer is called."""
_CALLED_SO: Final = 3
"""Uses of a bare surname in a narration that calls its bearer by it."""
_OFTENER: Final = 2
_FAR_OFTENER: Final = 5


def display(names: Sequence[Name]) -> str:
    """The name to show: the fullest, without title where it has given name and surname ("Elizabeth Bennet")."""
    written_out = [name for name in names if not is_initial(name) or len(name.rest) > 1] or names
    fullest = max(len(name.rest) for name in written_out)
    full = [name for name in written_out if len(name.rest) == fullest]
    short = [name for name in written_out if len(name.rest) == 1]
    if fullest > 1 and not _said_in_passing(written_out, short):
        return _in_full(full)
    titled = [name for name in short if name.title]
    bare = [name for name in short if not name.title and _given(name, titled)]
    if bare and bare[0].votes.total > sum(name.votes.total for name in titled):
        return bare[0].text
    return min(titled or short, key=lambda n: (-n.votes.total, n.text)).text


def by_surname(figures: Sequence[Figure]) -> None:
    """Calls those by the bare surname whom the narration calls so more than by a title, and whose full name is not known.

    The next chapter may have another title for them. Where a lady of the family is about, they have to be called so far oftener;
    where another man is, the title stays.
    """
    for figure in figures:
        titled = [name for name in figure.names if name.title and len(name.rest) == 1]
        if figure.ambiguous or not titled or figure.name not in {name.text for name in titled}:
            continue
        family = [f for f in figures if f is not figure and f.full[-1:] == figure.full[-1:]]
        times = _FAR_OFTENER if family else _OFTENER
        for bare in (name for name in figure.names if not name.titles and len(name.rest) == 1):
            often = bare.votes.told >= _CALLED_SO and bare.votes.told > times * sum(n.votes.told for n in titled)
            if often and all(other.gender == "female" for other in family):
                figure.name = bare.text


def is_initial(name: Name) -> bool:
    return len(name.rest[0].rstrip(".")) == 1


def _said_in_passing(names: Sequence[Name], short: Sequence[Name]) -> bool:
    """Whether the full name is said once of somebody whom the chapter has another name for."""
    return (
        sum(name.votes.total for name in names if len(name.rest) > 1) == 1
        and sum(name.votes.total for name in short) >= _FAMOUS
    )


def _in_full(full: Sequence[Name]) -> str:
    untitled = [name for name in full if not name.titles]
    most = (untitled or sorted(full, key=lambda n: (-n.votes.total, n.text)))[0]
    given = most.rest[0].lower()
    plain = not _STANDING & set(most.titles) and (most.title != "mrs" or given in FEMALE_NAMES)
    return surface_text(most.rest) if plain and given not in PARTICLES else most.text


def _given(name: Name, titled: Sequence[Name]) -> bool:
    """Whether a bare word is a given name rather than a surname: "Alice", who is also called "Miss Alice"."""
    word = name.rest[0].lower()
    return word in GIVEN_NAMES or (
        bool(titled) and all(other.title in BEFORE_A_GIVEN_NAME - {"miss"} for other in titled)
    )
