"""Chapters of an EPUB: its documents in reading order, without what stands before and after the story."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from bs4.element import Tag

from services.publishing.importing.archives import Archive
from services.publishing.importing.chapters import (
    Ignored,
    Source,
    SourceChapter,
    numbers_in_order,
    sized,
    why_renumbered,
)
from services.publishing.importing.errors import NoChapters
from services.publishing.importing.headings import parse
from services.publishing.importing.html import Block, as_text, attribute, blocks, candidates, story_root
from services.publishing.importing.outline import Candidate, pieces
from services.publishing.importing.package import Entry, Package, read_package
from services.publishing.importing.plaintext import title_of

_APART_TYPES = frozenset(
    {"cover", "titlepage", "title-page", "halftitlepage", "toc", "landmarks", "loi", "lot", "colophon", "imprint"}
    | {"copyright-page", "copyright", "dedication", "epigraph", "endnotes", "footnotes", "rearnotes", "index"}
    | {"bibliography", "seriespage", "other-credits", "contributors"}
)
_APART_NAMES = re.compile(
    r"(?:the\s+)?(?:cover(?:[\s_-]?page)?|half[\s_-]?title(?:[\s_-]?page)?|title[\s_-]?page|title|toc|nav|(?:table[\s_-]of[\s_-])?contents"
    r"|colophon|imprint|(?:un)?copyright(?:[\s_-]page)?|list[\s_-]of[\s_-]illustrations|loi|endnotes|footnotes)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Draft:
    """A chapter being put together."""

    blocks: list[Block]
    number: int | None
    title: str | None
    member: str


def read_epub(path: Path) -> Source:
    """The chapters of an EPUB 2 or 3. Raises `InvalidEpub` and its kinds, `NotUtf8`, `NoChapters`, `InvalidSize`."""
    ignored: list[Ignored] = []
    drafts: list[_Draft] = []
    with Archive(path) as archive:
        package = read_package(archive)
        ignored += [
            Ignored(f"{path.name}!{member}", "not part of the reading order's main line") for member in package.aside
        ]
        for member in package.spine:
            reason = _read_document(archive, package, member, drafts)
            if reason:
                ignored.append(Ignored(f"{path.name}!{member}", reason))
    if not drafts:
        raise NoChapters(
            f"No chapters were found in {path}: its documents have no text. Give an EPUB whose chapters are text."
        )
    found = [draft.number for draft in drafts]
    numbers = numbers_in_order(found)
    chapters = [_chapter(path, n, draft) for n, draft in zip(numbers, drafts, strict=True)]
    return Source(chapters, ignored, why_renumbered(found, numbers))


def _chapter(path: Path, number: int, draft: _Draft) -> SourceChapter:
    source = f"{path.name}!{draft.member}"
    return SourceChapter(number, draft.title, sized(as_text(draft.blocks), source), None, source)


def _read_document(archive: Archive, package: Package, member: str, drafts: list[_Draft]) -> str | None:
    """Add the chapters of one document to the drafts; or say why it has none."""
    body = story_root(archive.read(member))
    entries = [entry for entry in package.contents if entry.member == member]
    if kind := _kind_apart(package, member, body, entries):
        return f"it is the {kind}, not a chapter"
    found = blocks(body)
    if not found:
        return "it has no text"
    if all(block.level is not None for block in found):
        return "it has a heading and no text"
    if drafts and _continues(package, member, found, entries):
        drafts[-1].blocks.extend(found)
        return None
    drafts.extend(_divided(member, found, entries))
    return None


def _kind_apart(package: Package, member: str, body: Tag, entries: list[Entry]) -> str | None:
    """What the document is, where it stands before or after the story; None for a chapter."""
    kinds = set(package.kinds.get(member, ()))
    for tag in [body, *body.find_all(["section", "div", "article"], recursive=False)]:
        kinds.update(attribute(tag, "epub:type").lower().split())
    if apart := sorted(kinds & _APART_TYPES):
        return apart[0]
    stem = posixpath.splitext(posixpath.basename(member))[0]
    names = [stem, *(entry.title for entry in entries if not entry.fragment)]
    return next((name for name in names if _APART_NAMES.fullmatch(name.strip())), None)


def _continues(package: Package, member: str, found: list[Block], entries: list[Entry]) -> bool:
    """Whether the document goes on with the chapter of the one before: the contents, which list most others, do not list it."""
    listed = {entry.member for entry in package.contents}
    return (
        not entries
        and not any(b.level for b in found)
        and len(listed) > 1
        and 2 * len(listed) >= len(package.spine) - 1
    )


def _divided(member: str, found: list[Block], entries: list[Entry]) -> list[_Draft]:
    """The chapters of one document: cut at its chapter headings, else where the contents point into it, else one."""
    headings = candidates(found)
    text = as_text(found)
    cuts = _cuts_at_headings(text, found, headings) or _cuts_at_entries(found, entries)
    if len(cuts) < 2:
        return [_Draft(found, *_named(found, headings, entries), member)]
    drafts = []
    for i, (start, number, title) in enumerate(cuts):
        end = cuts[i + 1][0] if i + 1 < len(cuts) else len(found)
        drafts.append(_Draft(found[0 if i == 0 else start : end], number, title, member))
    return drafts


def _cuts_at_headings(
    text: str, found: list[Block], headings: list[Candidate]
) -> list[tuple[int, int | None, str | None]]:
    named = [c for c in headings if c.unit in ("chapter", "unnumbered")]
    top = [c for c in headings if c.level == min((h.level or 6 for h in headings), default=6)]
    if len(named) < 2 and len(top) < 2:
        return []
    blocks_at, start = {}, 0
    for i, block in enumerate(found):
        blocks_at[start] = i
        start += len(block.text) + 2
    return [(blocks_at[p.start], p.number, p.title) for p in pieces(text, named if len(named) > 1 else top)]


def _cuts_at_entries(found: list[Block], entries: list[Entry]) -> list[tuple[int, int | None, str | None]]:
    cuts: dict[int, tuple[int, int | None, str | None]] = {}
    for entry in entries:
        at = next(
            (i for i, block in enumerate(found) if entry.fragment in block.anchors), None if entry.fragment else 0
        )
        if at is not None and at not in cuts and (heading := parse(entry.title)):
            cuts[at] = (at, heading.number, heading.title)
    return [cuts[at] for at in sorted(cuts)]


def _named(found: list[Block], headings: list[Candidate], entries: list[Entry]) -> tuple[int | None, str | None]:
    """The number and title of a document that is one chapter, from its first heading, else from the contents."""
    first = headings[0] if headings and headings[0].start <= len(found[0].text) + 2 else None
    entry = next((entry.title for entry in entries if entry.title), None)
    heading = (first.heading if first else None) or (parse(entry) if entry else None)
    title = (first.title if first else None) or (heading.title if heading else None)
    if title is None and entry and heading is None:
        title = entry
    return (heading.number if heading else None), title or title_of(as_text(found[:2]))
