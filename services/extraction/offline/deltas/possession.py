"""Who has a thing now: given, taken, bought, stolen, lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.deltas.change import Change, Ground, confidence
from services.extraction.offline.giving import GIVING
from services.extraction.offline.lexicon import words
from services.extraction.offline.observations import Argument, Clause

_TAKING: Final = words(
    "steal buy purchase receive inherit seize snatch pocket borrow confiscate pilfer filch acquire obtain take win"
)
_AT_HAND: Final = words("take seize snatch")
"""Taking that makes somebody the owner of a thing that was spoken of, not of any that lay about ("took a plate")."""
_LOSING: Final = words("lose mislay")
_PORTABLE: Final = words(
    "letter book notebook diary journal document paper papers parchment scroll testament deed map chart telegram card "
    "key ring necklace bracelet brooch locket jewel diamond pearl ruby emerald crown watch chain medal coin purse wallet money "
    "sovereign shilling guinea pound cheque bill treasure gold silver sword knife dagger pistol revolver gun rifle musket axe bow "
    "spear shield whip stick cane staff wand lamp lantern candle torch box casket chest trunk bag basket parcel package packet "
    "bundle bottle flask cup goblet glass plate dish hat cap bonnet coat cloak shawl glove gloves boots shoes slipper dress gown "
    "scarf handkerchief apron fan umbrella parasol mask portrait picture photograph miniature painting statue violin fiddle flute "
    "harp horn bell drum doll toy ball flower flowers bouquet rose apple cake bread loaf wine medicine potion powder phial seal "
    "stamp ticket passport pipe snuffbox snuff-box spectacles telescope compass rope horse pony mare donkey dog puppy kitten "
    "canary parrot stone amulet talisman charm seed feather needle thread scissors pen pencil pocketbook pocket-book manuscript"
)
"""Nouns of things that can change hands."""
_LEFT_OUT: Final = re.compile(
    r"^(?:(?:the|a|an|this|that|his|her|its|their|my|our|your|some|another|one)\s+)+", re.IGNORECASE
)
_ANY: Final = re.compile(r"(?:an?|some|another|one)\s", re.IGNORECASE)
_OWN: Final = frozenset(("his", "her", "my", "their", "our", "its"))
_LONGEST_NAME: Final = 5


def possession(ground: Ground) -> Iterator[Change]:
    for clause in ground.clauses:
        if clause.verb in GIVING:
            yield from _given(ground, clause)
        elif clause.verb in _TAKING and not clause.passive:
            yield from _taken(ground, clause)
        elif clause.verb in _LOSING and not clause.passive:
            yield from _lost(ground, clause)


def _given(ground: Ground, clause: Clause) -> Iterator[Change]:
    giver = ground.subject(clause)
    things = [a for a in clause.arguments if a.role == "patient"]
    people = [a for a in clause.arguments if a.role == "recipient"]
    if clause.passive or giver is None or len(people) != 1 or not ground.real(clause):
        return
    receiver = ground.person(people[0], giver)
    if receiver is not None:
        yield from _owned(ground, clause, things, receiver, giver)


def _taken(ground: Ground, clause: Clause) -> Iterator[Change]:
    taker = ground.subject(clause)
    things = [a for a in clause.arguments if a.role == "patient"]
    if clause.verb in _AT_HAND:
        things = [a for a in things if not _ANY.match(ground.text, a.span.start)]
    if taker is not None and ground.real(clause):
        yield from _owned(ground, clause, things, taker)


def _lost(ground: Ground, clause: Clause) -> Iterator[Change]:
    loser = ground.subject(clause)
    if loser is None or not ground.real(clause):
        return
    for argument in clause.arguments:
        if argument.role == "patient" and (name := thing(ground, argument)):
            yield Change("object_delta", {"object": name, "state": "lost"}, ground.span(clause), confidence(loser))


def _owned(
    ground: Ground, clause: Clause, things: list[Argument], owner: Reference, *others: Reference
) -> Iterator[Change]:
    for argument in things:
        name = thing(ground, argument)
        # "took off her hat": it was hers before
        own = len(others) == 0 and ground.word(argument.span.start).lower() in _OWN
        if name and not own:
            fields = {"object": name, "owner": owner.figure.name}
            yield Change("object_delta", fields, ground.span(clause), confidence(owner, *others))


def thing(ground: Ground, argument: Argument) -> str:
    """What a thing is called: its noun with the words before it, no article; empty where it is nothing that is handed over."""
    head = ground.word(argument.head)
    if head.lower() not in _PORTABLE:
        return ""
    phrase = " ".join(ground.text[argument.span.start : argument.head + len(head)].split())
    name = _LEFT_OUT.sub("", phrase)
    return name if name and len(name.split()) <= _LONGEST_NAME and "," not in name else ""
