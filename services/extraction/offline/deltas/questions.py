"""Questions that a chapter leaves open: what the narration asks, what somebody wonders, what nobody asked can say.

Only questions about what happened or was the case: who did it, where it is, why. What is asked for effect, what somebody is to
do next and what might be are left out, and so is a question that the next words answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.deltas.change import Change, Ground
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.plot import shortened
from services.extraction.offline.speakers import Utterance

_ASKS: Final = r"(?:who|whom|whose|what|where|why|how)"
_WORDS: Final = r"(?:[^.?!;:“”\"—\n]|\n(?!\s*\n)){8,140}"
"""The rest of one sentence, without a dash."""
_ASKED: Final = re.compile(
    rf"(?:^|(?<=[.!?—:;] )|(?<=[.!?][”’\"] )|(?<=\n))(?P<asks>(?i:(?:and |but |then )?{_ASKS})\b{_WORDS})\?",
    re.MULTILINE,
)
_PAST: Final = re.compile(
    r"(?i)(?:and |but |then )?(?:(?:who|whom|whose|where)(?:\s+\w+)?\s+(?:had|was|were|did)|(?:what|why|how)\s+(?:had|did)|"
    r"what\s+was\s+(?:all\s+)?this)\b"
)
_WONDERED: Final = re.compile(
    r"(?P<who>\b\w[\w’.-]*)\s+(?:(?:had|then|often|again|still|only|now|also)\s+)*"
    r"(?:wondered|asked\s+(?:him|her|my)self|could\s+not\s+(?:imagine|think|understand|make\s+out|guess|conceive|tell)),?\s+"
    rf"(?P<asks>{_ASKS}\b{_WORDS})"
)
_WHAT_HAD_BEEN: Final = re.compile(rf"(?i){_ASKS}\b(?:\s+[\w’'.-]+){{0,5}}?\s+(?:had|was|were)\s+(?!\w*ing\b|mean)\w+")
"""Of what somebody wonders: what had happened, or where and who somebody was."""
_UNKNOWN: Final = re.compile(
    r"(?i:\b(?:nobody|no\s+one))\s+(?:ever\s+|had\s+ever\s+|quite\s+)?"
    r"(?:knew|learned|found\s+out|could\s+(?:tell|say|guess|make\s+out))\s+"
    rf"(?P<asks>{_ASKS}\b{_WORDS})"
)
_SAID: Final = re.compile(
    r"(?:^|(?<=[.!?—,“\"] )|(?<=[“\"‘]))(?P<asks>(?i:(?:and |but |then )?(?:who|whose|where|why|what|how)\b)\s+"
    rf"(?:has|have|had|did|was|were|took|stole|killed|sent|wrote|told|brought|left|put|hid|broke|gave|made){_WORDS})\?"
)
_NO_ANSWER: Final = re.compile(
    r"(?i)\b(?:(?:I\s+)?(?:do\s+not|don[’']t|did\s+not|didn[’']t)\s+know|"
    r"I\s+(?:cannot|can\s+not|can[’']t|could\s+not|couldn[’']t)\s+(?:tell|say|imagine|guess)|"
    r"(?:no|not\s+(?:the\s+)?(?:least|slightest|faintest))\s+(?:idea|notion)|(?:nobody|no\s+one)\s+knows)\b"
)
_EARLY: Final = 60
"""Code points of an answer in which its speaker says that he does not know."""
_ONE_ANOTHER: Final = re.compile(r"(?i)\b(?:you|your|yours|thou|thee|thy)\b")
"""What two people ask of one another is seldom a question of the story."""
_FOR_EFFECT: Final = re.compile(
    r"(?i)\b(?:would|could|should|might|may|must|can|shall|will|ought|need|better|best|else|if|matter|mattered|use|harm|"
    r"do\s+with|to\s+(?:be|do|say|me|him|her|them|us)|was\s+(?:I|he|she|it|one|a\s+man)\s+to|was\s+there\s+(?:to|in)|"
    r"not|n[’']t|ever|but|compared)\b"
)
_THING: Final = re.compile(r"\b(?:the|that|this|these|those|his|her|their|its)\s+[a-z]{3,}")
_ANSWER: Final = re.compile(r"(?i)\b(?:it\s+was|it\s+were|because|the\s+answer|the\s+truth\s+was|the\s+reason)\b")
_SOON: Final = 160
"""Code points after a question in which an answer to it would stand."""
_ASIDE: Final = re.compile(r",\s+(?:as|and|but|while|for|so|though|when|are|is)\b.*", re.DOTALL)
_LONGEST: Final = 140
_SURE: Final = 0.5
_WONDERED_BY: Final = 0.6
"""What of the certainty who wonders is left for this being a question of the story."""


def questions(ground: Ground, utterances: Sequence[Utterance]) -> Iterator[Change]:
    """All open questions, in order of place within each way of asking."""
    yield from _told(ground)
    for question, answer in pairwise(utterances):
        yield from _unanswered(ground, question, answer)


def _told(ground: Ground) -> Iterator[Change]:
    for found in _ASKED.finditer(ground.text):
        if _PAST.match(found.group("asks")) and _is_open(ground, found):
            asked = re.sub(r"(?i)^(?:and|but|then) ", "", " ".join(found.group("asks").split()))
            yield _opened(f"{asked[0].upper()}{asked[1:]}?", "The narration asks it.", found, _SURE)
    for found in _UNKNOWN.finditer(ground.text):
        if _is_open(ground, found):
            yield _opened(_one_line(found), "Nobody knows it.", found, _SURE)
    for found in _WONDERED.finditer(ground.text):
        who = _whoever(ground, found)
        past = _WHAT_HAD_BEEN.match(found.group("asks")) is not None
        if who is not None and past and _is_open(ground, found):
            name = f"{who.figure.name} {_one_line(found)[len(found.group('who')) :].lstrip()}"
            yield _opened(name, f"{who.figure.name} wonders it.", found, round(_WONDERED_BY * who.confidence, 2))


def _unanswered(ground: Ground, question: Utterance, answer: Utterance) -> Iterator[Change]:
    """ "Who took the ring?" asks Mara, and whoever speaks next does not know."""
    last, first = question.quotes[-1], answer.quotes[0]
    if question.speaker.figure is answer.speaker.figure or "\n" in ground.text[last.end : first.start].strip():
        return
    if _NO_ANSWER.search(ground.text, first.start, min(first.end, first.start + _EARLY)) is None:
        return
    asked = next(iter(list(_SAID.finditer(ground.text, *last))[-1:]), None)
    if asked is None or last.end - asked.end() > 2 or _ONE_ANOTHER.search(ground.text, *asked.span("asks")):
        return
    if _is_particular(ground, *asked.span("asks")):
        people = (question.speaker, answer.speaker)
        description = f"{people[0].figure.name} asks it, and {people[1].figure.name} does not know."
        sure = round(min(_SURE, *(who.confidence for who in people)), 2)
        yield _opened(" ".join(asked.group().split()), description, asked, sure)


def _is_open(ground: Ground, found: re.Match[str]) -> bool:
    """Whether a question is of the narration, about somebody or something in particular, and not answered at once."""
    start, end = found.span("asks")
    if ground.quotations.covers(found.start()) or ground.quotations.covers(start):
        return False
    if ground.quotations.within(Span(start, end)):
        return False
    return _is_particular(ground, start, end) and not _ANSWER.search(ground.text, end, end + _SOON)


def _is_particular(ground: Ground, start: int, end: int) -> bool:
    if _FOR_EFFECT.search(ground.text, start, end):
        return False
    return bool(ground.mentions.within(start, end)) or _THING.search(ground.text, start, end) is not None


def _whoever(ground: Ground, found: re.Match[str]) -> Reference | None:
    word = found.group("who").lower()
    return ground.at(found.start("who"), word if word in ("he", "she", "i") else "")


def _one_line(found: re.Match[str]) -> str:
    return " ".join(_ASIDE.sub("", found.group()).split()).rstrip(" ,—-")


def _opened(name: str, description: str, found: re.Match[str], sure: float) -> Change:
    fields: dict[str, Any] = {
        "thread": shortened(name, _LONGEST),
        "thread_kind": "mystery",
        "status": "opened",
        "description": description,
    }
    return Change("thread", fields, Span(*found.span()), sure)
