"""Headings in plain text, and what Project Gutenberg puts around a book."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.publishing.importing.headings import Heading, is_title_line, parse, parse_numeral
from services.publishing.importing.outline import Candidate

_BEGINNING = re.compile(
    r"^[ \t]*\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG[^*]{0,400}\*{3}", re.IGNORECASE | re.MULTILINE
)
_SMALL_PRINT = re.compile(r"^.{0,40}\*END\*?\s*THE SMALL PRINT.*$", re.IGNORECASE | re.MULTILINE)
_ENDING = re.compile(
    r"^[ \t]*(?:\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the )?Project Gutenberg(?:'|\u2019)s?\b)",
    re.IGNORECASE | re.MULTILINE,
)


def inside_gutenberg(text: str) -> tuple[int, int]:
    """The span of `text` between Project Gutenberg's header and licence; all of it where it has none."""
    beginnings = [*_BEGINNING.finditer(text), *_SMALL_PRINT.finditer(text)]
    start = max((m.end() for m in beginnings if m.start() < len(text) // 2 or m.start() < 40_000), default=0)
    ending = _ENDING.search(text, start)
    return start, ending.start() if ending else len(text)


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def candidates(text: str) -> list[Candidate]:
    """The lines of `text` (line feeds) that stand apart and read as headings of parts, chapters or bare numbers."""
    lines = _lines(text)
    found = []
    for i, line in enumerate(lines):
        if line.blank or (i and not lines[i - 1].blank):
            continue
        heading = parse(line.text) or (parse_numeral(line.text) if _apart(lines, i) else None)
        if heading and not (i + 1 < len(lines) and _is_heading(lines[i + 1].text)):
            found.append(_with_title(lines, i, heading))
    return found


def title_of(text: str) -> str | None:
    """The title that the first lines of a chapter give: of "Chapter 3: The Door", of "III" and "The Door" below it."""
    lines = _lines(text)
    first = next((i for i, line in enumerate(lines) if not line.blank), None)
    if first is None:
        return None
    heading = parse(lines[first].text) or parse_numeral(lines[first].text)
    return _with_title(lines, first, heading).title if heading else None


def _lines(text: str) -> list[_Line]:
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append(_Line(start, line))
        start += len(line) + 1
    return lines


def _apart(lines: list[_Line], i: int) -> bool:
    return i + 1 == len(lines) or lines[i + 1].blank


def _is_heading(line: str) -> bool:
    return parse(line) is not None or parse_numeral(line) is not None


def _with_title(lines: list[_Line], i: int, heading: Heading) -> Candidate:
    """The heading with the title that stands on the line or in the one-line paragraph below it."""
    if heading.title or heading.unit == "unnumbered":
        return Candidate(lines[i].start, lines[i].end, heading, heading.title)
    below = i + 1
    while below < len(lines) and lines[below].blank:
        below += 1
    if below < len(lines) and below - i <= 3 and _apart(lines, below) and _can_be_title(lines[below].text, below - i):
        title = lines[below].text.strip()
        return Candidate(lines[i].start, lines[below].end, heading, title)
    return Candidate(lines[i].start, lines[i].end, heading, None)


def _can_be_title(line: str, distance: int) -> bool:
    if not is_title_line(line) or _is_heading(line):
        return False
    return distance == 1 or (line.isupper() and len(line.strip()) > 4) or line.rstrip()[-1] != "."
