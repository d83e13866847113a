"""Short forms of given names: whom somebody who speaks calls Lizzie, the narration may call Elizabeth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.extraction.offline.figures import Figure
from services.extraction.offline.names import Name

_FORMS: Final = {
    "abigail": "abby gail",
    "adelaide": "addie",
    "agnes": "aggie nessie",
    "albert": "bert bertie al",
    "alexander": "alec sandy alick alex sasha",
    "alfred": "alf alfie fred",
    "alice": "allie",
    "amelia": "emmy millie",
    "ann": "annie",
    "anne": "annie",
    "andrew": "andy",
    "anthony": "tony",
    "arthur": "art artie",
    "augusta": "gussie",
    "augustus": "gus",
    "barbara": "babs",
    "bartholomew": "bart",
    "beatrice": "bea trixie",
    "benjamin": "ben benny",
    "caroline": "carrie caro",
    "catherine": "kate kitty cathy katy",
    "cecilia": "cecily cissy sissy celia",
    "charles": "charlie charley",
    "charlotte": "lottie charley",
    "christina": "chrissie tina",
    "christopher": "kit chris",
    "clara": "clary",
    "constance": "connie",
    "daniel": "dan danny",
    "david": "dave davy",
    "dorothea": "dolly dodo thea",
    "dorothy": "dolly dot dottie",
    "ebenezer": "eben",
    "edgar": "eddie",
    "edmund": "ned ted",
    "edward": "ned ted teddy eddie",
    "eleanor": "nell nellie nora",
    "elinor": "nell nellie nora",
    "elizabeth": "lizzy lizzie eliza beth betty betsy bess bessie lisa",
    "emily": "em emmy millie",
    "emma": "em emmy",
    "ernest": "ernie",
    "esther": "essie hetty",
    "eugene": "gene",
    "evelyn": "evie eve",
    "florence": "flo flossie florrie",
    "frances": "fanny fan frankie",
    "francis": "frank",
    "frederick": "fred freddy",
    "gabriel": "gabe",
    "george": "georgie geordie",
    "georgiana": "georgie georgy",
    "gertrude": "gertie trudy",
    "gilbert": "gil bert",
    "gregory": "greg",
    "harold": "harry hal",
    "harriet": "hattie harry hatty",
    "helen": "nell nellie",
    "henrietta": "hetty etta harry",
    "henry": "harry hal hank",
    "herbert": "bert bertie",
    "isabel": "bell bella belle",
    "isabella": "bella belle bell",
    "jacob": "jake",
    "james": "jim jimmy jem jamie",
    "jane": "janey jenny",
    "john": "jack johnny",
    "jonathan": "jon",
    "joseph": "joe joey jos",
    "josephine": "jo josie",
    "katherine": "kate kitty kathy katy",
    "lawrence": "laurie larry",
    "letitia": "letty tish",
    "lilian": "lily lil",
    "louis": "lou",
    "louisa": "lou loo",
    "lucinda": "lucy cindy",
    "magdalen": "maudlin magda",
    "margaret": "maggie meg peggy madge daisy",
    "martha": "patty matty",
    "mary": "molly polly mamie moll poll may",
    "matilda": "tilly matty tilda",
    "matthew": "matt",
    "michael": "mike mick micky",
    "mildred": "millie milly",
    "nathaniel": "nat",
    "nathan": "nat",
    "nicholas": "nick",
    "oliver": "noll",
    "patrick": "pat paddy",
    "penelope": "penny",
    "peter": "pete",
    "philip": "phil pip",
    "philippa": "pip",
    "prudence": "prue",
    "rebecca": "becky",
    "richard": "dick dickie rick",
    "robert": "bob bobby rob robin",
    "ronald": "ron ronnie",
    "rosalind": "rosie",
    "rosamond": "rosy rosie",
    "samuel": "sam sammy",
    "sarah": "sally sadie sal",
    "sebastian": "seb",
    "sophia": "sophy sophie",
    "stephen": "steve",
    "susan": "sue susie sukey",
    "susannah": "sue susie sukey",
    "theodore": "teddy ted theo",
    "theresa": "tess tessie terry",
    "thomas": "tom tommy",
    "timothy": "tim",
    "tobias": "toby",
    "victoria": "vicky",
    "vincent": "vince",
    "virginia": "ginny",
    "walter": "wat wally",
    "wilhelmina": "mina",
    "wilfred": "fred wilf",
    "william": "will willie bill billy willy",
    "winifred": "winnie freda",
    "zachary": "zack",
}
_FORMAL: Final[dict[str, frozenset[str]]] = {
    short: frozenset(full for full, shorts in _FORMS.items() if short in shorts.split())
    for shorts in _FORMS.values()
    for short in shorts.split()
}


def short_for(name: str) -> frozenset[str]:
    """The given names that a name in lower case may be a short form of."""
    return _FORMAL.get(name, frozenset())


def calls_a_wife(called: Figure, figures: Sequence[Figure]) -> list[Figure]:
    """Whom "Loo Orlov" means that only speakers say: the one woman whom the narration calls Louisa, without a surname."""
    formal = short_for(called.full[0].lower())
    told = any(name.votes.told or name.titles or name.rest[0] != called.full[0] for name in called.names)
    if not formal or told or len(called.full) != 2 or called.gender == "male":
        return []
    return [
        figure
        for figure in figures
        if len(figure.full) == 1
        and figure.full[0].lower() in formal
        and figure.gender == "female"
        and any(name.votes.told for name in figure.names if not name.titles)
    ]


def called_so_in_speech(name: Name, figures: Sequence[Figure]) -> list[Figure]:
    """Whom a short form means that the narration never uses: those it calls by the full form of that name.

    Where the narration uses both they may well be two people, a father and his son; so may a man whom
    nobody calls by the full form alone.
    """
    formal = short_for(name.rest[0].lower())
    if not formal or name.votes.told or len(name.rest) > 1:
        return []
    return [
        figure
        for figure in figures
        if figure.full[0].lower() in formal
        and any(other.votes.told for other in figure.names)
        and (
            figure.gender != "male" or any(other.rest == figure.full[:1] and not other.title for other in figure.names)
        )
    ]
