"""What an answer is worth against its references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from services.answering.readers import Answer
from services.answering.readers.sentences import split
from services.evaluation.retrieval import matching
from services.evaluation.retrieval.questions import Question

_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\b")
_MARK: Final = re.compile(r"[^\w\s]")
HIT: Final = 0.5
TOGETHER: Final = 1.5
"""The stretch of a sentence in which a value is given, in lengths of the value; four words at least."""


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
    """Of a question with an answer that was right once: whether a sentence gives that, and the answer does not give the right one."""


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
        told_stale=_gives_old(question, said) and not hit if question.stale else None,
    )


def _gives_old(question: Question, said: str) -> bool:
    """Whether an answer gives the value that was right once: half of its words together, one of them its own.

    Words strewn over an answer are a mention; and words that the question or the right answer has, too, do not tell which was given.
    """
    value = matching.salient(question.stale or "")
    others = matching.words(" ".join((question.text, *question.answers)))
    own = value - others or value
    length = max(4, round(TOGETHER * len(_words(question.stale or ""))))
    for sentence in split(said):
        told = _words(sentence)
        for start in range(max(1, len(told) - length + 1)):
            there = value & frozenset(told[start : start + length])
            if len(there) >= HIT * len(value) and there & own:
                return True
    return False


def _words(text: str) -> list[str]:
    return [word for word in text.lower().replace("’", "'").split() for word in sorted(matching.words(word))]


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
