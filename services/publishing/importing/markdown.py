"""Headings in Markdown."""

from __future__ import annotations

import re

from services.publishing.importing.headings import parse, parse_numeral
from services.publishing.importing.outline import Candidate

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)


_LONGEST_LINE = 1000
"""Characters of a line that may be a heading at all."""


def candidates(text: str) -> list[Candidate]:
    """The headings of a Markdown text (line feeds), with hashes or underlined; none inside fenced code or front matter."""
    found: list[Candidate] = []
    front = _FRONT_MATTER.match(text)
    start = front.end() if front else 0
    fence, previous, above = "", "", ""
    for line in text[start:].split("\n"):
        if len(line) > _LONGEST_LINE:
            pass
        elif opening := _FENCE.match(line):
            fence = "" if fence and opening[1].startswith(fence) else fence or opening[1]
        elif not fence and (hashes := _ATX.fullmatch(line)) and hashes[2]:
            found.append(_candidate(start, start + len(line), hashes[2], len(hashes[1])))
        elif not fence and (under := _UNDERLINE.fullmatch(line)) and previous.strip() and not above.strip():
            found.append(
                _candidate(start - len(previous) - 1, start + len(line), previous, 1 if under[1][0] == "=" else 2)
            )
        above, previous = previous, line
        start += len(line) + 1
    return found


def title_of(text: str) -> str | None:
    """The title of the first heading, if the text begins with one."""
    found = candidates(text)
    front = _FRONT_MATTER.match(text)
    if not found or text[front.end() if front else 0 : found[0].start].strip():
        return None
    return found[0].title


def _candidate(start: int, end: int, line: str, level: int) -> Candidate:
    text = re.sub(r"(\*\*|__|\*|_|`)(.+?)\1", r"\2", line).strip()
    heading = parse(text) or parse_numeral(text)
    return Candidate(start, end, heading, heading.title if heading else text or None, level)
