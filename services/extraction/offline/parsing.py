"""One pass of the parser over a chapter, chunk by chunk, into `Observations`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from spacy.tokens import Doc

from services.extraction.fairness import FairLock
from services.extraction.offline.clauses import note_clauses
from services.extraction.offline.language import Vocabulary, is_abstract, pipeline, vocabulary
from services.extraction.offline.observations import Observations
from services.extraction.offline.paragraphs import Span, chunks, is_heading
from services.extraction.offline.phrases import note_phrases
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.runs import note_runs
from services.extraction.offline.standing import note_standings

_LOWER_WORD = re.compile(r"(?<![\w'’])[^\W\d_A-Z][^\W\d_]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNBROKEN = re.compile(r"(\S{399})\S")
_THIRD_PERSON = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))

# the pipeline's string store is emptied after every chunk, which must not happen under another thread's hands. Threads take
# turns chunk by chunk: a short chapter waits for one chunk of each that was there before it, never for a long chapter
_parsing = FairLock()


def read(text: str, code: str, paragraphs: Sequence[Span], quotations: Quotations) -> Observations:
    """Parses a chapter in the language `code` (one of `PIPELINES`) and returns what it noted."""
    seen = Observations()
    readable = parseable(text)
    seen.lower = Counter(_LOWER_WORD.findall(readable))
    headings = [span for span in paragraphs if is_heading(readable, span)]
    for span in chunks(readable, paragraphs):
        with _parsing:
            nlp = pipeline(code)
            with nlp.memory_zone():
                _note(nlp(readable[span.start : span.end]), span.start, headings, quotations, seen)
    _note_words(seen, vocabulary(code))
    return seen


def _note_words(seen: Observations, known: Vocabulary) -> None:
    words = {token.lower() for run in seen.runs for token in run}
    seen.openers = {word for word in words if known.has_other_than_noun(word)}
    seen.words = seen.openers | {word for word in words if known.has_noun(word) and is_abstract(word)}


def parseable(text: str) -> str:
    """The text as the parser takes it, every character at its offset.

    A lone surrogate cannot be encoded. The tokenizer takes marks off a word one by one and looks at the rest of it each
    time, which for thousands of them without a space takes minutes, and no other thread runs meanwhile: every 400th
    character of what has no white space is one.
    """
    return _UNBROKEN.sub(r"\1 ", _SURROGATE.sub("\ufffd", text))


def _note(document: Doc, start: int, headings: Sequence[Span], quotations: Quotations, seen: Observations) -> None:
    """Adds what a document says, which begins at `start` of the chapter; keeps nothing of it."""
    note_runs(document, start, headings, quotations, seen)
    note_clauses(document, start, quotations, seen)
    note_standings(document, start, quotations, seen)
    note_phrases(document, start, quotations, seen)
    _note_pronouns(document, start, quotations, seen)


def _note_pronouns(document: Doc, start: int, quotations: Quotations, seen: Observations) -> None:
    for token in document:
        word = token.lower_
        if word == "i" and token.text == "I":
            seen.first_person += not quotations.covers(start + token.idx)
        elif word in _THIRD_PERSON and not quotations.covers(start + token.idx):
            seen.pronouns.append((start + token.idx, word))
