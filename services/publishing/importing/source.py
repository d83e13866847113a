"""One way in for everything that can be imported."""

from __future__ import annotations

import zipfile
from pathlib import Path

from events.evidence import clean_text
from services.publishing.importing import folder, html, markdown, plaintext
from services.publishing.importing.chapters import (
    Ignored,
    Source,
    SourceChapter,
    numbers_in_order,
    sized,
    why_renumbered,
)
from services.publishing.importing.decoding import read_text
from services.publishing.importing.epub import read_epub
from services.publishing.importing.errors import NoChapters, SourceUnreadable, UnsupportedSource
from services.publishing.importing.outline import Piece, pieces

_LONGEST_PREAMBLE = 20_000
"""Characters that may stand before the first heading although they are most of the file."""


def read_source(path: Path) -> list[SourceChapter]:
    """The chapters of a folder, an EPUB, or a file with chapter headings, by ascending number. See `examine`."""
    return examine(path).chapters


def examine(path: Path) -> Source:
    """The chapters, and what was left aside. Everything is read before anything is returned; all failures are `ImportRefused`."""
    try:
        if path.is_dir():
            return folder.read_folder(path)
        if not path.exists():
            raise SourceUnreadable(str(path), "there is no such file or folder")
    except (OSError, ValueError) as error:
        raise SourceUnreadable(str(path), str(error)) from error
    suffix = path.suffix.lower()
    if suffix == ".epub" or (suffix not in folder.TEXT | folder.MARKDOWN | folder.HTML and _is_zip(path)):
        return read_epub(path)
    if suffix in folder.TEXT | folder.MARKDOWN | folder.HTML or not suffix:
        return _read_file(path, suffix)
    raise UnsupportedSource(str(path))


def _is_zip(path: Path) -> bool:
    try:
        return path.is_file() and zipfile.is_zipfile(path)
    except OSError:
        return False


def _read_file(path: Path, suffix: str) -> Source:
    text, found = _divided(read_text(path), suffix)
    before = len(text[: found[0].start].strip()) if found else 0
    if not found or before > max(len(text) // 2, _LONGEST_PREAMBLE):
        raise NoChapters(
            f"No chapters were found in {path}. Put a heading such as `Chapter 1` on a line of its own before each, "
            "or publish the file as one chapter with `fabula publish STORY 1 --file FILE`."
        )
    headed = [piece.number for piece in found]
    numbers = numbers_in_order(headed)
    chapters = [_chapter(path, text, piece, number) for piece, number in zip(found, numbers, strict=True)]
    ignored = [Ignored(path.name, f"{before} characters before the first chapter heading")] if before else []
    return Source(chapters, ignored, why_renumbered(headed, numbers))


def _divided(content: str, suffix: str) -> tuple[str, list[Piece]]:
    """The text and its chapters, by the headings of its format, else by those of plain text (and the other way round)."""
    if suffix in folder.HTML:
        found = html.blocks(html.story_root(content))
        start, end = plaintext.inside_gutenberg(html.as_text(found))
        text = html.as_text(found)[:end]
        headings = [c for c in html.candidates(found) if start <= c.start < end]
        return text, pieces(text, headings) or pieces(text, plaintext.candidates(text))
    text = clean_text(content)
    text = text[slice(*plaintext.inside_gutenberg(text))]
    readings = (
        (markdown.candidates, plaintext.candidates)
        if suffix in folder.MARKDOWN
        else (plaintext.candidates, markdown.candidates)
    )
    return text, next(filter(None, (pieces(text, reading(text)) for reading in readings)), [])


def _chapter(path: Path, text: str, piece: Piece, number: int) -> SourceChapter:
    source = f"{path.name}#{number}"
    return SourceChapter(
        number, piece.title, sized(text[piece.start : piece.end].strip("\n").rstrip(), source), None, source
    )
