"""Chapters of a folder: one text, Markdown or HTML file each, with a records file beside it where there is one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from services.publishing.importing import html, markdown, plaintext
from services.publishing.importing.chapters import Ignored, Source, SourceChapter, sized
from services.publishing.importing.decoding import read_text
from services.publishing.importing.errors import DuplicateNumber, InvalidSidecar, NoChapters, SourceUnreadable

TEXT = frozenset({".txt", ".text"})
MARKDOWN = frozenset({".md", ".markdown"})
HTML = frozenset({".html", ".htm", ".xhtml"})
_UNRELATED = re.compile(
    r"(?:readme|licen[cs]e|copying|changelog|contributing|authors|notice|index|meta(?:data)?|toc)(?:[._-].*)?",
    re.IGNORECASE,
)
_NAMED_NUMBER = re.compile(
    r"(?:chapter|chap|ch|episode|ep|kapitel|chapitre|capitulo|part)[\s._-]*(\d{1,6})(?!\d)|第\s*(\d{1,6})",
    re.IGNORECASE,
)
_ANY_NUMBER = re.compile(r"(?<!\d)(\d{1,6})(?!\d)")


def read_folder(path: Path) -> Source:
    """The chapters of a folder; folders inside it are left aside.

    The file names give the numbers where each has one from 1; else the natural order of the names does.
    Raises `NoChapters`, `DuplicateNumber`, `NotUtf8`, `InvalidSidecar`, `InvalidSize`, `SourceUnreadable`.
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
    numbered = zip(_numbers(files), files, strict=True)
    chapters = [_chapter(number, file, sidecars[file]) for number, file in sorted(numbered, key=lambda pair: pair[0])]
    return Source(chapters, ignored)


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
    if entry.is_dir():
        return "a folder; only files directly in the one that is imported are read"
    if entry.name.lower().endswith(".records.json"):
        return "records without a chapter file of the same name"
    return "not a chapter file"


def _numbers(files: list[Path]) -> list[int]:
    found = [_number(file.stem) for file in files]
    numbers = [number for number in found if number]
    if len(numbers) < len(files):
        return list(range(1, len(files) + 1))
    seen: dict[int, Path] = {}
    for number, file in zip(numbers, files, strict=True):
        if number in seen:
            raise DuplicateNumber(number, seen[number].name, file.name)
        seen[number] = file
    return numbers


def _number(stem: str) -> int | None:
    """The chapter's number in a file name: after the word chapter, else the first that stands there."""
    if found := _NAMED_NUMBER.search(stem):
        return int(found[1] or found[2])
    found = _ANY_NUMBER.search(stem)
    return int(found[1]) if found else None


def _chapter(number: int, file: Path, sidecar: Path | None) -> SourceChapter:
    title, text = _title_and_text(file, read_text(file))
    records = _records(sidecar) if sidecar else None
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


def _records(sidecar: Path) -> list[Any] | dict[str, Any]:
    try:
        content = json.loads(read_text(sidecar))
    except json.JSONDecodeError as error:
        raise InvalidSidecar(str(sidecar), f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise InvalidSidecar(str(sidecar), "it is nested too deeply or has a number that is too long") from error
    if isinstance(content, list) or (isinstance(content, dict) and isinstance(content.get("records"), list)):
        return content
    raise InvalidSidecar(str(sidecar), 'it has no list of "records"')
