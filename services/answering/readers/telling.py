"""Answers in sentences: of a question with several parts, of a reason, a manner, or what somebody did."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import zip_longest
from typing import Final

from services.answering.readers.asking import Kind
from services.answering.readers.ranking import Ranked
from services.answering.readers.reader import Manner
from services.answering.readers.sentences import Sentence, Supports, is_entry, terms
from services.retrieval.weave.intents import RulePlanner

TOLD: Final = 6
"""Sentences in the answer to a question with several parts."""
LONGEST: Final = 1_000
"""Characters of it."""
PART_HELD: Final = 0.28
"""The share of a part's weight that its best sentence has to hold, in the mean of the parts, before anything is told."""
_WHOLE: Final = 0.5
_PLACED: Final = 0.6
"""What the whole question's words, and the place that the packet gives an item, count beside the words of a part."""
_NEAR: Final = 0.5
"""What another sentence has to be worth, of the best of its part."""
_BETWEEN: Final = re.compile(r"^[^→\n]{1,80} (?:→|and) [^:\n]{1,80}: [^;\n]{1,80}; ")
"""Who does what to whom, before the sentence in which a record tells it."""
_TAKING_PART: Final = re.compile(
    r"\.; (?:with|at) .*$|\.?; with [^\"“”]+? as .*$|\.?; at [^;\"“”]{1,60}?\.?(?: \".*)?$"
)
_PARTS: Final = RulePlanner()
_CAUSE: Final = re.compile(
    r"\b(?:because|since|so that|in order|lest|for fear|therefore|owing to)\b|[,;:—] (?:for|as|so)\b", re.IGNORECASE
)
_CAUSE_AFTER: Final = re.compile(r"^[\"“‘']?(?:for|because|it was because|you see)\b", re.IGNORECASE)


def told(supports: Supports, question: str, placed: Mapping[str, float], manner: Manner) -> list[Sentence]:
    """The sentences that answer a question with several parts, in the packet's order or by chapter; none where they hold too little.

    `placed`: by item, how highly the packet ranks it, 0 to 1. Part by part, the best sentence and the one after it.
    """
    found = supports.sentences
    whole = supports.share(terms(question))
    parts = [part for place, part in enumerate(_PARTS.plan(question) or [question]) if place not in manner.settled]
    shares = [supports.share(terms(part)) for part in parts]
    if not shares:
        return []
    if sum(max(each, default=0.0) for each in shares) < PART_HELD * len(shares):
        return []
    ranks = []
    for each in shares:
        value = [
            0.0 if is_entry(s.text) else each[s.place] + _WHOLE * whole[s.place] + _PLACED * placed.get(s.item, 0.0)
            for s in found
        ]
        best = sorted(range(len(found)), key=lambda place: (-round(value[place], 6), place))[:TOLD]
        ranks.append([place for place in best if value[place] >= _NEAR * value[best[0]]])
    chosen: dict[int, Sentence] = {}
    for place in (place for places in zip_longest(*ranks) for place in places if place is not None):
        for sentence in (found[place], neighbour(supports, found[place], 1)):
            length = sum(len(each.text) for each in chosen.values())
            if sentence and len(chosen) < TOLD and length + len(sentence.text) <= LONGEST:
                chosen.setdefault(sentence.place, sentence)
    ordered = [chosen[place] for place in sorted(chosen)]
    return sorted(ordered, key=lambda s: (s.chapter, s.place)) if manner.revealed else ordered


def explained(supports: Supports, best: Ranked, kind: Kind) -> list[Sentence]:
    """The sentence that a question of one part is about, with those beside it that may tell why, or what came of it."""
    first = best.sentence
    before, after = neighbour(supports, first, -1), neighbour(supports, first, 1)
    if kind == "reason" and _CAUSE.search(first.text) and not (after and _CAUSE_AFTER.search(after.text)):
        around: list[Sentence | None] = [first]
    elif kind == "reason":
        around = [before, first, after]
    else:
        around = [first, after]
    return [each for each in around if each is not None]


def worded(sentence: str) -> str:
    """A sentence without what a record names after its summary: who took part as what, where, and the function of the beat."""
    said = _TAKING_PART.sub("", _BETWEEN.sub("", sentence)).rstrip()
    return said if said[-1:] in '.!?…”"' else f"{said}."


def neighbour(supports: Supports, sentence: Sentence, step: int) -> Sentence | None:
    """The sentence so many places on in the same item."""
    place = sentence.place + step
    if not 0 <= place < len(supports.sentences) or supports.sentences[place].item != sentence.item:
        return None
    return supports.sentences[place]
