"""Whoever is described first and then named: "the man in the grey coat, whose name was Odran"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import ANYBODY, PERSON_NOUNS
from services.extraction.offline.mentions import Mentions
from services.extraction.offline.observations import Observations

_NOUN: Final = "|".join(sorted(PERSON_NOUNS, key=lambda noun: (-len(noun), noun)))
_NAMED: Final = re.compile(
    rf"(?<!\w)(?P<words>[Tt]he\s+(?:[a-z]+\s+){{0,2}}(?:{_NOUN})(?:\s+(?:in|with)\s+(?:the|a|an|one)\s+(?:[a-z]+\s+){{0,2}}[a-z]+)?)"
    r",?\s+whose\s+name\s+(?:was|is)\s+(?P<name>[^\W\d_a-z][\w’'-]+(?:\s+[^\W\d_a-z][\w’'-]+){0,2})"
)


def vote_for_the_named(text: str, seen: Observations) -> None:
    """What is said to be somebody's name is a person's."""
    for _, name, _ in _named(text):
        votes = seen.runs[tuple(name.split())]
        votes.inner += 1
        votes.person += 3.0


def with_revealed(text: str, figures: list[Figure], mentions: Mentions) -> list[Figure]:
    """The figures, each description that is given a name joined with whoever bears it; the same list if there is none.

    "The girl" is called so in this chapter only, as the next may have another; what tells one from others stays his.
    """
    found, changed = list(figures), False
    for words, _, place in _named(text):
        mention = mentions.at(place)
        described = [
            figure for figure in found if not figure.names and figure.type == "character" and figure.name == words
        ]
        if (
            mention is None
            or mention.figure.type != "character"
            or not mention.figure.names
            or mention.figure.ambiguous
        ):
            continue
        bearer = mention.figure
        for figure in described:
            bearer.surfaces += figure.surfaces
            bearer.gender = bearer.gender or figure.gender
            found.remove(figure)
        if not described:
            bearer.surfaces.append(tuple(words.split()))
        if words.split()[-1] not in ANYBODY or len(words.split()) > 2:
            bearer.epithets.append(words)
        changed = True
    return found if changed else figures


def _named(text: str) -> Iterator[tuple[str, str, int]]:
    """Each description with the name that is given to it, and where that begins."""
    for match in _NAMED.finditer(text):
        words = " ".join(match.group("words").split())
        yield words[0].lower() + words[1:], match.group("name"), match.start("name")
