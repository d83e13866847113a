"""Who is given what, where the parser did not see which of two objects is the receiver.

"Gave the brass key to Mara": brass receives nothing, and the key is not one that leads to her. "Handed Mara the lamp" has
one who receives and one thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from services.extraction.offline.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

GIVING: Final = words("give hand lend send deliver surrender bequeath return restore sell present toss")
_OBJECTS: Final = ("dobj", "dative", "obj", "iobj")
_NAMING: Final = ("PROPN", "PRON")
_OWN_WORDS: Final = ("det", "poss", "amod", "nummod")
"""What stands before a noun that begins a phrase of its own."""


class Given(NamedTuple):
    """A part of what a verb of giving says. `first` is the first word of its phrase."""

    role: str
    head: Token
    first: Token
    preposition: str = ""


def given(verb: Token) -> list[Given]:
    """The thing and its receiver; nothing where the verb gives nothing, or the parser's own reading will do."""
    if verb.lemma_ not in GIVING:
        return []
    objects = [c for c in verb.children if c.i > verb.i and c.dep_ in _OBJECTS and c.pos_ != "ADP"]
    if len(objects) == 2:
        return _of_two(*objects)
    back = [c for c in verb.children if c.lower_ == "back"]  # `gave it back to her`
    if len(objects) == 1 and (receivers := [r for led in (objects[0], *back) for r in _led_to(led)]):
        return [Given("patient", objects[0], objects[0].left_edge), *receivers]
    return []


def _of_two(first: Token, second: Token) -> list[Given]:
    beside = second.i == first.i + 1 and not any(child.dep_ in _OWN_WORDS for child in second.children)
    if first.pos_ == second.pos_ == "NOUN" and beside:  # one thing of two words
        return [Given("patient", second, first.left_edge), *_led_to(second)]
    if first.pos_ in _NAMING and second.pos_ == "NOUN":
        return [Given("recipient", first, first.left_edge), Given("patient", second, second.left_edge)]
    return []


def _led_to(thing: Token) -> Iterator[Given]:
    """Those after a "to" that the parser hung on the thing."""
    for preposition in thing.children:
        if preposition.dep_ == "prep" and preposition.lower_ == "to":
            for child in preposition.children:
                if child.dep_ == "pobj" and child.pos_ in _NAMING:
                    yield Given("recipient", child, child.left_edge, "to")
