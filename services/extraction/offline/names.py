"""From runs of capitals to names: which runs are names at all, and of what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from services.extraction.offline.lexicon import (
    COMPASS,
    FEMALE_TITLES,
    GIVEN_NAMES,
    GROUP_WORDS,
    INTERCHANGEABLE_TITLES,
    LOOSE_TITLES,
    MALE_NAMES,
    MALE_TITLES,
    NEUTRAL_TITLES,
    PERSON_NOUNS,
    PLACE_WORDS,
    TITLES,
)
from services.extraction.offline.observations import Surface, Votes

Type = Literal["character", "location", "group"]
Gender = Literal["male", "female", ""]

_EPITHETS = ("Old", "Young", "Poor", "Little", "Dear")
_COMMON_PARTS = PLACE_WORDS | GROUP_WORDS | COMPASS
_LONGEST_NAME = 80
_HYPHENS = ("-", "‐", "‑")


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An entity that earlier chapters of the story introduced."""

    name: str
    type: str = "character"
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Name:
    """A run that is a name, in parts: "Lady Catherine de Bourgh" is ("lady",) and ("Catherine", "de", "Bourgh")."""

    tokens: Surface
    titles: tuple[str, ...]
    rest: Surface
    type: Type
    votes: Votes

    @property
    def text(self) -> str:
        return surface_text(self.tokens)

    @property
    def gender(self) -> Gender:
        """What the title or the given name says, else the pronouns that follow it."""
        for title in self.titles:
            if title in MALE_TITLES:
                return "male"
            if title in FEMALE_TITLES:
                return "female"
        given = self.rest[0].lower()
        if given in GIVEN_NAMES:
            return "male" if given in MALE_NAMES else "female"
        if len(self.rest) > 1 and self.rest[1] == "of" and given in MALE_TITLES | FEMALE_TITLES:
            return "male" if given in MALE_TITLES else "female"  # "Queen of Hearts"
        male, female = self.votes.male, self.votes.female
        if male + female < 2 or 5 * max(male, female) < 4 * (male + female):
            return ""
        return "male" if male > female else "female"

    @property
    def title(self) -> str:
        """The first title that tells people of one surname apart, in one spelling; empty where there is none."""
        kept = [title for title in self.titles if title not in LOOSE_TITLES]
        return INTERCHANGEABLE_TITLES.get(kept[0], kept[0]) if kept else ""

    @property
    def epithet(self) -> bool:
        """Whether the name says what its bearer is ("White Rabbit", "Frog-Footman"): its last word is a common noun."""
        return not self.titles and len(self.rest) > 1 and self.rest[-1].lower() in PERSON_NOUNS - GIVEN_NAMES

    @property
    def confidence(self) -> float:
        strength = max(self.votes.person, self.votes.place, self.votes.group) / max(1, self.votes.total)
        return round(min(0.95, 0.55 + 0.2 * min(1.0, strength) + 0.04 * min(5, self.votes.total)), 2)


def surface_text(tokens: Surface) -> str:
    """The run as one writes it: single spaces, none around hyphens."""
    return re.sub(r" ?([-‐‑]) ?", r"\1", " ".join(tokens))


def surface_pattern(tokens: Surface) -> re.Pattern[str]:
    """Matches the run wherever it stands whole, whatever white space parts its words."""
    parts = [re.escape(tokens[0])]
    for before, token in pairwise(tokens):
        parts.append(r"" if token in _HYPHENS or before in _HYPHENS else r"\s+")
        parts.append(re.escape(token))
    return re.compile(r"(?<!\w)" + "".join(parts) + r"(?!\w)")


def split_titles(tokens: Surface) -> tuple[tuple[str, ...], Surface]:
    """The titles before a name, in lower case without points, and the name itself (never empty)."""
    count, titles = 0, []
    while count < len(tokens) - 1 and tokens[count].lower().rstrip(".") in TITLES and tokens[count + 1] != "of":
        hyphened = tokens[count + 1] in _HYPHENS
        if hyphened and (count + 2 >= len(tokens) or tokens[count + 2].lower() not in TITLES):
            break  # "Saint-Simonian"
        titles.append(tokens[count].lower().rstrip("."))
        count += 2 if hyphened else 1
    return tuple(titles), tokens[count:]


def names(runs: Mapping[Surface, Votes], lower: Counter[str], known: Mapping[str, KnownEntity]) -> list[Name]:
    """The runs that are names, in alphabetical order; `known` holds known entities by `spelling` of name and alias."""
    found: list[Name] = []
    unsure: list[Name] = []
    for tokens, votes in sorted(_unwrapped(runs, lower, known).items()):
        if len(surface_text(tokens)) > _LONGEST_NAME:
            continue
        titles, rest = split_titles(tokens)
        if _plural(rest[-1], runs) and spelling(surface_text(tokens)) not in known:
            if not titles:
                found.append(Name(tokens, titles, rest, "group", votes))
            continue
        kind = _type(tokens, titles, rest, votes, lower, known)
        if kind is not None:
            found.append(Name(tokens, titles, rest, kind, votes))
        elif len(rest) <= 2 and not lower[rest[0].lower()] and votes.place <= votes.person:
            unsure.append(Name(tokens, titles, rest, "character", votes))
    return _with_surnames(found + _of_a_family(unsure, found), known)


def _of_a_family(unsure: Sequence[Name], found: Sequence[Name]) -> list[Name]:
    """The runs that say too little of themselves, but end in what somebody under a title is called ("Tomas Orlov"), or
    are a part of a full name ("Tomas")."""
    people = [name for name in found if name.type == "character"]
    borne = {name.rest[-1] for name in people if name.title}
    parts = {word for name in people if len(name.rest) > 1 for word in (name.rest[0], name.rest[-1])}
    return [
        name
        for name in unsure
        if name.rest[-1] in (borne if len(name.tokens) > 1 else parts) and name.rest[-1].lower() not in _COMMON_PARTS
    ]


def _with_surnames(found: list[Name], known: Mapping[str, KnownEntity]) -> list[Name]:
    """A single word that somebody bears under a title or after a given name is taken for that person's name."""
    earlier = [entity.name.split() for entity in known.values() if entity.type == "character"]
    borne = {words[-1] for words in earlier if len(words) > 1} | {
        word
        for name in found
        if name.type == "character" and (name.title or len(name.rest) > 1)
        for word in (name.rest[0], name.rest[-1])
    }
    return [
        replace(name, type="character")
        if name.type == "location"
        and len(name.tokens) == 1
        and name.tokens[0] in borne
        and _may_be_a_person(name.votes)
        else name
        for name in found
    ]


def _may_be_a_person(votes: Votes) -> bool:
    return votes.place < 4.0 or votes.person > votes.place / 3


def _plural(word: str, runs: Mapping[Surface, Votes]) -> bool:
    """Whether a word is a surname in the plural: "the Miss Bennets" are nobody in particular."""
    stems = [word[: -len(ending)] for ending in ("es", "s") if word.endswith(ending)]
    return any(tokens[-1] in stems and len(tokens) > 1 for tokens in runs) and len(word) > 3


def spelling(name: str) -> str:
    """How a name is compared with known ones: case, quotation marks, points, white space and article folded."""
    # "the Count" is also called "Count"; "the man" is not called "Man"
    bare = re.sub(r"^[Tt]he\s+(?=[^\W\d_a-z])", "", name.strip())
    words = bare.replace("’", "'").replace(".", "").casefold().split()
    if len(words) > 1:  # "Cap'n Smollett" is Captain Smollett
        words[0] = INTERCHANGEABLE_TITLES.get(words[0], words[0])
    return " ".join(words)


def _unwrapped(
    runs: Mapping[Surface, Votes], lower: Counter[str], known: Mapping[str, KnownEntity]
) -> dict[Surface, Votes]:
    """The runs without a common word that stood before them only because it began the sentence ("When Mara")."""
    result: dict[Surface, Votes] = {}
    for tokens, votes in sorted(runs.items()):
        counted = replace(votes)
        if len(tokens) > 1 and tokens[0] in _EPITHETS and tokens[-1].lower() not in PLACE_WORDS:
            tokens = tokens[1:]
        while (
            len(tokens) > 1
            and votes.inner == 0
            and _common(tokens[0], lower)
            and spelling(" ".join(tokens)) not in known
        ):
            tokens = tokens[1:]
            counted.inner, counted.initial = votes.total, 0
        result.setdefault(tokens, Votes()).add(counted)
    return result


def _common(word: str, lower: Counter[str]) -> bool:
    return lower[word.lower()] > 0 and word.lower().rstrip(".") not in TITLES


def _type(
    tokens: Surface,
    titles: tuple[str, ...],
    rest: Surface,
    votes: Votes,
    lower: Counter[str],
    known: Mapping[str, KnownEntity],
) -> Type | None:
    """What the run names; None where it is no name, or nothing a character, place or group would be called."""
    entity = known.get(spelling(surface_text(tokens)))
    if entity is not None and not _contradicted(entity, votes):
        return _known_type(entity)
    if len(tokens) == 1 and _ordinary(tokens[0], votes, lower):
        return None
    if len(tokens) == 1 and tokens[0].lower() in _COMMON_PARTS and votes.person < 3.0:
        return None
    by_words = _type_by_words(titles, rest, votes)
    if by_words is not None:
        return by_words
    return _type_by_votes(rest, votes)


def _contradicted(entity: KnownEntity, votes: Votes) -> bool:
    """Whether this chapter clearly uses the name of a known character for a place, or the reverse."""
    person, place = votes.person, votes.place
    if entity.type in ("character", "creature"):
        if entity.name.split()[0].lower() in GIVEN_NAMES:
            return False
        return place >= 3.0 and place > 3 * person
    return entity.type == "location" and person >= 4.0 and person > 3 * place


def _known_type(entity: KnownEntity) -> Type | None:
    if entity.type in ("character", "creature", "unknown"):
        return "character"
    return "location" if entity.type == "location" else "group" if entity.type == "group" else None


def _ordinary(word: str, votes: Votes, lower: Counter[str]) -> bool:
    """Whether a single word is one of the language rather than a name: it also occurs without its capital."""
    count = lower[word.lower()]
    if votes.inner == 0:
        return count > 0
    return count > 2 * votes.inner and votes.person < count


def _type_by_words(titles: tuple[str, ...], rest: Surface, votes: Votes) -> Type | None:
    last, first = rest[-1].lower(), rest[0].lower()
    if first.rstrip(".") == "st":
        return "location"
    named = first in GIVEN_NAMES
    titles = tuple(title for title in titles if title not in LOOSE_TITLES)
    if len(rest) > 1 and last in PLACE_WORDS and not titles and not named:
        return "location"
    if titles and len(rest) == 1 and last in PLACE_WORDS and titles[-1] not in ("mr", "mrs", "miss", "dr", "captain"):
        return "location"
    if len(rest) > 1 and last in GROUP_WORDS and not titles and not named:
        return "group"
    if titles and last not in TITLES and 2 * votes.articled > votes.total > 1 and votes.person < 3.0 * votes.total:
        return "location"  # "the Admiral Benbow", who does nothing, is an inn or a ship
    if any(title in MALE_TITLES | FEMALE_TITLES | NEUTRAL_TITLES for title in titles):
        return "character"
    epithet = len(rest) > 1 and (last in PERSON_NOUNS or (rest[1] == "of" and first in MALE_TITLES | FEMALE_TITLES))
    return "character" if epithet and votes.person >= 0.5 * votes.place else None


def _type_by_votes(rest: Surface, votes: Votes) -> Type | None:
    given = rest[0].lower() in GIVEN_NAMES
    # two capitals side by side are hardly an accident
    person = votes.person + (0.4 if len(rest) > 1 else 0.0) + (1.5 + votes.group + votes.place if given else 0.0)
    # a name never seen inside a sentence needs more to go by
    surely_proper = votes.proper == votes.total > 1
    needed = 1.4 if votes.inner or len(rest) > 1 else 0.8 if surely_proper else 2.4
    # what is taken for an organisation and stands in, at or aboard is a place
    place = votes.place + (votes.group if votes.place > 0.5 or votes.articled else 0.0)
    said = votes.speaks and 6 * votes.speaks >= votes.total and place < 2.0
    if votes.speaks >= 2 or (said and (votes.inner or votes.proper)):
        return "character"
    if max(person, place) < needed:
        return None
    return "character" if person >= place else "location"


def by_spelling(known: Iterable[KnownEntity]) -> dict[str, KnownEntity]:
    """Known entities by the spelling of each name that only one of them has; a name goes before another's alias."""
    found: dict[str, KnownEntity | None] = {}
    for entity in known:
        for alias in {spelling(text) for text in entity.aliases}:
            found[alias] = entity if alias not in found or found[alias] == entity else None
    named: dict[str, KnownEntity | None] = {}
    for entity in known:
        name = spelling(entity.name)
        named[name] = entity if name not in named else None
    return {name: entity for name, entity in (found | named).items() if entity is not None and name}
