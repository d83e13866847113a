"""What a question is about: a figure, the plot, or both (PonsRAG, section 5.4 and appendix D), and what that gives to each layer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["char", "plot", "mix"]

SHARES: Final[Mapping[Kind, float]] = {"char": 0.2, "plot": 0.05, "mix": 0.1}
"""The share of a packet that what figures are may take before what happens."""

_TRAIT: Final = re.compile(
    r"\b(?:who (?:is|was|are|were)|what (?:kind|sort|type) of|what (?:is|was|are|were) (?:\w+ )?(?:\w+['’]s|his|her|their)"
    r"|relation(?:ship)?s?|related|sister|brother|mother|father|wife|husband|son|daughter|uncle|aunt|cousin|friend"
    r"|personality|character|occupation|profession|job|nationality|religion|age|old (?:is|was)|named?|called|nickname"
    r"|look(?:s|ed)? like|appearance|describe[sd]?|feels? (?:about|for|towards?)|opinion|believes?|knows?|thinks?)\b",
    re.IGNORECASE,
)
_HAPPENING: Final = re.compile(
    r"\b(?:why|how (?:do|does|did|is|was|were|are|can|could)|when|where|before|after|during|while|until|at last|finally|eventually|first"
    r"|earlier|later|then|happen(?:s|ed)?|what (?:do|does|did|made|makes|causes?|caused)|ends?|begins?|beginning)\b",
    re.IGNORECASE,
)


def kind(question: str) -> Kind:
    """`char` if it asks what a figure is, `plot` if it asks what happens, `mix` if both or neither; by its words, without a model."""
    trait, happening = _TRAIT.search(question), _HAPPENING.search(question)
    if trait and not happening:
        return "char"
    return "plot" if happening and not trait else "mix"
