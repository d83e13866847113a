"""Chapters of a folder: one text, Markdown or HTML file each, with a records file beside it where there is one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from events.errors import InvalidRecords
from events.ids import MAX_CHAPTER
from events.sidecar import validate
from services.documents import MalformedJson, decode
from services.publishing.importing import html, markdown, plaintext
from services.publishing.importing.chapters import Ignored, Source, SourceChapter, sized, why_renumbered
from services.publishing.importing.decoding import read_text
from services.publishing.importing.errors import (
    DuplicateNumber,
    InvalidSidecar,
    NoChapters,
    NumberTooHigh,
    SourceUnreadable,
)

TEXT = frozenset({".txt", ".text"})
MARKDOWN = frozenset({".md", ".markdown"})
HTML = frozenset({".html", ".htm", ".xhtml"})
_UNRELATED = re.compile(
    r"(?:readme|licen[cs]e|copying|changelog|contributing|authors|notice|index|meta(?:data)?|toc)(?:[._-].*)?",
    re.IGNORECASE,
)
_NAMED_NUMBER = re.compile(
    r"(?:chapter|chap|ch|episode|ep|kapitel|chapitre|capitulo|part)[\s._-]*(\d+)|第\s*(\d+)",
    re.IGNORECASE,
)
_ANY_NUMBER = re.compile(r"(?<!\d)(\d{1,6})(?!\d)")


def read_folder(path: Path) -> Source:
    """The chapters of a folder; folders inside it are left aside.

    The file names give the numbers where each has one from 1; else the natural order of the names does.
    Raises `NoChapters`, `DuplicateNumber`, `NumberTooHigh`, `NotUtf8`, `InvalidSidecar`, `InvalidSize`, `SourceUnreadable`.
    """
    try:
        entries = sorted(path.iterdir(), key=lambda entry: natural(entry.name))
    except OSError as error:
        raise SourceUnreadable(str(path), error.strerror or str(error)) from error
    files = [entry for entry in entries if _is_chapter(entry)]
    if not files:
        raise NoChapters(
            f"No chapters were found in {path}. Name the files like chapter-001.txt (or .md, .html), directly in the folder."
        )
    sidecars = {file: _sidecar(file) for file in files}
    used = {*files, *sidecars.values()}
    ignored = [Ignored(entry.name, _why_not(entry)) for entry in entries if entry not in used]
    found = [_number(file) for file in files]
    numbers = _numbers(files, found)
    numbered = sorted(zip(numbers, files, strict=True), key=lambda pair: pair[0])
    chapters = [_chapter(number, file, sidecars[file]) for number, file in numbered]
    return Source(chapters, ignored, why_renumbered(found, numbers))


def natural(name: str) -> list[tuple[int, int, str]]:
    """A sort key that puts chapter-2 before chapter-10."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(0, int(p), "") if p.isascii() and p.isdigit() and len(p) < 19 else (1, 0, p) for p in parts]


def _is_chapter(entry: Path) -> bool:
    return (
        entry.suffix.lower() in TEXT | MARKDOWN | HTML
        and not entry.name.startswith((".", "~", "_"))
        and not (_UNRELATED.fullmatch(entry.stem) and _ANY_NUMBER.search(entry.stem) is None)
        and entry.is_file()
    )


def _why_not(entry: Path) -> str:
    if entry.name.startswith("."):
        return "hidden"
    if entry.is_symlink() and not entry.exists():
        return "a link to nothing"
    if entry.is_dir():
        return "a folder; only files directly in the one that is imported are read"
    if entry.name.lower().endswith(".records.json"):
        return "records without a chapter file of the same name"
    return "not a chapter file"


def _numbers(files: list[Path], found: list[int | None]) -> list[int]:
    numbers = [number for number in found if number]
    if len(numbers) < len(files):
        return list(range(1, len(files) + 1))
    seen: dict[int, Path] = {}
    for number, file in zip(numbers, files, strict=True):
        if number in seen:
            raise DuplicateNumber(number, seen[number].name, file.name)
        seen[number] = file
    return numbers


def _number(file: Path) -> int | None:
    """The chapter's number in a file name: after the word chapter, else the first that can be one. Raises `NumberTooHigh`."""
    named = _NAMED_NUMBER.search(file.stem)
    found = named or _ANY_NUMBER.search(file.stem)
    number = int(next(filter(None, found.groups()))) if found else None
    if named and number and number > MAX_CHAPTER:
        raise NumberTooHigh(file.name, MAX_CHAPTER)
    return number


def _chapter(number: int, file: Path, sidecar: Path | None) -> SourceChapter:
    title, text = _title_and_text(file, read_text(file))
    records = _records(sidecar, number) if sidecar else None
    return SourceChapter(number, title, sized(text, str(file)), records, file.name)


def _title_and_text(file: Path, content: str) -> tuple[str | None, str]:
    """The text is the file's own, except that HTML becomes plain text."""
    suffix = file.suffix.lower()
    lines = content.replace("\r\n", "\n").replace("\r", "\n")
    if suffix in HTML:
        found = html.blocks(html.story_root(content))
        headings = html.candidates(found)
        return (headings[0].title if headings else None), html.as_text(found)
    if suffix in MARKDOWN and (title := markdown.title_of(lines)):
        return title, content
    return plaintext.title_of(lines), content


def _sidecar(file: Path) -> Path | None:
    names = (file.with_name(f"{file.stem}.records.json"), file.with_name(f"{file.stem}.json"))
    return next((name for name in names if name.is_file()), None)


def _records(sidecar: Path, chapter: int) -> list[Any] | dict[str, Any]:
    """The records as they were read, and sure to be taken: nothing is published before all can be."""
    try:
        content = decode(read_text(sidecar).encode(), "it")
        validate(content, chapter=chapter)
    except (MalformedJson, InvalidRecords) as error:
        raise InvalidSidecar(str(sidecar), str(error).rstrip(".")) from error
    if isinstance(content, list | dict):
        return content
    raise InvalidSidecar(str(sidecar), 'it has no list of "records"')
