"""Threads that somebody's words open: promises and threats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from services.extraction.offline.deltas.change import Change, Ground, confidence
from services.extraction.offline.lexicon import words
from services.extraction.offline.observations import Clause
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.plot import shortened
from services.extraction.offline.speakers import Utterance

_PROMISING: Final = words("promise vow swear")
_WHAT: Final = re.compile(r"\b(?:to\s+(?!do\s+so|obey|him|her|them|me\b)\w+|that\s+\w+)")
_SPOKEN: Final = re.compile(
    r"(?:^|(?<=[.!?;,—-] )|(?<=[“\"‘']))(?:(?:and|but|then|yes|no|well),?\s+)?"
    r"I\s+(?:promise|swear|vow)(?:\s+(?:you|thee|to\s+you|faithfully|solemnly))*,?\s+"
    r"(?:(?:that\s+)?(?:I|you|he|she|they|we|it|no|nothing)\b|(?<!you\s)to\s+[a-z]+)",
    re.IGNORECASE,
)
_WORD_GIVEN: Final = re.compile(
    r"I\s+(?:give|gave)\s+you\s+my\s+word\s+(?:of\s+honou?r\s+)?(?:that\s+)?I\b", re.IGNORECASE
)
_ENDS: Final = re.compile(r"[.!?;]|[”\"]|\n\s*\n")
_WILL: Final = re.compile(r"\b(?:to\s+[a-z]+|will|shall|[’']ll|never|won[’']t)\b")
_LONGEST: Final = 140


def vows(ground: Ground, utterances: Sequence[Utterance]) -> Iterator[Change]:
    for clause in ground.clauses:
        yield from _told(ground, clause)
    for utterance in utterances:
        yield from _spoken(ground, utterance)


def _told(ground: Ground, clause: Clause) -> Iterator[Change]:
    """ "Tomas promised Mara to return the key"."""
    kind = "promise" if clause.verb in _PROMISING else "threat" if clause.verb == "threaten" else ""
    if not kind or clause.passive or not ground.real(clause):
        return
    who = ground.subject(clause)
    span = ground.span(clause)
    if who is None or _WHAT.search(ground.text, clause.predicate.start, span.end) is None:
        return
    words_ = f"{who.figure.name} {ground.text[clause.predicate.start : span.end]}"
    yield _opened(words_, kind, f"{who.figure.name} {clause.verb}s it.", span, confidence(who))


def _spoken(ground: Ground, utterance: Utterance) -> Iterator[Change]:
    """ "I promise that I shall return", by whoever says it."""
    for quote in utterance.quotes:
        for found in (*_SPOKEN.finditer(ground.text, *quote), *_WORD_GIVEN.finditer(ground.text, *quote)):
            end = _ENDS.search(ground.text, found.end(), quote.end)
            stop = end.start() if end is not None else quote.end
            said = ground.text[found.start() : stop].strip(" ,—-")
            if (end is not None and end.group() == "?") or _WILL.search(said) is None:
                continue
            to = (
                f" to {utterance.hearer.figure.name}"
                if utterance.hearer is not None and utterance.hearer.confidence >= 0.5
                else ""
            )
            description = f"{utterance.speaker.figure.name} promises it{to}."
            span = Span(found.start(), stop)
            name = f"{utterance.speaker.figure.name}: “{' '.join(said.split())}”"
            if utterance.speaker.confidence >= 0.5:
                yield _opened(name, "promise", description, span, confidence(utterance.speaker))


def _opened(name: str, kind: str, description: str, span: Span, sure: float) -> Change:
    fields = {"thread": shortened(name, _LONGEST), "thread_kind": kind, "status": "opened", "description": description}
    return Change("thread", fields, span, sure)
