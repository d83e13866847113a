"""The cast: which names of a chapter belong to one figure.

How the names of people are joined is in `joining`; here people join under known names, and descriptions, places and groups are added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from services.extraction.offline.company import Company
from services.extraction.offline.figures import Figure
from services.extraction.offline.forms import derive
from services.extraction.offline.joining import Joining, joined
from services.extraction.offline.known_names import known_place, settle
from services.extraction.offline.lexicon import (
    ANYBODY,
    FEMALE_NOUNS,
    FEMALE_TITLES,
    MALE_NOUNS,
    MALE_TITLES,
    PERSON_NOUNS,
    words,
)
from services.extraction.offline.names import Gender, KnownEntity, Name, spelling
from services.extraction.offline.namesakes import Namesakes
from services.extraction.offline.observations import Description
from services.extraction.offline.offices import OFFICES


def cast(
    names: Sequence[Name],
    descriptions: Mapping[str, Description],
    known: Sequence[KnownEntity],
    company: Company | None = None,
    namesakes: Namesakes | None = None,
    uses: Mapping[str, int] | None = None,
) -> list[Figure]:
    """The figures of a chapter, characters first, each group in alphabetical order of names.

    `company` says which names the chapter tells apart, `namesakes` which may be two people's of one surname, `uses` how often
    it has each description.
    """
    people = Joining(company or Company(), namesakes).place([name for name in names if name.type == "character"])
    derive(people)
    settle(people, known)
    people = _joined_by_known_name(people)
    found = people + _described(descriptions, people, uses or {})
    for kind in ("location", "group"):
        found += _others([name for name in names if name.type == kind], known)
    return sorted(found, key=lambda figure: (figure.type, figure.name))


def _joined_by_known_name(people: Sequence[Figure]) -> list[Figure]:
    """One figure for all that turned out to be known by one name."""
    found: dict[str, Figure] = {}
    for figure in people:
        first = found.setdefault(figure.name, figure)
        if first is not figure:
            first.names += figure.names
            first.surfaces += figure.surfaces
            first.gender = first.gender or figure.gender
            first.confidence = max(first.confidence, figure.confidence)
            first.withheld |= figure.withheld
    return list(found.values())


def _described(
    descriptions: Mapping[str, Description], people: Iterable[Figure], uses: Mapping[str, int]
) -> list[Figure]:
    """People the chapter only describes ("the old king"): those that act or speak often enough."""
    taken = {spelling(name.text) for figure in people for name in figure.names}
    found = []
    for text, description in sorted(descriptions.items()):
        noun = _head_noun(text)
        if not (_often(text, description) or (noun in OFFICES and uses.get(text, 0) >= _IN_OFFICE)):
            continue
        if spelling(text) in taken or noun in _SPEAKING_THINGS:
            continue
        gender: Gender = (
            "male" if noun in MALE_NOUNS | MALE_TITLES else "female" if noun in FEMALE_NOUNS | FEMALE_TITLES else ""
        )
        confidence = 0.55 if noun in PERSON_NOUNS else 0.45
        found.append(Figure(text, "character", [tuple(text.split())], gender=gender, confidence=confidence))
    return found


def _head_noun(text: str) -> str:
    return re.split(r" (?:in|with) ", text)[0].split()[-1].lower()


def _often(text: str, description: Description) -> bool:
    """Whether a description is used enough to be somebody's name in the chapter."""
    if not description.of_a_person:
        return description.speeches >= 3
    if text.split()[-1] != _head_noun(text):  # "the man in the grey coat" is somebody in particular
        return description.subjects >= 2
    if len(text.split()) == 2 and _head_noun(text) in ANYBODY:
        return description.subjects >= 6 or (description.speeches >= 2 and description.subjects >= 4)
    return description.subjects >= 3 or (description.speeches >= 1 and description.subjects >= 2)


_IN_OFFICE = 3
"""Uses of "the king" after which he is somebody, though he acts but once."""
_SPEAKING_THINGS = words("letter voice note paper book clock sign other first second last one rest whole former latter")


def _others(names: Sequence[Name], known: Sequence[KnownEntity]) -> list[Figure]:
    """Places or groups: a shorter name joins the one longer name it begins ("Netherfield", "Netherfield Park")."""
    figures: list[Figure] = []
    for name in sorted(names, key=lambda n: (-len(n.tokens), n.tokens)):
        longer = [f for f in figures if f.surfaces[0][: len(name.tokens)] == name.tokens]
        joined([name], longer, figures)
    for figure in figures:
        figure.name = max((name.text for name in figure.names), key=lambda text: (len(text), text))
        figure.name = known_place(figure, known) or figure.name
    return _joined_by_known_name(figures)
