"""Answers in sentences: of a question with several parts, of a reason, a manner, or what somebody did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from services.answering.readers.asking import Kind
from services.answering.readers.ranking import Ranked
from services.answering.readers.sentences import Sentence, Supports

TOLD: Final = 4
"""Sentences in the answer to a question with several parts."""
WORTH: Final = 0.1
"""The share of a question's weight that each of them has to add: one that shares a single word with it is beside the point."""
_ENTRY: Final = re.compile(r"\w\(.*\) = ")
"""A state entry is no sentence to be told."""
_CAUSE: Final = re.compile(
    r"\b(?:because|since|so that|in order|lest|for fear|therefore|owing to)\b|[,;:—] (?:for|as|so)\b", re.IGNORECASE
)
_CAUSE_AFTER: Final = re.compile(r"^[\"“‘']?(?:for|because|it was because|you see)\b", re.IGNORECASE)


def told(supports: Supports, asked: Sequence[str], by_chapter: bool) -> list[Sentence]:
    """The sentences that together hold most of a question with several parts, in the packet's order or by chapter."""
    chosen: list[int] = []
    for _ in range(TOLD):
        value = supports.covered(asked, chosen)
        gains = [
            0.0 if _ENTRY.search(sentence.text) else supports.covered(asked, [*chosen, sentence.place]) - value
            for sentence in supports.sentences
        ]
        place = max(range(len(gains)), key=lambda p: (round(gains[p], 6), -p))
        if gains[place] < WORTH:
            break
        chosen.append(place)
    found = [supports.sentences[place] for place in sorted(chosen)]
    return sorted(found, key=lambda s: (s.chapter, s.place)) if by_chapter else found


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


def neighbour(supports: Supports, sentence: Sentence, step: int) -> Sentence | None:
    """The sentence so many places on in the same item."""
    place = sentence.place + step
    if not 0 <= place < len(supports.sentences) or supports.sentences[place].item != sentence.item:
        return None
    return supports.sentences[place]
