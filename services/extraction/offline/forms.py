"""Forms of a name that its bearer goes by: "Mr. Darcy" is called Darcy, and Louisa Gradgrind Louisa.

A chapter may use one form only and the next another. Without what both of them allow, one person would be two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import (
    BEFORE_A_GIVEN_NAME,
    FEMALE_NAMES,
    GIVEN_NAMES,
    PARTICLES,
    words,
)
from services.extraction.offline.names import Name, surface_text

_WITHOUT: frozenset[str] = words(
    "mr dr captain colonel major lieutenant sergeant inspector detective rev judge squire farmer shepherd lawyer parson"
)
"""Titles that those who know the bearer leave out before the surname."""
_TRADES: frozenset[str] = words("mister farmer shepherd lawyer parson squire")
"""Titles of men whom one may as well call Mr."""
_NAMED_AGAIN = 2
"""Whoever is named less, and has no family in the chapter, claims no part of his name: "Tom Thumb" is not the Tom of the next."""
_KNOWN_WELL = 4
"""Whoever is always named in full, and less often, claims no given name either: those who know him would use it."""


def derive(people: Sequence[Figure]) -> None:
    """Gives each figure the forms that no other figure of the chapter could be meant by."""
    for figure in people:
        if figure.ambiguous or not figure.names:
            continue
        taken = {word for other in people if other is not figure for name in other.names for word in name.rest}
        used = {name.text for name in figure.names}
        times = sum(name.votes.total for name in figure.names)
        known = times >= (_KNOWN_WELL if len(figure.full) > 1 else _NAMED_AGAIN) or figure.full[-1] in taken
        if not known or figure.elder:
            used |= set(figure.full[:1])
        figure.derived = tuple(sorted({form for form, word in _forms(figure) if word not in taken} - used))


def _forms(figure: Figure) -> Iterator[tuple[str, str]]:
    """Each form with the word that nobody else must bear."""
    for name in figure.names:
        first, last = name.rest[0], name.rest[-1]
        if len(name.rest) == 1:
            if name.title in _WITHOUT or _before_given(name):
                yield last, last
            if name.title in _TRADES:
                yield f"Mr. {last}", last
        elif name.epithet:  # "the White Rabbit" is the Rabbit
            yield last, last
        elif _is_word(last):
            yield from _without_a_part(name, first, last)


def _without_a_part(name: Name, first: str, last: str) -> Iterator[tuple[str, str]]:
    called_so = _is_word(first) and first.lower() not in PARTICLES
    if name.title == "mrs":  # "Mrs. Aldous Reed" has her husband's given name, "Mrs. Agnes Reed" may have her own
        yield f"{name.tokens[0]} {last}", last
        if first.lower() not in FEMALE_NAMES:
            return
        yield f"{name.tokens[0]} {first}", first
    if called_so:
        yield first, first
        if len(name.rest) > 2 and all(map(_is_word, name.rest[:2])):
            yield " ".join(name.rest[:2]), first
    if name.titles:  # others of the family may be there, but not of that given name
        yield surface_text(name.rest), first if called_so else last
    if name.title in _WITHOUT - {"mr"}:  # "Mr. John Voss" may be the younger brother of "Mr. Voss"
        yield last, last
        yield f"{name.tokens[len(name.titles) - 1]} {last}", last
        yield surface_text((*name.tokens[: len(name.titles)], last)), last
    elif _before_given(name) and called_so:
        yield f"{name.tokens[0]} {first}", first


def _before_given(name: Name) -> bool:
    return name.title in BEFORE_A_GIVEN_NAME and name.rest[0].lower() in GIVEN_NAMES


def _is_word(part: str) -> bool:
    """Whether a part of a name is more than an initial."""
    return len(part) > 2 and not part.endswith(".")
