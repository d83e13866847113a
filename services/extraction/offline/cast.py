"""The cast: which names of a chapter belong to one figure.

Two names are joined only where nobody else could be meant. Mr., Mrs. and Miss of one surname are different people; a bare
surname is the one man of that surname; a given name is the one person who bears it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from services.extraction.offline.figures import Figure
from services.extraction.offline.forms import derive
from services.extraction.offline.known_names import known_place, settle
from services.extraction.offline.lexicon import (
    ANYBODY,
    BEFORE_A_GIVEN_NAME,
    FEMALE_NAMES,
    FEMALE_NOUNS,
    FEMALE_TITLES,
    MALE_NAMES,
    MALE_NOUNS,
    MALE_TITLES,
    PARTICLES,
    PERSON_NOUNS,
    words,
)
from services.extraction.offline.names import Gender, KnownEntity, Name, spelling
from services.extraction.offline.nicknames import called_so_in_speech
from services.extraction.offline.observations import Description

_ANY_MAN = frozenset(("mr", "dr", "squire"))
_NOT_WITHOUT_TITLE = frozenset(("lady", "lord", "dame"))
"""Whom nobody calls by the given name alone."""


def cast(names: Sequence[Name], descriptions: Mapping[str, Description], known: Sequence[KnownEntity]) -> list[Figure]:
    """The figures of a chapter, characters first, each group in alphabetical order of names."""
    people = _people([name for name in names if name.type == "character"])
    derive(people)
    settle(people, known)
    people = _joined_by_known_name(people)
    found = people + _described(descriptions, people)
    for kind in ("location", "group"):
        found += _others([name for name in names if name.type == kind], known)
    return sorted(found, key=lambda figure: (figure.type, figure.name))


def _people(names: Sequence[Name]) -> list[Figure]:
    figures: list[Figure] = []
    for name in sorted((n for n in names if len(n.rest) > 1), key=lambda n: (-len(n.rest), n.tokens)):
        _place_full(name, figures)
    for name in sorted((n for n in names if len(n.rest) == 1 and n.title), key=lambda n: n.tokens):
        _join(name, _titled_candidates(name, figures), figures)
    bare = sorted((n for n in names if len(n.rest) == 1 and not n.title), key=lambda n: n.tokens)
    for name in bare:
        _place_bare(name, figures)
    return _with_short_forms(figures)


def _with_short_forms(figures: list[Figure]) -> list[Figure]:
    """The figures, those that are only a short form of a given name joined with the one who bears the full form."""
    for figure in list(figures):
        meant = called_so_in_speech(figure.names[0], [f for f in figures if f is not figure and not f.ambiguous])
        if len(figure.full) == 1 and not figure.ambiguous and len(meant) == 1 and len(figure.names) == 1:
            _absorb(meant[0], figure.names[0])
            figures.remove(figure)
    return figures


def _place_full(name: Name, figures: list[Figure]) -> None:
    """Joins a name of several words with the one figure whose longer name begins or ends with it."""
    size = len(name.rest)
    parts = [(f, (f.full, f.full[:size], f.full[-size:], f.full[:1] + f.full[-1:])) for f in figures]
    fitting = [f for f, forms in parts if name.rest in forms and not _differ(name, f)]
    if name.titles and name.rest[0].lower() in PARTICLES:  # "Miss de Bourgh": a title and a surname
        fitting = [f for f in fitting if f.full == name.rest] or [f for f in fitting if _same_man(name, f)]
    _join(name, fitting, figures)


def _differ(name: Name, figure: Figure) -> bool:
    if name.gender and figure.gender and name.gender != figure.gender:
        return True
    return (
        bool(name.title)
        and any(other.title in ("mrs", "miss") and other.title != name.title for other in figure.names)
        and (name.title in ("mrs", "miss"))
    )


def _titled_candidates(name: Name, figures: Sequence[Figure]) -> list[Figure]:
    """Whom "Mr. Darcy" or "Lady Catherine" may name, among those already found."""
    word = name.rest[0]
    same = [f for f in figures if any(n.rest == name.rest and n.title == name.title for n in f.names)]
    if same:
        return same
    if name.title in BEFORE_A_GIVEN_NAME:
        given = [f for f in figures if len(f.full) > 1 and f.full[0] == word and not _differ(name, f)]
        if given:
            return given
    if name.title in FEMALE_TITLES:
        return []
    bearers = [f for f in figures if f.full[-1:] == (word,) and f.gender != "female"]
    titled = [f for f in bearers if any(other.title == name.title for other in f.names) and _same_man(name, f)]
    if len(titled) == 1:
        return titled
    return [f for f in bearers if _same_man(name, f)] if len(bearers) == 1 else []


def _same_man(name: Name, figure: Figure) -> bool:
    titles = {other.title for other in figure.names} - {""}
    formal = [other for other in figure.names if other.title == "mr" and len(other.rest) > 1]
    plain = any(not other.titles and len(other.rest) > 1 for other in figure.names)
    if name.title == "mr" and formal and not plain:
        return False  # "Mr. John Voss" is called so to tell him from "Mr. Voss", his elder brother
    if titles:
        return name.title in titles or (name.title in _ANY_MAN and titles <= _ANY_MAN)
    if name.title in FEMALE_TITLES or figure.gender == "female":
        return False
    return figure.gender == "male" or name.title not in MALE_TITLES


def _place_bare(name: Name, figures: list[Figure]) -> None:
    word = name.rest[0]
    given = [f for f in figures if len(f.full) > 1 and f.full[0] == word and not _always_titled(f)]
    # "Lady Catherine", "Aunt Polly": the word after such a title is a given name as often as not
    given += [
        f
        for f in figures
        if f.full == (word,) and any(n.title in BEFORE_A_GIVEN_NAME - _NOT_WITHOUT_TITLE for n in f.names)
    ]
    surname = [f for f in figures if f.full[-1:] == (word,) and f not in given]
    men = [f for f in surname if f.gender != "female"]
    if men:  # then "Miss Bingley" bears a surname
        given = [f for f in given if len(f.full) > 1 or f.gender != "female"]
    if len(given) == 1 and not men:
        _join(name, given, figures)
    elif not given and len(men) == 1:
        _join(name, men, figures)
    elif len(given) + len(men) > 1:
        figures.append(_figure(name, tuple(sorted(f.name for f in given + men))))
    else:
        figures.append(_figure(name))


def _always_titled(figure: Figure) -> bool:
    return all(name.title in _NOT_WITHOUT_TITLE for name in figure.names)


def _join(name: Name, candidates: Sequence[Figure], figures: list[Figure]) -> None:
    if len(candidates) != 1:
        figures.append(_figure(name))
        return
    _absorb(candidates[0], name)


def _absorb(figure: Figure, name: Name) -> None:
    figure.names.append(name)
    figure.surfaces.append(name.tokens)
    figure.gender = figure.gender or name.gender
    figure.name = _display(figure.names)
    figure.confidence = max(figure.confidence, name.confidence)


def _figure(name: Name, ambiguous: tuple[str, ...] = ()) -> Figure:
    confidence = min(0.4, name.confidence) if ambiguous else name.confidence
    return Figure(name.text, name.type, [name.tokens], [name], name.gender, confidence, ambiguous)


def _display(names: Sequence[Name]) -> str:
    """The name to show: the fullest, without title where it has given name and surname ("Elizabeth Bennet")."""
    fullest = max(len(name.rest) for name in names)
    full = [name for name in names if len(name.rest) == fullest]
    if fullest > 1:
        untitled = [name for name in full if not name.titles]
        return (untitled or sorted(full, key=lambda n: (-n.votes.total, n.text)))[0].text
    titled = [name for name in full if name.title]
    bare = [name for name in full if not name.title and _given(name, titled)]
    if bare and bare[0].votes.total > sum(name.votes.total for name in titled):
        return bare[0].text
    return min(titled or full, key=lambda n: (-n.votes.total, n.text)).text


def _given(name: Name, titled: Sequence[Name]) -> bool:
    """Whether a bare word is a given name rather than a surname: "Alice", who is also called "Miss Alice"."""
    word = name.rest[0].lower()
    return word in MALE_NAMES | FEMALE_NAMES or (
        bool(titled) and all(other.title in BEFORE_A_GIVEN_NAME - {"miss"} for other in titled)
    )


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


def _described(descriptions: Mapping[str, Description], people: Iterable[Figure]) -> list[Figure]:
    """People the chapter only describes ("the old king"): those that act or speak often enough."""
    taken = {spelling(name.text) for figure in people for name in figure.names}
    found = []
    for text, description in sorted(descriptions.items()):
        noun = _head_noun(text)
        if not _often(text, description):
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


_SPEAKING_THINGS = words("letter voice note paper book clock sign other first second last one rest whole former latter")


def _others(names: Sequence[Name], known: Sequence[KnownEntity]) -> list[Figure]:
    """Places or groups: a shorter name joins the one longer name it begins ("Netherfield", "Netherfield Park")."""
    figures: list[Figure] = []
    for name in sorted(names, key=lambda n: (-len(n.tokens), n.tokens)):
        longer = [f for f in figures if f.surfaces[0][: len(name.tokens)] == name.tokens]
        _join(name, longer, figures)
    for figure in figures:
        figure.name = max((name.text for name in figure.names), key=lambda text: (len(text), text))
        figure.name = known_place(figure, known) or figure.name
    return _joined_by_known_name(figures)
