"""Paragraphs of a chapter, and chunks of whole paragraphs small enough to be parsed at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

CHUNK = 20_000
"""Code points a parsed document holds at most, so that memory does not follow the chapter's length."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LINE_END = re.compile(r"\n\s*")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*\s+")

_LETTERS = re.compile(r"[^\W\d_]+")
_LONGEST_HEADING = 90

# lines of a hard-wrapped text end near column 80; a line longer than this is a paragraph of its own
_WRAPPED_LINE = 120


class Span(NamedTuple):
    """The code points [start, end) of the chapter."""

    start: int
    end: int


def paragraphs(text: str) -> list[Span]:
    """The paragraphs in order, without the white space around them.

    They are set apart by blank lines; in a text without any whose lines are too long to be wrapped, by line ends.
    """
    separator = _BLANK_LINE
    if not _BLANK_LINE.search(text) and any(len(line) > _WRAPPED_LINE for line in text.split("\n")):
        separator = _LINE_END
    spans = []
    start = 0
    for gap in separator.finditer(text):
        spans.append(stripped(text, start, gap.start()))
        start = gap.end()
    spans.append(stripped(text, start, len(text)))
    return [span for span in spans if span.start < span.end]


def is_heading(text: str, span: Span) -> bool:
    """Whether a paragraph is a title: one short line without a sentence's end, most of its words with capitals, or a number."""
    line = text[span.start : span.end] if span.end - span.start <= _LONGEST_HEADING else ""
    words = _LETTERS.findall(line)
    if not line or "\n" in line or line[-1] in ',;:”"’!?' or line[0] in "“\"‘'":
        return False
    if not words:
        return not line.strip("*-–—·•#~ .…").strip() or any(c.isdigit() for c in line)
    capitals = sum(word[0].isupper() for word in words)
    return capitals >= 0.6 * len(words) and (not line.endswith(".") or len(words) <= 4)


def stripped(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def chunks(text: str, spans: Sequence[Span], size: int = CHUNK) -> Iterator[Span]:
    """Runs of whole paragraphs of at most `size`; a longer paragraph is cut, at a sentence's end where there is one."""
    start = end = -1
    for span in spans:
        if start >= 0 and span.end - start > size:
            yield Span(start, end)
            start = -1
        if span.end - span.start > size:
            yield from _pieces(text, span, size)
            start = -1
            continue
        if start < 0:
            start = span.start
        end = span.end
    if start >= 0:
        yield Span(start, end)


def _pieces(text: str, span: Span, size: int) -> Iterator[Span]:
    start = span.start
    while span.end - start > size:
        end = _cut(text, start, start + size)
        yield Span(start, end)
        start = end
    if start < span.end:
        yield Span(start, span.end)


def _cut(text: str, start: int, limit: int) -> int:
    """Where to end a piece of [start, limit): after its last sentence, else its last word, else at the limit."""
    middle = (start + limit) // 2
    ends = [match.end() for match in _SENTENCE_END.finditer(text, middle, limit)]
    if ends:
        return ends[-1]
    space = text.rfind(" ", middle, limit)
    return space + 1 if space >= 0 else limit
