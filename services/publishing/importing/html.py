"""Text from HTML and XHTML: paragraphs and headings, with the anchors that a table of contents points to."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
from bs4.element import Comment, NavigableString, PreformattedString, Tag

from events.evidence import clean_text
from services.publishing.importing.headings import parse, parse_numeral
from services.publishing.importing.outline import Candidate

_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
_SILENT_NAMES = "audio canvas embed head iframe map math noscript object rp rt script select style svg template video"
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_SILENT = frozenset(_SILENT_NAMES.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_SILENT_TYPES = frozenset({"noteref", "pagebreak", "page-list", "landmarks"})
_PROLOG = 20_000
"""Characters at the beginning of a document in which its type is declared."""
SCENE_BREAK = "* * *"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a heading of `level` 1 to 6; `anchors` are the ids that stand in it or just before it."""

    text: str
    level: int | None
    anchors: frozenset[str]


def parse_markup(markup: str) -> BeautifulSoup:
    """A tree of the markup. Entities that it defines itself are not expanded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        return BeautifulSoup(_DOCTYPE.sub("", markup[:_PROLOG], count=1) + markup[_PROLOG:], "html.parser")


def story_root(markup: str) -> Tag:
    """The element that holds the text of a document, without what Project Gutenberg puts around it."""
    root = parse_markup(markup)
    for boilerplate in root.select("#pg-header, #pg-footer, .pg-boilerplate"):
        boilerplate.decompose()
    return root.find("body") or root


def attribute(tag: Tag, name: str) -> str:
    """An attribute as one string, empty where it is missing."""
    value = tag.get(name)
    return " ".join(value) if isinstance(value, list) else value or ""


def blocks(root: Tag) -> list[Block]:
    """The visible text under `root` in reading order. White space is collapsed except in preformatted text."""
    reading = _Reading()
    for event, node in _walk(root):
        if isinstance(node, Tag):
            reading.enter(node) if event == "enter" else reading.leave(node)
        elif not isinstance(node, PreformattedString):
            reading.text(str(node))
    reading.flush()
    return reading.blocks


def as_text(found: list[Block]) -> str:
    """The blocks as plain text, an empty line between two of them."""
    return "\n\n".join(block.text for block in found)


def candidates(found: list[Block]) -> list[Candidate]:
    """The headings among the blocks, with their offsets in `as_text`; one without text in between is the title of the other."""
    result: list[Candidate] = []
    start = 0
    previous: Block | None = None
    for block in found:
        end = start + len(block.text)
        if block.level is not None:
            candidate = _candidate(block, start, end)
            above = result[-1] if result and previous is not None and previous.level is not None else None
            if above and candidate.heading is None and above.heading and above.unit != "part" and above.title is None:
                result[-1] = Candidate(above.start, end, above.heading, candidate.title, above.level)
            else:
                result.append(candidate)
        previous = block
        start = end + 2
    return result


def _candidate(block: Block, start: int, end: int) -> Candidate:
    first, _, rest = block.text.partition("\n")
    heading = parse(first) or parse_numeral(first)
    below = " ".join(rest.split()) or None
    if heading is None:
        return Candidate(start, end, None, " ".join(block.text.split()), block.level)
    title = " ".join(filter(None, (heading.title, below))) or None
    return Candidate(start, end, heading, title, block.level)


def _walk(root: Tag) -> Iterator[tuple[str, Tag | NavigableString]]:
    """Depth first, without recursion: markup may be nested as deeply as it likes."""
    stack: list[tuple[Tag, Iterator[object]]] = [(root, iter(root.children))]
    while stack:
        tag, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            if stack:
                yield "leave", tag
        elif isinstance(child, Tag):
            if not _is_silent(child):
                yield "enter", child
                stack.append((child, iter(child.children)))
        elif isinstance(child, NavigableString) and not isinstance(child, Comment):
            yield "text", child


def _collapsed(text: str) -> str:
    return re.sub(r" ?\n ?", "\n", re.sub(r" {2,}", " ", text)).strip(" \n")


def _is_silent(tag: Tag) -> bool:
    types = attribute(tag, "epub:type").split() + attribute(tag, "role").removeprefix("doc-").split()
    return tag.name in _SILENT or tag.has_attr("hidden") or not _SILENT_TYPES.isdisjoint(types)


@dataclass(slots=True)
class _Reading:
    blocks: list[Block] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _anchors: set[str] = field(default_factory=set)
    _level: int | None = None
    _group: int = 0
    _preformatted: int = 0

    def enter(self, tag: Tag) -> None:
        if tag.name in _BLOCKS:
            self._part()
        if anchor := attribute(tag, "id") or (attribute(tag, "name") if tag.name == "a" else ""):
            self._anchors.add(anchor)
        if tag.name == "hgroup":
            self._group += 1
        elif tag.name == "pre":
            self._preformatted += 1
        elif tag.name == "br":
            self._pieces.append("\n")
        elif tag.name == "hr" and not self._group:
            self.blocks.append(Block(SCENE_BREAK, None, self._taken()))
        if tag.name in _HEADINGS:
            self._level = min(self._level or 6, _HEADINGS[tag.name])

    def leave(self, tag: Tag) -> None:
        if tag.name == "hgroup":
            self._group -= 1
        if tag.name in _BLOCKS:
            self._part()
        if tag.name == "pre":
            self._preformatted -= 1

    def text(self, text: str) -> None:
        self._pieces.append(text if self._preformatted else re.sub(r"[ \t\r\n\f]+", " ", text))

    def flush(self) -> None:
        text = "".join(self._pieces)
        text = text.strip("\n").rstrip() if self._preformatted else _collapsed(text)
        text = clean_text(text)
        self._pieces.clear()
        if text.strip():
            self.blocks.append(Block(text, self._level, self._taken()))
            self._level = None

    def _part(self) -> None:
        """The end of a block; inside a heading group only of a line."""
        if self._group:
            self._pieces.append("\n")
        else:
            self.flush()
            self._level = None

    def _taken(self) -> frozenset[str]:
        anchors = frozenset(self._anchors)
        self._anchors.clear()
        return anchors
