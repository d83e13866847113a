"""What a heading says: its unit (chapter, part, prologue), number and title."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.publishing.importing.numerals import NUMBER_WORDS, number, roman

LONGEST = 120
"""Characters of the longest line that is taken for a heading."""

_NUMBER = rf"(?P<number>\d+|[MDCLXVI]+(?![A-Za-z])|the\s+last|{NUMBER_WORDS})(?!\w)"
_TITLE = r"(?:\s*(?P<mark>[.:\u2014\u2013)\]-]+)\s*|\s+|$)(?P<title>.*)"
_CHAPTER_WORDS = "chapter|chap\\.?|letter|stave|canto|episode|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|глава"
_PART_WORDS = "book|part|volume|vol\\.?|act|section|teil|partie|parte|часть|том"
_UNIT = re.compile(rf"(?:(?P<chapter>{_CHAPTER_WORDS})|(?P<part>{_PART_WORDS}))\s+{_NUMBER}{_TITLE}", re.IGNORECASE)
_CHINESE = re.compile(
    r"第\s*(?P<number>[\d０-９〇零一二三四五六七八九十百千两兩]+)\s*(?:(?P<chapter>[章回話话節节])|(?P<part>[卷部集篇]))\s*[:：、.\s]?\s*(?P<title>.*)"
)
_UNNUMBERED = re.compile(
    r"(?P<unit>prologue|proem|coda|epilogue|interlude|prolog|epilog|prologo|epilogo)(?:\s*[.:\u2014\u2013-]+\s*(?P<title>.*)|\s*)",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"(?P<number>[MDCLXVI]+|\d{1,4})(?:\s*[.:)\u2014\u2013-]+\s*(?P<title>.*))?")
_LEADER = re.compile(r"(?:\s*[._\u2026\u00b7]){3,}\s*(?:\d+|[ivxlc]+)?\s*$|\t+\s*\d+\s*$|\s{3,}\d+\s*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """`unit` is "chapter", "part", "unnumbered" (prologue, epilogue) or "numeral" (a number that stands alone)."""

    unit: str
    number: int | None
    title: str | None

    @property
    def key(self) -> tuple[str, int | None, str]:
        """What is the same when a table of contents names a chapter: its number, or the title where it has none."""
        return (self.unit, self.number, "" if self.number is not None else (self.title or "").casefold())


def parse(line: str) -> Heading | None:
    """The heading in a line of text, or None where the line reads as something else."""
    line = _bare(line)
    if not line:
        return None
    if found := _CHINESE.fullmatch(line):
        return Heading("chapter" if found["chapter"] else "part", number(found["number"]), _title(found["title"]))
    if (found := _UNIT.fullmatch(line)) and _reads_as_title(found["title"], found["mark"]):
        unit = "chapter" if found["chapter"] else "part"
        return Heading(unit, number(found["number"]), _title(found["title"]))
    if found := _UNNUMBERED.fullmatch(line):
        return Heading("unnumbered", None, _title(found["title"]) or found["unit"].capitalize())
    return None


def parse_numeral(line: str) -> Heading | None:
    """The heading in a line that is nothing but a number, or a number, a full stop and a title."""
    found = _NUMERAL.fullmatch(_bare(line))
    if found is None:
        return None
    value = int(found["number"]) if found["number"].isdigit() else roman(found["number"])
    title = found["title"] or ""
    if not value or (title and not (title[0].isupper() and title[-1] not in ",;")):
        return None
    return Heading("numeral", value, _title(title))


def is_title_line(line: str) -> bool:
    """Whether a line under a bare heading can be the heading's title rather than the first line of the text."""
    line = line.strip()
    return (
        0 < len(line) <= 80
        and line[-1] not in ",;"
        and not line[0].islower()
        and line[0] not in "\u201c\"'\u2018\u300c"
    )


def _bare(line: str) -> str:
    """The line without emphasis and without a page number at its end; empty where it is too long for a heading."""
    line = line.strip()
    if len(line) > 2 * LONGEST:
        return ""
    line = _LEADER.sub("", line).strip().strip("*_#=~ ").strip()
    return line if len(line) <= LONGEST else ""


def _reads_as_title(title: str, mark: str | None) -> bool:
    """Without a mark after the number, "Chapter 5 of the book" is a sentence and "CHAPTER I Down the Hole" a heading."""
    if not title or mark:
        return True
    return (title[0].isupper() or not title[0].isalpha()) and title[-1] not in ".,;"


def _title(text: str | None) -> str | None:
    return (text or "").strip().strip("*_#\u2014\u2013- ").strip() or None
