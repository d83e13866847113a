"""Figures of a chapter under the names by which earlier chapters made them known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import BEFORE_A_GIVEN_NAME, FEMALE_TITLES
from services.extraction.offline.names import KnownEntity, by_spelling, spelling, split_titles


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
        if len(rest) > 1 or (rest and titles and titles[-1] in BEFORE_A_GIVEN_NAME):
            self.given[rest[0]].add(name)
        if (len(rest) > 1 or titles) and not set(titles) & FEMALE_TITLES:
            self.surname[rest[-1]].add(name)

    def of(self, word: str) -> set[str]:
        return self.given[word] | self.surname[word]


def settle(people: Sequence[Figure], known: Sequence[KnownEntity]) -> None:
    """Gives figures the names they are known by, and keeps a name that another known person bears from being an alias."""
    spellings = by_spelling(known)
    bearers = _Bearers(known)
    for figure in people:
        _name_as_known(figure, spellings, bearers)
        own = {spelling(text) for text in (*(name.text for name in figure.names), *figure.derived)}
        figure.withheld = frozenset(text for text in own if bearers.of(text) - {figure.name})


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
    titles = {title for name in figure.names for title in name.titles if title in BEFORE_A_GIVEN_NAME}
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


def known_place(figure: Figure, known: Sequence[KnownEntity]) -> str | None:
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
