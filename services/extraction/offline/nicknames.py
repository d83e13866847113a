"""Short forms of given names: whom somebody who speaks calls Lizzie, the narration may call Elizabeth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.extraction.offline.figures import Figure
from services.extraction.offline.names import Name

_FORMS: Final = {
    "alexander": "alec sandy alick",
    "andrew": "andy",
    "anthony": "tony",
    "arthur": "art",
    "catherine": "kate kitty cathy katy",
    "charles": "charlie charley",
    "daniel": "dan danny",
    "david": "dave davy",
    "dorothy": "dolly dot dottie",
    "edward": "ned ted teddy eddie",
    "eleanor": "nell nellie nora",
    "elizabeth": "lizzy lizzie eliza beth betty betsy bess bessie lisa",
    "frances": "fanny",
    "francis": "frank",
    "frederick": "fred freddy",
    "george": "georgie",
    "harriet": "hattie",
    "helen": "nell nellie",
    "henry": "harry hal",
    "isabella": "bella belle",
    "james": "jim jimmy jem jamie",
    "jane": "janey jenny",
    "john": "jack johnny",
    "joseph": "joe joey",
    "josephine": "jo josie",
    "katherine": "kate kitty kathy katy",
    "lawrence": "laurie larry",
    "louisa": "lou",
    "margaret": "maggie meg peggy madge daisy",
    "martha": "patty",
    "mary": "molly polly mamie",
    "matilda": "tilly",
    "nicholas": "nick",
    "philip": "phil",
    "richard": "dick dickie",
    "robert": "bob bobby rob robin",
    "samuel": "sam sammy",
    "sarah": "sally sadie",
    "susan": "sue susie",
    "theodore": "teddy",
    "thomas": "tom tommy",
    "timothy": "tim",
    "walter": "wat wally",
    "wilhelmina": "mina",
    "william": "will willie bill billy",
}
_FORMAL: Final[dict[str, frozenset[str]]] = {
    short: frozenset(full for full, shorts in _FORMS.items() if short in shorts.split())
    for shorts in _FORMS.values()
    for short in shorts.split()
}


def called_so_in_speech(name: Name, figures: Sequence[Figure]) -> list[Figure]:
    """Whom a short form means that the narration never uses: those it calls by the full form of that name.

    Where the narration uses both they may well be two people, a father and his son.
    """
    formal = _FORMAL.get(name.rest[0].lower(), frozenset())
    if not formal or name.votes.told or len(name.rest) > 1:
        return []
    return [
        figure
        for figure in figures
        if figure.full[0].lower() in formal and any(other.votes.told for other in figure.names)
    ]
