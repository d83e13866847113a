"""What an answer is worth against its references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from services.answering.readers import Answer
from services.evaluation.retrieval import matching
from services.evaluation.retrieval.questions import Question

_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\b")
_MARK: Final = re.compile(r"[^\w\s]")
HIT: Final = 0.5


@dataclass(frozen=True, slots=True)
class Marks:
    """An answer measured. None: the question has nothing to measure it by. Who abstains from what is told gets nothing."""

    abstained: bool
    f1: float | None
    exact: bool | None
    hit: bool | None
    """Whether it covers half of the salient words of a reference or more, NWM's rule for a right answer."""
    chosen: bool | None
    """Whether the right option was chosen."""
    told_later: bool | None
    """Of a question that the story has not answered yet: whether the answer says what comes later."""
    told_stale: bool | None = None
    """Of a question with an answer that was right once: whether that is given, and the right one is not."""


def marks(question: Question, answer: Answer) -> Marks:
    said = "" if answer.abstained else answer.text
    references = [*question.answers, *([question.short] if question.short else [])]
    free = bool(references) and not question.options
    words = matching.words(said)
    hit = matching.covered(references, words) >= HIT if free else None
    return Marks(
        abstained=answer.abstained,
        f1=max(token_f1(said, r) for r in references) if free else None,
        exact=any(normal(said) == normal(r) for r in references) if free else None,
        hit=hit,
        chosen=said.casefold() in {r.casefold() for r in references} if question.options else None,
        told_later=matching.covered([question.later_answer], words) >= HIT if question.later_answer else None,
        told_stale=matching.covered([question.stale], words) >= HIT and not hit if question.stale else None,
    )


def normal(text: str) -> list[str]:
    """Lower case, without punctuation and articles, as SQuAD compares answers (Rajpurkar et al. 2016, section 6.1)."""
    return _ARTICLE.sub(" ", _MARK.sub("", text.lower())).split()


def token_f1(said: str, reference: str) -> float:
    """The harmonic mean of the shares of words that both have, over the answer's and over the reference's (ibid.)."""
    ours, theirs = normal(said), normal(reference)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * shared / (len(ours) + len(theirs)) if shared else 0.0


def pairs_right(marked: Iterable[tuple[Question, Marks]]) -> list[bool]:
    """For each pair of claims that both were judged, whether both were judged right (NoCha)."""
    found: dict[tuple[str, str], list[bool]] = {}
    for question, mark in marked:
        if question.pair is not None and mark.chosen is not None:
            found.setdefault((question.story, question.pair), []).append(mark.chosen)
    return [all(pair) for pair in found.values() if len(pair) > 1]
