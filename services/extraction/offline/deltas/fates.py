"""Deaths and wounds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.deltas.change import Change, Ground, confidence
from services.extraction.offline.lexicon import words
from services.extraction.offline.mentions import Mention
from services.extraction.offline.observations import Clause
from services.extraction.offline.paragraphs import Span

_DYING: Final = words("die perish drown expire")
_KILLING: Final = words("kill murder slay assassinate strangle behead guillotine execute drown")
_WOUNDING: Final = words("wound injure stab shoot maim scald scorch bite lame")
_HURTING: Final = words("break sprain twist dislocate fracture cut bruise burn gash wrench")
_BODY: Final = words(
    "arm leg ankle wrist foot hand finger knee shoulder collarbone collar-bone rib ribs neck nose head thigh hip elbow toe back"
)
_MIND: Final = re.compile(
    r"(?i)\b(?:feelings?|pride|vanity|heart|spirit|self-love|deeply|cruelly|mortif\w+|conscience|curiosity|remorse|desire|envy|jealousy|glances?|looks?)\b"
)
_NOT_YET: Final = re.compile(r"(?i)\b(?:dying|perishing|expiring|drowning)\b")
_FIGURE: Final = re.compile(
    r"(?i)\b(?:died|dying|die)\s++(?:away|out|down|of\s++(?:laugh|shame|curios|envy|joy|ennui|love)\w*|with\s++(?:laugh|shame|kindness|love|looks)\w*)"
    r"|\b(?:with|by)\s++(?:kindness|a\s++(?:look|glance)|looks)\b|\bin\s++(?:debts?|sorrows?|tears|drink|work|thoughts?|love)\b"
    r"|\bin\s++the\s++(?:\w++\s++){0,2}(?:act|scene|play|opera|story|book|game|dream)\b"
)
_DEAD: Final = re.compile(
    r"(?:[’']s|\s++(?:is|was|lay|has\s++been|had\s++been))\s++(?P<dead>dead|murdered|killed|drowned)"
    r"(?=\s*+[,.;:!?”\"—)]|\s++(?:and|but|now|then|already|at|by|since|for|from|when|before|these|this|last|long|too|there|here)\b|\s*+$)"
    r"(?!\s++(?:on|at)\s++(?:his|her|their|my)\s++feet)"
)
"""That somebody is dead; no "dead certain", nor "Orlov's dead husband"."""
_LATE: Final = re.compile(
    r"(?i)(?:\b(?:lie[sd]?|false\w*|pretend\w*|rumou?r\w*|if|whether|suppose|perhaps|think|thought|thinks|believe|believed|hope|wish|fancy|say|said|as\s++though|until|till|when|unless|before|after|that|dream\w*|fear\w*)\b)"
)
_SO_THEY_SAY: Final = re.compile(
    r"(?i),\s++(?:or\s++so|(?:so\s++)?(?:they|he|she|people|everybody|everyone|some|it\s++(?:is|was))\s++(?:say|said|says|think|thought|believe|believed|"
    r"seem|seems|seemed)|apparently|supposedly|it\s++seem)"
)
"""What makes a death that was told only what is said."""
_ENDING: Final = (
    r"(?:(?:sudden|untimely|recent|violent|tragic|terrible|mysterious|early|cruel|sad|lamented|foul)\s++){0,2}"
    r"(?:death|murder|assassination|funeral|burial|corpse|murderer|murderess)(?![\w’'-])"
)
_HIS_DEATH: Final = re.compile(rf"[’']s?\s++{_ENDING}")
_DEATH_OF: Final = re.compile(
    rf"(?P<be>\b(?:be|been|being)\s++)?\bthe\s++{_ENDING}\s++of\s++(?:the\s++late\s++|poor\s++|old\s++)?$"
)
_LATE_BEARER: Final = re.compile(r"(?<![\w’'])the\s++late\s++$")
_IN_DOUBT: Final = re.compile(
    r"(?i)\b(?:may|might|can|could|would|should|must|will|shall|if|whether|suppose\w*|before|till|until|unless|as\s++though|plot\w*|plan\w*|"
    r"attempt\w*|threat\w*|prevent\w*|avert\w*|escape\w*|seek\w*|sought|wish\w*|want\w*|hop(?:e|ed|ing)|fear\w*|dread\w*|dream\w*|"
    r"imagin\w*|represent\w*|expect\w*|believ\w*|false\w*|pretend\w*|feign\w*|anniversary|picture\w*|proof|evidence|wait\w*|nothing|no|not|"
    r"n[’']t|never|news|rumou?r\w*|report\w*|think|story|suspect\w*)\b"
)
_BACK: Final = 300
"""Code points of a sentence before a name, and after it, that are looked at."""
_AHEAD: Final = 60
"""Code points before a colon that may take back what comes after it."""
_SENTENCE: Final = re.compile(r"[.!?;:\n“”\"]")


def fates(ground: Ground) -> Iterator[Change]:
    for clause in ground.clauses:
        if ground.real(clause):
            yield from _died(ground, clause)
            yield from _hurt(ground, clause)
    yield from _said_dead(ground)
    yield from _deaths_named(ground)


def _died(ground: Ground, clause: Clause) -> Iterator[Change]:
    span = ground.span(clause)
    victim = None
    if (
        clause.verb in _DYING
        and not clause.passive
        and not _FIGURE.search(ground.text, *span)
        and not _NOT_YET.search(ground.text, *span)
    ):
        victim = ground.subject(clause) if not any(a.role == "patient" for a in clause.arguments) else None
    elif clause.verb in _KILLING and clause.passive and not _FIGURE.search(ground.text, *span):
        victim = None if any(a.role == "patient" for a in clause.arguments) else ground.subject(clause)
    elif clause.verb in _KILLING - {"drown"} and not _FIGURE.search(ground.text, *span):
        killer = ground.subject(clause)
        victim = next((p for a in clause.arguments if a.role == "patient" and (p := ground.person(a, killer))), None)
        victim = victim if killer is not None else None
    if victim is not None:
        yield _dead(victim, span, confidence(victim))


def _dead(victim: Reference, span: Span, sure: float, modality: str = "") -> Change:
    fields = {"character": victim.figure.name, "attribute": "status", "value": "dead"}
    return Change("character_delta", {**fields, "modality": modality} if modality else fields, span, sure)


def _hurt(ground: Ground, clause: Clause) -> Iterator[Change]:
    span = ground.span(clause)
    victim = None
    if clause.verb in _WOUNDING and clause.passive and not _MIND.search(ground.text, *span):
        victim = ground.subject(clause)
        value = " ".join(ground.text[clause.predicate.start : span.end].split())
    elif clause.verb in _HURTING and not clause.passive:
        part = next((a for a in clause.arguments if a.role == "patient" and ground.word(a.head).lower() in _BODY), None)
        possessive = ground.word(part.span.start).lower() if part is not None else ""
        if part is not None and possessive in ("his", "her", "my"):
            victim = ground.subject(clause)
            value = " ".join(ground.text[clause.predicate.start : part.head + len(ground.word(part.head))].split())
    if victim is not None:
        fields = {"character": victim.figure.name, "attribute": "injury", "value": value[:120]}
        yield Change("character_delta", fields, span, confidence(victim))


def _said_dead(ground: Ground) -> Iterator[Change]:
    """ "Orlov is dead": as a fact in the narration, as reported in speech."""
    for mention in ground.mentions.all:
        found = _DEAD.match(ground.text, mention.span.end)
        if found is None or mention.figure.type != "character" or mention.figure.ambiguous:
            continue
        start = _beginning(ground, mention)
        end = _SENTENCE.search(ground.text, found.end(), found.end() + _BACK)
        asked = end is not None and end.group() == "?"
        if ground.text[start - 1 : start] == ":":  # "He lied: Orlov was dead"
            start = max(0, start - _AHEAD)
        if (
            asked
            or _LATE.search(ground.text, start, mention.span.start)
            or _SO_THEY_SAY.match(ground.text, found.end())
        ):
            continue
        victim = Reference(mention.figure, mention.figure.confidence)
        yield _dead(
            victim, Span(mention.span.start, found.end()), confidence(victim), "" if mention.narrated else "reported"
        )


def _beginning(ground: Ground, mention: Mention) -> int:
    """Where the sentence of a mention begins, as far back as is looked."""
    begin = max(0, mention.span.start - _BACK)
    return max([begin, *(end.end() for end in _SENTENCE.finditer(ground.text, begin, mention.span.start))])


def _deaths_named(ground: Ground) -> Iterator[Change]:
    """ "After Orlov's death", "the murder of Orlov", "the late Orlov": it is taken for known that he is dead.

    What is said so is reported, unless it is said again.
    """
    found = [named for mention in ground.mentions.all if (named := _death_named(ground, mention)) is not None]
    said = Counter(id(mention.figure) for mention, _ in found)
    for mention, span in found:
        victim = Reference(mention.figure, mention.figure.confidence)
        known = mention.narrated or said[id(mention.figure)] > 1
        yield _dead(victim, span, confidence(victim), "" if known else "reported")


def _death_named(ground: Ground, mention: Mention) -> tuple[Mention, Span] | None:
    if mention.figure.type != "character" or mention.figure.ambiguous:
        return None
    begin = max(0, mention.span.start - _BACK)
    after = _HIS_DEATH.match(ground.text, mention.span.end)
    of = _DEATH_OF.search(ground.text, begin, mention.span.start)
    late = _LATE_BEARER.search(ground.text, begin, mention.span.start)
    if (after is None and of is None and late is None) or (of is not None and of.group("be")):
        return None
    start = _beginning(ground, mention)
    close = _SENTENCE.search(ground.text, mention.span.end, mention.span.end + _BACK)
    end = close.start() if close is not None else mention.span.end + _BACK
    asked = close is not None and close.group() == "?"
    if asked or (late is None and _IN_DOUBT.search(ground.text, start, end)):
        return None
    head = of or late
    first = head.start() if head is not None else mention.span.start
    return mention, Span(first, after.end() if after is not None else mention.span.end)
