"""Whoever is said to have another name now, or to have had one: "Mrs. Lawrence, late Miss Hale"; "(poor Miss Hale that was)"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from services.extraction.offline.displaying import display
from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mention, Mentions

_SINCE: Final = re.compile(r"\s*[,(—]\s*(?:(?:who|that)\s+(?:was|is)\s+)?(?:now|late|formerly|n[eé]e)\s+\Z")
"""Between the one name and the other."""
_WHO: Final = re.compile(r"\s*[,(—]\s*(?:(?:my|our|your)\s+)?(?:(?:poor|dear|old|little)\s+)?\Z")
_THAT_WAS: Final = re.compile(r"\s+that\s+was\s*[),.;:!?—]")
_OF_A_WOMAN: Final = frozenset(("miss", "mrs", "lady"))


def with_renamed(text: str, figures: list[Figure], mentions: Mentions) -> list[Figure]:
    """The figures, those joined of whom the text says that the one name came after the other; the same list if there are none."""
    joined: set[int] = set()
    for one, other in _renamed(text, mentions):
        bearer, called = one.figure, other.figure
        if bearer is called or {id(bearer), id(called)} & joined or not _may_be(bearer, called):
            continue
        bearer.names += called.names
        bearer.surfaces += called.surfaces
        bearer.derived += tuple(form for form in called.derived if form not in bearer.derived)
        bearer.epithets += called.epithets
        bearer.withheld |= called.withheld
        bearer.gender = bearer.gender or called.gender
        bearer.name = display(bearer.names)
        joined.add(id(called))
    return [figure for figure in figures if id(figure) not in joined] if joined else figures


def _renamed(text: str, mentions: Mentions) -> Iterator[tuple[Mention, Mention]]:
    for one, other in pairwise(mentions.all):
        between = text[one.span.end : other.span.start]
        if _SINCE.match(between) or (_WHO.match(between) and _THAT_WAS.match(text, other.span.end)):
            yield one, other


def _may_be(one: Figure, other: Figure) -> bool:
    """Whether both are names of a woman, one of them a title with a surname or a husband's name."""
    both = (one, other)
    if any(figure.type != "character" or figure.ambiguous or not figure.names for figure in both):
        return False
    titled = any(name.title in _OF_A_WOMAN for figure in both for name in figure.names)
    return titled and all(figure.gender != "male" for figure in both)
