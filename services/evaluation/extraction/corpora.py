"""The folder of labelled texts: where it is, which parts it has, and how each is laid out.

`pdnc/<Novel>/`: `meta.json` with the chapters' files and offsets, `characters.jsonl`, `quotations.jsonl`.
`litbank/litbank.jsonl`: an excerpt a line. `chapter_characters/<slug>/chapter_characters.json`, with the text in
`novels/<slug>/chapter-NNN.txt`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from events.errors import InvalidInput

PDNC, LITBANK, ATTENDANCE = "pdnc", "litbank", "chapter_characters"
PARTS: Final = (PDNC, LITBANK, ATTENDANCE)

Json = Any


class NoLabelledTexts(InvalidInput):
    """There is nothing to measure against."""

    title = "There are no labelled texts"
    slug = "no-labelled-texts"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of a novel; `start` is where it begins in the text that the labels' offsets count in."""

    number: int
    text: str
    start: int = 0


@dataclass(frozen=True, slots=True)
class Character:
    """A character under every name that people found for it."""

    id: int
    name: str
    aliases: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *(alias for alias in self.aliases if alias != self.name))


@dataclass(frozen=True, slots=True)
class Quotation:
    """Direct speech in code points of the whole text; `kind` is how the speaker is told: explicit, anaphoric, implicit."""

    chapter: int
    start: int
    end: int
    speaker: int
    kind: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Words inside direct speech, in code points of the whole text, with the names of those whom people took them to mean."""

    chapter: int
    start: int
    end: int
    meant: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Novel:
    """A novel of the Project Dialogism Novel Corpus."""

    slug: str
    chapters: tuple[Chapter, ...]
    characters: tuple[Character, ...]
    quotations: tuple[Quotation, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who is in each chapter of a novel, by codes; `described` says who a code is ("Mr. Barkis, willin' carrier")."""

    slug: str
    chapters: tuple[Chapter, ...]
    described: dict[str, str]
    present: dict[int, frozenset[str]]


def folder(data: Path | None) -> Path:
    """The folder of labelled texts. Raises `NoLabelledTexts` where none is given or it has no part that is known."""
    if data is None:
        raise NoLabelledTexts("Give the folder of labelled texts with --data, or set FABULA_DATA to it.")
    if not any((data / part).is_dir() for part in PARTS):
        raise NoLabelledTexts(f"{data} has none of the folders {', '.join(PARTS)}; give the folder that holds them.")
    return data


def missing(data: Path) -> list[str]:
    """The parts that the folder does not have."""
    return [part for part in PARTS if not (data / part).is_dir()]


def novels(data: Path, limit: int | None = None) -> list[Novel]:
    """The novels with speakers, each with its first `limit` chapters and what is said in them."""
    return [_novel(place, limit) for place in _folders(data / PDNC)]


def _novel(place: Path, limit: int | None) -> Novel:
    meta = json.loads((place / "meta.json").read_text("utf-8"))
    chapters = tuple(Chapter(c["n"], _text(place / c["file"]), c["start"]) for c in meta["chapters"][:limit])
    read = {chapter.number for chapter in chapters}
    characters = tuple(Character(c["id"], c["name"], tuple(c["aliases"])) for c in _lines(place / "characters.jsonl"))
    spoken = [q for q in _lines(place / "quotations.jsonl") if q["chapter"] in read]
    return Novel(
        place.name,
        chapters,
        # whoever has no name of its own ("_group", "_unknowable") is nobody to be found
        tuple(c for c in characters if not c.name.startswith("_")),
        tuple(map(_quotation, spoken)),
        tuple(_mark(q["chapter"], mark) for q in spoken for mark in q.get("mentions", ())),
    )


def _quotation(line: Json) -> Quotation:
    start, end = line["spans"][0]
    return Quotation(line["chapter"], start, end, line["speaker_id"], str(line["type"]).lower())


def _mark(chapter: int, mark: Json) -> Mark:
    start, end = mark["span"]
    return Mark(chapter, start, end, tuple(mark["entities"]))


def excerpts(data: Path, limit: int | None = None) -> list[Json]:
    """The first `limit` excerpts as they are on file: see `excerpts.Excerpt`."""
    return list(_lines(data / LITBANK / "litbank.jsonl"))[:limit]


def attendances(data: Path, limit: int | None = None) -> list[Attendance]:
    """The novels with who is present, those whose text is there, each with its first `limit` chapters."""
    return [found for place in _folders(data / ATTENDANCE) if (found := _attendance(data, place, limit)) is not None]


def _attendance(data: Path, place: Path, limit: int | None) -> Attendance | None:
    labels = json.loads((place / "chapter_characters.json").read_text("utf-8"))
    texts = data / "novels" / labels["novel_slug"]
    if not texts.is_dir():
        return None
    told = sorted(labels["chapters"], key=lambda c: int(c["n"]))[:limit]
    chapters = tuple(Chapter(c["n"], _text(texts / f"chapter-{c['n']:03}.txt")) for c in told)
    described = {code: character["description"] for code, character in labels["characters"].items()}
    return Attendance(place.name, chapters, described, {c["n"]: frozenset(c["characters"]) for c in told})


def _folders(place: Path) -> list[Path]:
    return sorted(p for p in place.iterdir() if p.is_dir()) if place.is_dir() else []


def _lines(place: Path) -> Iterator[Json]:
    # by "\n" alone: other line separators may stand inside a string
    return (json.loads(line) for line in _text(place).split("\n") if line.strip())


def _text(place: Path) -> str:
    with place.open(encoding="utf-8", newline="") as file:  # offsets count every character of the file
        return file.read()
