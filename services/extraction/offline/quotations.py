"""Direct speech: where a chapter quotes someone, by its quotation marks alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from services.extraction.offline.paragraphs import Span

# opening mark: the marks that close it
_PAIRS = {"“": "”", "„": "“”", "«": "»", "»": "«", '"': '"', "「": "」", "『": "』"}
_OPENING_SINGLE = re.compile(r"(?<!\w)[‘'](?=[\w“\"…—-])")
_CLOSING_SINGLE = re.compile(r"(?<=[.,;:!?…—-])[’'](?!\w)")
_LONGEST_QUOTED_NAME = 4
_OPENING_DOUBLE = re.compile('[“„«「『]|(?<!\\w)"(?=\\S)')


class Quotations:
    """The quoted spans of a text, marks included, in order and without overlap."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = list(spans)
        self._starts = [span.start for span in self.spans]

    def covers(self, offset: int) -> bool:
        """Whether the character at `offset` is direct speech (or one of its marks)."""
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self.spans[index].end

    def within(self, span: Span) -> list[Span]:
        """The quotations that begin inside `span`."""
        return self.spans[bisect_right(self._starts, span.start - 1) : bisect_right(self._starts, span.end - 1)]


def quotations(text: str, paragraphs: Sequence[Span]) -> Quotations:
    """Finds direct speech paragraph by paragraph: a mark that is never closed runs to its paragraph's end and no further.

    Single marks count only in a text that hardly uses double ones (British usage), where an apostrophe would else be one.
    """
    find = _singles if _uses_single_marks(text) else _doubles
    spans = [
        span for paragraph in paragraphs for span in find(text, paragraph) if not _is_a_name(text, span, paragraph)
    ]
    return Quotations(spans)


def _is_a_name(text: str, span: Span, paragraph: Span) -> bool:
    """Whether marks in the middle of a sentence set off a name or a word ("at the “Admiral Benbow”") and no speech."""
    inside = text[span.start + 1 : span.end - 1]
    if span.start == paragraph.start or span.end == paragraph.end or len(inside.split()) > _LONGEST_QUOTED_NAME:
        return False
    return inside[-1:].isalnum() and text[span.start - 2 : span.start - 1] not in (",", ":", ".", "!", "?", "—")


def _uses_single_marks(text: str) -> bool:
    singles = len(_OPENING_SINGLE.findall(text))
    return singles >= 4 and singles > 3 * len(_OPENING_DOUBLE.findall(text))


def _doubles(text: str, paragraph: Span) -> Iterator[Span]:
    position = paragraph.start
    while position < paragraph.end:
        closing = _PAIRS.get(text[position])
        if closing is None or not _opens(text, position, paragraph):
            position += 1
            continue
        end = position + 1
        while end < paragraph.end and text[end] not in closing:
            end += 1
        end = min(end + 1, paragraph.end)
        yield Span(position, end)
        position = end


def _opens(text: str, position: int, paragraph: Span) -> bool:
    if position + 1 >= paragraph.end or text[position + 1].isspace():
        return False
    # » opens in German and Danish books, where « closes; after a word it is a closing mark gone astray
    before = text[position - 1] if position > paragraph.start else " "
    return text[position] not in '"»' or not before.isalnum()


def _singles(text: str, paragraph: Span) -> Iterator[Span]:
    position = paragraph.start
    while opening := _OPENING_SINGLE.search(text, position, paragraph.end):
        closing = _CLOSING_SINGLE.search(text, opening.end(), paragraph.end)
        if closing is None:
            # an unclosed mark at the head of a paragraph continues speech; anywhere else it is an apostrophe
            if opening.start() == paragraph.start:
                yield paragraph
            return
        yield Span(opening.start(), closing.end())
        position = closing.end()
