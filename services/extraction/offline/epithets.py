"""Whom a description beside speech means: "his wife", "her mother", "the young man", "the other"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import FEMALE_NOUNS, MALE_NOUNS, words
from services.extraction.offline.names import Gender, Name

_FEMALE: Final = FEMALE_NOUNS | words(
    "mother mamma mama wife sister aunt daughter niece grandmother granddaughter lady girl woman hostess mistress ladyship "
    "stepmother mother-in-law sister-in-law daughter-in-law matron widow housekeeper damsel dame heroine patroness"
)
_MALE: Final = MALE_NOUNS | words(
    "father papa husband brother uncle son nephew grandfather grandson gentleman boy man youth lord lordship host master "
    "stepfather father-in-law brother-in-law son-in-law clergyman lad fellow hero patron"
)
_ELDERS: Final = words(
    "mother mamma mama father papa wife husband aunt uncle grandmother grandfather stepmother stepfather mother-in-law "
    "father-in-law lady lord ladyship lordship"
)
"""Relations who mostly go by a title and surname."""
_YOUNGER: Final = words(
    "sister brother daughter son niece nephew cousin girl boy child youth lad lass granddaughter grandson"
)
"""Relations who mostly go by their given names."""
_SPOUSES: Final = words("wife husband lady")
_SAME_SURNAME: Final = words("mother father wife husband son daughter brother sister mamma papa lady")
_ANYBODY: Final = words(
    "other friend companion gentleman lady man woman girl boy child youth lad lass fellow creature person speaker visitor "
    "guest stranger patron patroness master mistress host hostess ladyship lordship first second latter former one questioner "
    "interlocutor hearer listener opponent adversary lover elder younger gentlemen voice"
)
"""Descriptions that take the place of a name already told; others mostly introduce somebody who has none."""

_TITLES: Final = {
    "female": frozenset(("mrs", "lady", "mother", "aunt")),
    "male": frozenset(("mr", "sir", "dr", "captain", "colonel", "uncle")),
}
_TITLED = 1.4
_OF_THE_NAME = 1.2
_MARRIED = 4.0
_NOBODY_NAMED = 4.0
_MAYBE_NOBODY = 0.5


def sex_of(noun: str) -> Gender:
    if noun in _FEMALE or noun.endswith("woman"):
        return "female"
    return "male" if noun in _MALE or noun.endswith("man") else ""


def is_kin(noun: str) -> bool:
    """Whether the noun says what somebody is to another."""
    return noun in _ELDERS | _YOUNGER


def nameless(noun: str) -> float:
    """What counts for somebody without a name."""
    return _MAYBE_NOBODY if noun in _ANYBODY or is_kin(noun) else _NOBODY_NAMED


def fits(noun: str, figure: Figure, owner: Figure | None) -> float:
    """What counts for `figure` being the `noun` of `owner` ("mother" of Elizabeth): by titles and surnames."""
    titles = {name.title for name in figure.names}
    weight = 0.0
    if noun in _ELDERS:
        weight += _TITLED if titles & _TITLES.get(sex_of(noun), frozenset()) else -0.5 * _TITLED
    elif noun in _YOUNGER:
        weight -= 0.5 * _TITLED if titles & {"mrs", "mr"} else 0.0
    if owner is not None and owner.names and figure.names:
        related = owner.full[-1:] == figure.full[-1:] and len(owner.full + figure.full) > 2
        couple = noun in _SPOUSES and married(owner.names, figure.names)
        weight += _MARRIED if couple else _OF_THE_NAME if related and noun in _SAME_SURNAME else 0.0
    return weight


def married(names: Iterable[Name], others: Iterable[Name]) -> bool:
    """Whether one is Mr. and the other Mrs. of a surname."""
    one = {(name.title, name.rest[-1:]) for name in names}
    other = {(name.title, name.rest[-1:]) for name in others}
    return any(
        (a in ("mr", "dr") and ("mrs", surname) in other) or (a == "mrs" and {("mr", surname), ("dr", surname)} & other)
        for a, surname in one
    )
