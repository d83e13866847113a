"""Kin, marriage and love."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.deltas.change import Change, Ground, confidence, factual
from services.extraction.offline.epithets import sex_of
from services.extraction.offline.lexicon import words
from services.extraction.offline.mentions import Mention
from services.extraction.offline.observations import Clause, Standing
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.speakers import Utterance

_KIN: Final = (
    r"(?P<kin>(?:(?:elder|eldest|younger|youngest|only|half-|step|twin|little|big|late|god|foster-?|best|oldest)\s*+)?"
    r"(?:mother|father|brother|sister|son|daughter|wife|husband|uncle|aunt|cousin|nephew|niece|grandmother|grandfather|"
    r"grandson|granddaughter|widow|widower|guardian|ward|friend|enemy|rival|sweetheart|lover|betrothed|fianc[eé]e?|servant|maid|"
    r"valet|butler|housekeeper|footman|coachman|groom|nurse|governess|tutor|pupil|master|mistress|employer|partner|apprentice|"
    r"assistant|secretary|clerk|steward|squire|landlord|landlady|neighbou?r)(?:-in-law)?)(?![\w’'-])"
)
"""What one may be to another; only those of `_GOOD` say how the two stand."""
_GOOD: Final = {
    "friend": 0.5,
    "sweetheart": 0.8,
    "lover": 0.8,
    "betrothed": 0.8,
    "fiancé": 0.8,
    "fiancée": 0.8,
    "fiance": 0.8,
    "fiancee": 0.8,
    "enemy": -0.7,
    "rival": -0.4,
}
_QUALITY: Final = (
    r"(?:\b(?:dear|own|good|poor|old|young|beloved|charming|beautiful|little|second|first|only|faithful|trusty|great|"
    r"former|new)\s++)*"
)
_OWNED_BEFORE: Final = re.compile(rf"[’']s?\s++{_QUALITY}{_KIN},?\s++(?=[A-Z])")
_PRONOUN_BEFORE: Final = re.compile(rf"(?<![\w’'])(?P<whose>[Hh]is|[Hh]er|[Mm]y)\s++{_QUALITY}{_KIN},?\s++(?=[A-Z])")
_OWNED_AFTER: Final = re.compile(rf",\s++(?:(?:the|an?)\s++)?{_QUALITY}{_KIN}\s++of\s++(?=[A-Z])")
_IS_KIN: Final = re.compile(rf"\s++(?:was|is)\s++(?:(?:the|an?)\s++)?{_QUALITY}{_KIN}\s++(?:of|to)\s++(?=[A-Z])")
_KIN_IS: Final = re.compile(rf"[’']s?\s++{_QUALITY}{_KIN}\s++(?:was|is)\s++(?=[A-Z])")
_BESIDE: Final = re.compile(rf",?\s++(?:and|with)\s++(?P<whose>his|her)\s++{_QUALITY}{_KIN},?\s++(?=[A-Z])")
_THEN_ANOTHER: Final = re.compile(r"(?:,|\s++(?:was|is|had\s++been))\s++(?=[A-Z])")
_AND_OWNED: Final = re.compile(rf"[’']s?\s++{_QUALITY}{_KIN}(?=\s*+[,.;:!?)—])(?!,\s++(?:and|or)\b)")
_CLOSED: Final = re.compile(r"\s*+[,.;:!?)—”]")
_OF_WHOM: Final = re.compile(rf"(?P<whose>his|her|my)\s++{_QUALITY}{_KIN}")
_COUPLE: Final = re.compile(r"(?:Mr\.?|Lord|Sir|Monsieur|M\.)\s++and\s++(?=(?:Mrs\.?|Lady|Madame|Mme\.?)\s++[A-Z])")
_WHOSE: Final = {"his": "he", "her": "she", "my": "i"}
_SEX: Final = {"his": "male", "her": "female"}
_HUSBANDS: Final = frozenset(("mr", "lord", "sir"))
_OWNS: Final = re.compile(r"[’']s?(?!\w)")
_IN_LOVE: Final = re.compile(r"(?:had\s++)?(?:\w+ly\s++)?f[ae]ll(?:en)?\s++(?:\w+\s++){0,2}in\s++love\s++with\s++")
_TO_ANOTHER: Final = re.compile(r"\s++to\s++[A-Z]")
_MARRIED: Final = words("marry wed")
_PARTED: Final = words("divorce")


def kinship(ground: Ground, utterances: Sequence[Utterance]) -> Iterator[Change]:
    for mention in ground.mentions.all:
        if mention.figure.type == "character" and not mention.figure.ambiguous:
            yield from _of(ground, mention)
            yield from _beside(ground, mention)
            yield from _next_to(ground, mention)
    yield from _of_pronouns(ground, utterances)
    yield from _couples(ground)
    for standing in ground.standings:
        if standing.complement.role == "attribute":
            yield from _said_to_be(ground, standing)
    for clause in ground.clauses:
        if ground.real(clause):
            yield from _joined(ground, clause)


def _of(ground: Ground, mention: Mention) -> Iterator[Change]:
    """ "Mara's brother Tomas", "Tomas, the brother of Mara", "Tomas was the brother of Mara", "Mara's brother was Tomas"."""
    for pattern, reverse in ((_OWNED_BEFORE, True), (_KIN_IS, True), (_OWNED_AFTER, False), (_IS_KIN, False)):
        found = pattern.match(ground.text, mention.span.end)
        other = ground.mentions.at(found.end()) if found is not None else None
        if found is None or other is None or other.figure.type != "character" or other.figure is mention.figure:
            continue
        if (
            other.figure.ambiguous
            or _OWNS.match(ground.text, other.span.end)
            or (mention.narrated is False and pattern in (_IS_KIN, _KIN_IS))
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


def _beside(ground: Ground, mention: Mention) -> Iterator[Change]:
    """ "Tomas and his sister Mara": his is the one who stands beside her."""
    found = _BESIDE.match(ground.text, mention.span.end)
    kin = _other(ground, found.end(), mention) if found is not None else None
    if found is None or kin is None or mention.figure.gender not in (_SEX[found.group("whose")], ""):
        return
    if not _differ(found.group("kin"), kin) and not _OWNS.match(ground.text, kin.span.end):
        span = Span(mention.span.start, kin.span.end)
        sure = min(mention.figure.confidence, kin.figure.confidence)
        yield _related(kin, mention.figure.name, found.group("kin"), span, sure)


def _next_to(ground: Ground, mention: Mention) -> Iterator[Change]:
    """ "Tomas, Mara's brother, …", "Tomas was Mara's brother"."""
    then = _THEN_ANOTHER.match(ground.text, mention.span.end)
    owner = _other(ground, then.end(), mention) if then is not None else None
    found = _AND_OWNED.match(ground.text, owner.span.end) if owner is not None else None
    if owner is None or found is None or _differ(found.group("kin"), mention):
        return
    if factual(ground.text, Span(mention.span.start, owner.span.start)):
        span = Span(mention.span.start, found.end())
        sure = min(mention.figure.confidence, owner.figure.confidence)
        yield _related(mention, owner.figure.name, found.group("kin"), span, sure)


def _said_to_be(ground: Ground, standing: Standing) -> Iterator[Change]:
    """ "Mr. Royall was her guardian"."""
    said = _OF_WHOM.match(ground.text, standing.complement.span.start)
    kin = ground.mentions.at(standing.subject)
    if (
        said is None
        or kin is None
        or said.end() != standing.complement.span.end
        or not factual(ground.text, standing.span)
    ):
        return
    whose = said.group("whose")
    owner = ground.at(standing.complement.span.start, _WHOSE[whose])
    known = kin.figure.type == "character" and not kin.figure.ambiguous and not _differ(said.group("kin"), kin)
    if known and owner is not None and owner.figure is not kin.figure:
        sure = min(owner.confidence, kin.figure.confidence)
        yield _related(kin, owner.figure.name, said.group("kin"), standing.span, sure)


def _couples(ground: Ground) -> Iterator[Change]:
    """ "Mr. and Mrs. Voss", where the chapter has both."""
    for found in _COUPLE.finditer(ground.text):
        wife = ground.mentions.at(found.end())
        surname = wife.figure.names[0].rest[-1:] if wife is not None and wife.figure.names else ()
        husbands = [
            figure
            for figure in ground.mentions.figures()
            if figure.type == "character"
            and not figure.ambiguous
            and any(name.title in _HUSBANDS and name.rest[-1:] == surname for name in figure.names)
        ]
        if wife is None or wife.figure.ambiguous or not surname or len(husbands) != 1 or husbands[0] is wife.figure:
            continue
        fields = {
            "source": husbands[0].name,
            "target": wife.figure.name,
            "relation": "married",
            "polarity": 0.8,
            "symmetric": True,
        }
        sure = round(0.85 * min(husbands[0].confidence, wife.figure.confidence), 2)
        yield Change("relationship_delta", fields, Span(found.start(), wife.span.end), sure)


def _other(ground: Ground, offset: int, mention: Mention) -> Mention | None:
    """The other character who is named at `offset`."""
    found = ground.mentions.at(offset)
    if found is None or found.figure.type != "character" or found.figure.ambiguous or found.figure is mention.figure:
        return None
    return found


def _of_pronouns(ground: Ground, utterances: Sequence[Utterance]) -> Iterator[Change]:
    """ "His sister Mara": his is whom the rules are sure of; "my" is the speaker's."""
    for found in _PRONOUN_BEFORE.finditer(ground.text):
        kin = ground.mentions.at(found.end())
        if kin is None or kin.figure.type != "character" or kin.figure.ambiguous or kin.span.start != found.end():
            continue
        if _OWNS.match(ground.text, kin.span.end) or _differ(found.group("kin"), kin):
            continue
        if "," in found.group() and not _CLOSED.match(ground.text, kin.span.end):
            continue  # "beside his daughter, Tomas felt": a clause begins
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
    fields: dict[str, object] = {
        "source": kin.figure.name,
        "target": owner,
        "relation": " ".join(relation.split()).lower(),
        "symmetric": False,
    }
    polarity = _GOOD.get(relation.split()[-1].lower())
    if polarity is not None:
        fields["polarity"] = polarity
    return Change("relationship_delta", fields, span, round(0.85 * sure, 2))


def _joined(ground: Ground, clause: Clause) -> Iterator[Change]:
    """ "Mara married Tomas", "divorced him", "Tomas fell in love with Mara"."""
    one = ground.subject(clause)
    if one is None or clause.passive:
        return
    if clause.verb in _MARRIED:
        # "married Tomas to Ida" is what a priest does
        bride = [a for a in clause.arguments if a.role == "patient" and not _TO_ANOTHER.match(ground.text, a.span.end)]
        other = next((p for a in bride if (p := ground.person(a, one))), None)
        relation, symmetric = "married", True
    elif clause.verb in _PARTED:
        patients = [a for a in clause.arguments if a.role == "patient"]
        other = next((p for a in patients if (p := ground.person(a, one))), None)
        relation, symmetric = "divorced", True
    elif clause.verb == "fall" and (found := _IN_LOVE.match(ground.text, clause.predicate.start)):
        loved = ground.mentions.at(found.end())
        other = ground.at(found.end()) if loved is not None and not _OWNS.match(ground.text, loved.span.end) else None
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
        "polarity": -0.5 if clause.verb in _PARTED else 0.8,
        "symmetric": symmetric,
    }
    yield Change("relationship_delta", fields, ground.span(clause), confidence(one, other))
