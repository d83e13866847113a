"""What somebody knows, believes or wants: "Mara knew that the key was gone", "he was determined to find it"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from services.extraction.offline.attitudes import ADJECTIVES_OF_KNOWING, NOT_AWARE, UNAWARE, VERBS_OF_KNOWING
from services.extraction.offline.deltas.change import Change, Ground, as_it_stands, factual
from services.extraction.offline.lexicon import words
from services.extraction.offline.observations import Standing
from services.extraction.offline.paragraphs import Span

_STANCES: Final = VERBS_OF_KNOWING | ADJECTIVES_OF_KNOWING
_NEED_THAT: Final = words("think fancy suppose understand guess doubt fear afraid")
"""Words that without "that" are as often a manner of speaking."""
_THAT: Final = re.compile(r"that\s++", re.IGNORECASE)
_OPEN: Final = re.compile(
    r"(?i)(?:(?:exactly|just|only|precisely|perfectly)\s++)?(?:it|they|them|this|that|these|those|there|we|you|one|such|what|who|how|why|where|when|if|whether|nothing|something)\b"
)
"""How a fact begins that leans on what was told before it, or says nothing by itself."""
_PRONOUN: Final = re.compile(r"(?P<who>he|she|I)\b(?![’'])")
_MODAL: Final = re.compile(
    r"(?i)(?<![\w’'])(?:would|should|could|must|might|may|can|shall|will|ought|had\s++better|[’']d|[’']ll)(?![\w’'])"
)
_CUT_OFF: Final = re.compile(
    r"(?i)(?<![\w’'])(?:had|has|have|was|were|is|are|the|an?|of|to|and|or|that|at|in|on|for|with|by|as|so|his|her|my|their)$"
)
_RUNS_ON: Final = re.compile(r"[;:—“”\"()]|--|,\s++(?:and|but|though|or|for|so)\b")
_BREAKS: Final = ("—", "--", "(", ")", "“", "”", '"')
_IDLE: Final = words(
    "laugh weep cry scream speak say ask know hear see look think believe feel be get sleep eat drink have seem appear understand"
)
_DECIDED: Final = words("decide resolve determine intend mean plan determined resolved bent aim propose purpose")
_SHORTEST, _LONGEST = 3, 30
_LONGEST_GOAL: Final = 20


def minds(ground: Ground) -> Iterator[Change]:
    for standing in ground.standings:
        if standing.complement.role == "content":
            yield from _knowing(ground, standing)
        elif standing.complement.role == "purpose":
            yield from _wanting(ground, standing)


def _knowing(ground: Ground, standing: Standing) -> Iterator[Change]:
    """Somebody's stance to a fact that can be read by itself."""
    words_before = ground.text[standing.span.start : standing.complement.span.start]
    said = " ".join(ground.text[standing.complement.span.start : standing.complement.span.end].split())
    that = _THAT.match(said)
    stance = _stance(standing, words_before, that is not None)
    if (
        standing.present
        or not stance
        or (not factual(words_before, Span(0, len(words_before))) and not standing.denied)
    ):
        return
    who = ground.at(standing.subject, standing.pronoun)
    fact = _fact(ground, standing, said[that.end() :] if that is not None else said)
    if who is None or not fact or (stance == "unaware" and _MODAL.search(fact)):
        return
    fields = {"knower": who.figure.name, "fact": fact, "stance": stance}
    yield as_it_stands(standing, "knowledge", fields, who)


def _stance(standing: Standing, before: str, that: bool) -> str:
    adjective = next((word for word in reversed(re.findall(r"[\w’'-]+", before.lower())) if word != "that"), "")
    if standing.denied:
        return "unaware" if that and standing.verb in UNAWARE else ""
    if adjective in NOT_AWARE:
        return "unaware" if that else ""
    word = standing.verb if standing.verb in _STANCES else adjective
    return _STANCES.get(word, "") if that or word not in _NEED_THAT else ""


def _fact(ground: Ground, standing: Standing, said: str) -> str:
    """The fact, with the name of whom it begins with; empty where it leans on what was told before."""
    stop = _RUNS_ON.search(said)
    if stop is not None and stop.group() in _BREAKS:
        return ""
    fact = (said[: stop.start()] if stop is not None else said).strip(" ,—-")
    if _OPEN.match(fact) or _CUT_OFF.search(fact) or not _SHORTEST <= len(fact.split()) <= _LONGEST:
        return ""
    pronoun = _PRONOUN.match(fact)
    if pronoun is None:
        return fact
    offset = ground.text.find(pronoun.group(), standing.complement.span.start)
    meant = ground.at(offset, pronoun.group().lower())
    return f"{meant.figure.name}{fact[pronoun.end() :]}" if meant is not None else ""


def _wanting(ground: Ground, standing: Standing) -> Iterator[Change]:
    goal = " ".join(ground.text[standing.complement.span.start : standing.complement.span.end].split())
    stop = _RUNS_ON.search(goal)
    goal = (goal[: stop.start()] if stop is not None else goal).strip(" ,—-")
    if _CUT_OFF.search(goal):
        return
    verb = ground.word(standing.complement.head).lower()
    before = ground.text[standing.span.start : standing.complement.span.start]
    decided = any(
        word.rstrip("ds") in _DECIDED or word in _DECIDED for word in [standing.verb, *before.lower().split()]
    )
    if (
        verb in _IDLE
        or len(goal.split()) > _LONGEST_GOAL
        or len(goal.split()) < (_SHORTEST if decided else _SHORTEST + 1)
    ):
        return
    who = ground.at(standing.subject, standing.pronoun)
    if (
        who is not None
        and not standing.present
        and factual(ground.text, Span(standing.span.start, standing.complement.head))
    ):
        fields = {"character": who.figure.name, "attribute": "goal", "value": goal}
        yield as_it_stands(standing, "character_delta", fields, who)
