"""The cast: which names of a chapter belong to one figure.

Two names are joined only where nobody else could be meant. Mr., Mrs. and Miss of one surname are different people; a bare
surname is the one man of that surname; a given name is the one person who bears it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from services.extraction.offline.lexicon import (
    ANYBODY,
    FEMALE_NOUNS,
    FEMALE_TITLES,
    MALE_NOUNS,
    MALE_TITLES,
    PARTICLES,
    PERSON_NOUNS,
    words,
)
from services.extraction.offline.names import Gender, KnownEntity, Name, Type, by_spelling, spelling, split_titles
from services.extraction.offline.observations import Description, Surface

_BEFORE_A_GIVEN_NAME = words(
    "miss lady sir master king queen prince princess uncle aunt cousin brother sister father mother saint lord dame "
    "emperor empress pope nurse"
)
_ANY_MAN = frozenset(("mr", "dr", "squire"))
_NOT_WITHOUT_TITLE = frozenset(("lady", "lord", "dame"))
"""Whom nobody calls by the given name alone."""


@dataclass(slots=True)
class Figure:
    """A character, place or group of the chapter, under every spelling the chapter uses for it."""

    name: str
    type: Type
    surfaces: list[Surface]
    names: list[Name] = field(default_factory=list)
    gender: Gender = ""
    confidence: float = 0.5
    ambiguous: tuple[str, ...] = ()
    """Whom a name may mean that several people bear; the figure then stands for the name alone."""
    withheld: frozenset[str] = frozenset()
    """Spellings that are this figure's here, but somebody else's elsewhere in the story."""

    @property
    def full(self) -> Surface:
        """The longest name without titles."""
        return max((name.rest for name in self.names), key=lambda rest: (len(rest), rest), default=())

    @property
    def aliases(self) -> list[str]:
        texts = {name.text for name in self.names}
        return sorted(text for text in texts - {self.name} if spelling(text) not in self.withheld)


def cast(names: Sequence[Name], descriptions: Mapping[str, Description], known: Sequence[KnownEntity]) -> list[Figure]:
    """The figures of a chapter, characters first, each group in alphabetical order of names."""
    people = _people([name for name in names if name.type == "character"])
    _settle(people, known)
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
    for name in sorted((n for n in names if len(n.rest) == 1 and not n.title), key=lambda n: n.tokens):
        _place_bare(name, figures)
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
    if name.title in _BEFORE_A_GIVEN_NAME:
        given = [f for f in figures if len(f.full) > 1 and f.full[0] == word and not _differ(name, f)]
        if given:
            return given
    if name.title in FEMALE_TITLES:
        return []
    bearers = [f for f in figures if f.full[-1:] == (word,) and f.gender != "female"]
    titled = [f for f in bearers if any(other.title == name.title for other in f.names)]
    if len(titled) == 1:
        return titled
    return [f for f in bearers if _same_man(name, f)] if len(bearers) == 1 else []


def _same_man(name: Name, figure: Figure) -> bool:
    titles = {other.title for other in figure.names} - {""}
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
        if f.full == (word,) and any(n.title in _BEFORE_A_GIVEN_NAME - _NOT_WITHOUT_TITLE for n in f.names)
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
    figure = candidates[0]
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
    return min(titled or full, key=lambda n: (-n.votes.total, n.text)).text


class _Bearers:
    """Which known characters bear a word as given name, and which as surname (women under a title left out)."""

    def __init__(self, known: Sequence[KnownEntity]) -> None:
        self.given: defaultdict[str, set[str]] = defaultdict(set)
        self.surname: defaultdict[str, set[str]] = defaultdict(set)
        for entity in known:
            if entity.type in ("character", "creature", "unknown"):
                for text in (entity.name, *entity.aliases):
                    self._enter(spelling(text).split(), entity.name)

    def _enter(self, words: Sequence[str], name: str) -> None:
        titles, rest = split_titles(tuple(words)) if words else ((), ())
        if len(rest) > 1 or (rest and titles and titles[-1] in _BEFORE_A_GIVEN_NAME):
            self.given[rest[0]].add(name)
        if (len(rest) > 1 or titles) and not set(titles) & FEMALE_TITLES:
            self.surname[rest[-1]].add(name)

    def of(self, word: str) -> set[str]:
        return self.given[word] | self.surname[word]


def _settle(people: Sequence[Figure], known: Sequence[KnownEntity]) -> None:
    """Gives figures the names they are known by, and keeps a name that another known person bears from being an alias."""
    spellings = by_spelling(known)
    bearers = _Bearers(known)
    for figure in people:
        _name_as_known(figure, spellings, bearers)
        figure.withheld = frozenset(
            spelling(name.text) for name in figure.names if bearers.of(spelling(name.text)) - {figure.name}
        )


def _name_as_known(figure: Figure, spellings: Mapping[str, KnownEntity], bearers: _Bearers) -> None:
    bare = len(figure.full) == 1 and not any(name.title for name in figure.names)
    word = spelling(figure.full[0])
    if bare and len(bearers.given[word]) > 1:
        _leave_open(figure, bearers.given[word])
        return
    for name in sorted(figure.names, key=lambda n: (-len(n.tokens), n.tokens)):
        entity = spellings.get(spelling(name.text))
        if entity is not None and not _other_person(figure, entity, len(name.rest)):
            figure.name = entity.name
            return
    shorter = [e for text in sorted(_given_names(figure)) if (e := spellings.get(text)) is not None]
    if (
        len(figure.full) > 1
        and len({entity.name for entity in shorter}) == 1
        and not _other_person(figure, shorter[0], 1)
    ):
        figure.name = shorter[0].name
    elif bare and len(bearers.of(word)) == 1:
        figure.name = next(iter(bearers.of(word)))
    elif bare and bearers.of(word):
        _leave_open(figure, bearers.of(word))


def _given_names(figure: Figure) -> set[str]:
    """The given name of a figure, bare and after its titles, as an earlier chapter may have had it alone."""
    titles = {title for name in figure.names for title in name.titles if title in _BEFORE_A_GIVEN_NAME}
    given = spelling(figure.full[0])
    bare = {given} if any(name.rest == figure.full[:1] and not name.titles for name in figure.names) else set()
    outer = {spelling(" ".join(figure.full[:1] + figure.full[-1:]))} if len(figure.full) > 2 else set()
    return bare | outer | {f"{title} {given}" for title in titles}


def _leave_open(figure: Figure, candidates: set[str]) -> None:
    figure.ambiguous = tuple(sorted(candidates))
    figure.confidence = min(0.4, figure.confidence)


def _other_person(figure: Figure, entity: KnownEntity, matched: int) -> bool:
    """Whether a figure found under a short name has a full name here that the known entity's full name contradicts."""
    known = spelling(entity.name).split()
    full = [word.casefold().rstrip(".") for word in figure.full]
    return matched == 1 and len(full) > 1 and len(known) > 1 and full[-1] != known[-1] and full[0] != known[-1]


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
        figure.name = _known_place(figure, known) or figure.name
    return _joined_by_known_name(figures)


def _known_place(figure: Figure, known: Sequence[KnownEntity]) -> str | None:
    """The known name of a place or group: one of its spellings, or the one known name that goes on where its own ends."""
    places = [entity for entity in known if entity.type == figure.type]
    spellings = by_spelling(places)
    own = [spelling(name.text) for name in figure.names]
    exact = [entity.name for text in own if (entity := spellings.get(text)) is not None]
    if exact:
        return exact[0]
    near = {
        entity.name
        for entity in places
        if any(
            spelling(entity.name).startswith(text + " ") or text.startswith(spelling(entity.name) + " ") for text in own
        )
    }
    return near.pop() if len(near) == 1 else None
