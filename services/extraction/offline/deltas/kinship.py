"""Kin, marriage and love."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.deltas.change import Change, Ground, confidence
from services.extraction.offline.epithets import sex_of
from services.extraction.offline.lexicon import words
from services.extraction.offline.mentions import Mention
from services.extraction.offline.observations import Clause
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.speakers import Utterance

_KIN: Final = (
    r"(?P<kin>(?:elder|eldest|younger|youngest|only|half-|step|twin|little|big|late|god|foster-?)?\s*"
    r"(?:mother|father|brother|sister|son|daughter|wife|husband|uncle|aunt|cousin|nephew|niece|grandmother|grandfather|"
    r"grandson|granddaughter|widow|widower)(?:-in-law)?)"
)
_QUALITY: Final = r"(?:\b(?:dear|own|good|poor|old|young|beloved|charming|beautiful|little|second|first|only)\s+)*"
_OWNED_BEFORE: Final = re.compile(rf"[’']s?\s+{_QUALITY}{_KIN},?\s+(?=[A-Z])")
_PRONOUN_BEFORE: Final = re.compile(rf"(?<![\w’'])(?P<whose>[Hh]is|[Hh]er|[Mm]y)\s+{_QUALITY}{_KIN},?\s+(?=[A-Z])")
_OWNED_AFTER: Final = re.compile(rf",\s+(?:the\s+)?{_QUALITY}{_KIN}\s+of\s+(?=[A-Z])")
_IS_KIN: Final = re.compile(rf"\s+(?:was|is)\s+(?:the\s+)?{_QUALITY}{_KIN}\s+(?:of|to)\s+(?=[A-Z])")
_WHOSE: Final = {"his": "he", "her": "she"}
_OWNS: Final = re.compile(r"[’']s?(?!\w)")
_IN_LOVE: Final = re.compile(r"(?:had\s+)?(?:\w+ly\s+)?f[ae]ll(?:en)?\s+(?:\w+\s+){0,2}in\s+love\s+with\s+")
_MARRIED: Final = words("marry wed")


def kinship(ground: Ground, utterances: Sequence[Utterance]) -> Iterator[Change]:
    for mention in ground.mentions.all:
        if mention.figure.type == "character" and not mention.figure.ambiguous:
            yield from _of(ground, mention)
    yield from _of_pronouns(ground, utterances)
    for clause in ground.clauses:
        if ground.real(clause):
            yield from _joined(ground, clause)


def _of(ground: Ground, mention: Mention) -> Iterator[Change]:
    """ "Mara's brother Tomas", "Tomas, the brother of Mara", "Tomas was the brother of Mara"."""
    for pattern, reverse in ((_OWNED_BEFORE, True), (_OWNED_AFTER, False), (_IS_KIN, False)):
        found = pattern.match(ground.text, mention.span.end)
        other = ground.mentions.at(found.end()) if found is not None else None
        if found is None or other is None or other.figure.type != "character" or other.figure is mention.figure:
            continue
        if (
            other.figure.ambiguous
            or _OWNS.match(ground.text, other.span.end)
            or (mention.narrated is False and pattern is _IS_KIN)
        ):
            continue
        kin, owner = (other, mention) if reverse else (mention, other)
        if _differ(found.group("kin"), kin):
            continue
        yield _related(
            kin,
            owner.figure.name,
            found.group("kin"),
            Span(mention.span.start, other.span.end),
            mention.figure.confidence,
        )


def _of_pronouns(ground: Ground, utterances: Sequence[Utterance]) -> Iterator[Change]:
    """ "His sister Mara": his is whom the rules are sure of; "my" is the speaker's."""
    for found in _PRONOUN_BEFORE.finditer(ground.text):
        kin = ground.mentions.at(found.end())
        if kin is None or kin.figure.type != "character" or kin.figure.ambiguous or kin.span.start != found.end():
            continue
        if _OWNS.match(ground.text, kin.span.end):
            continue
        if _differ(found.group("kin"), kin):
            continue
        owner = _owner(ground, found, utterances)
        if owner is not None and owner.figure is not kin.figure:
            span = Span(found.start(), kin.span.end)
            yield _related(
                kin, owner.figure.name, found.group("kin"), span, min(owner.confidence, kin.figure.confidence)
            )


def _differ(relation: str, kin: Mention) -> bool:
    """Whether somebody cannot be so related: "niece" of a man."""
    sex = sex_of(relation.split()[-1])
    return bool(sex and kin.figure.gender) and sex != kin.figure.gender


def _owner(ground: Ground, found: re.Match[str], utterances: Sequence[Utterance]) -> Reference | None:
    whose = found.group("whose").lower()
    if whose == "my":
        for utterance in utterances:
            if any(quote.start <= found.start() < quote.end for quote in utterance.quotes):
                return utterance.speaker if utterance.speaker.confidence >= 0.6 else None
        return None
    return None if ground.quotations.covers(found.start()) else ground.at(found.start(), _WHOSE[whose])


def _related(kin: Mention, owner: str, relation: str, span: Span, sure: float) -> Change:
    fields = {
        "source": kin.figure.name,
        "target": owner,
        "relation": " ".join(relation.split()).lower(),
        "symmetric": False,
    }
    return Change("relationship_delta", fields, span, round(0.85 * sure, 2))


def _joined(ground: Ground, clause: Clause) -> Iterator[Change]:
    """ "Mara married Tomas", "Tomas fell in love with Mara"."""
    one = ground.subject(clause)
    if one is None or clause.passive:
        return
    if clause.verb in _MARRIED:
        other = next((p for a in clause.arguments if a.role == "patient" and (p := ground.person(a, one))), None)
        relation, symmetric = "married", True
    elif clause.verb == "fall" and (found := _IN_LOVE.match(ground.text, clause.predicate.start)):
        other = ground.at(found.end())
        other = None if other is not None and other.figure is one.figure else other
        relation, symmetric = "in love with", False
    else:
        return
    if other is None:
        return
    fields = {
        "source": one.figure.name,
        "target": other.figure.name,
        "relation": relation,
        "polarity": 0.8,
        "symmetric": symmetric,
    }
    yield Change("relationship_delta", fields, ground.span(clause), confidence(one, other))
