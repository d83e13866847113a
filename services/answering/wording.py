"""Words that an audit goes by: of denial, of assent, of number, of persons."""

from __future__ import annotations

import re
from typing import Final

from projections.search.analysis import terms
from services.extraction.offline.nouns import NOUN_SORTS

NEGATION: Final = re.compile(r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|\w+n['’]t)\b", re.IGNORECASE)
MEANT: Final = re.compile(
    r"\b(?:promis\w*|vow\w*|swor[en]|swears?|want\w*|wish\w*|hop(?:ed?|es|ing)|meant?|means|intend\w*|plan(?:s|n\w+)?|tr(?:y|ies|ied|ying)"
    r"|refus\w*|fail\w*|offer\w*|agree\w*|decid\w*|resolv\w*|begg?(?:s|ed|ing)?|ask(?:s|ed)?|bade|told|order(?:s|ed)?)"
    r"(?:\s+\w+){0,4}\s+to\s+(?:\w+\s+)?$"
    r"|\b(?:would|could|might|should|shall|will|must|may|cannot|can|if)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
"""What stands before a verb that is only promised, wanted, asked for or possible."""
POLAR_WORDS: Final = frozenset(terms("yes no true false not for certain"))
_NUMBERS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen twenty"
)
NUMBERS: Final = {
    **{terms(word)[0]: str(number) for number, word in enumerate(_NUMBERS.split())},
    **{str(number): terms(word)[0] for number, word in enumerate(_NUMBERS.split())},
}
"""Small numbers, from word to figure and back."""
_KIN: Final = frozenset(
    ("father", "mother", "brother", "sister", "son", "daughter", "uncle", "aunt", "wife", "husband", "child")
)
_CREATURES: Final = (
    "wolf fox bear lion tiger cat dog horse mouse rat bird crow raven eagle frog toad fish snake serpent goat sheep donkey cow pig"
    " hen cock goose duck dragon giant witch fairy ghost spirit troll elf dwarf"
)
CREATURES: Final = frozenset(_CREATURES.split())


def is_person(lemma: str) -> bool:
    """Whether a noun can be somebody who acts: a person, or a creature of a tale."""
    return NOUN_SORTS.get(lemma) == "PER" or lemma in _KIN or lemma in CREATURES
