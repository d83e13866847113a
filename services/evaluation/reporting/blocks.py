"""A report as a list of blocks, and the two forms it is written in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """The first column is left-aligned, the others to the right."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot; `name` is its file's, without ending, and `title` what those hear of it who do not see it."""

    name: str
    title: str
    svg: str


Block: TypeAlias = Heading | Paragraph | Table | Figure

_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}"
    "table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}svg{max-width:100%;height:auto}figure{margin:1rem 0}"
)


def save(directory: Path, title: str, blocks: Sequence[Block]) -> list[Path]:
    """Writes `report.md` with its plots beside it, and `report.html` with them inside; returns the files."""
    directory.mkdir(parents=True, exist_ok=True)
    files = {f"{block.name}.svg": block.svg for block in blocks if isinstance(block, Figure)}
    files["report.md"] = markdown(title, blocks)
    files["report.html"] = html(title, blocks)
    for name, text in files.items():
        (directory / name).write_text(text + "\n", "utf-8")
    return [directory / name for name in files]


def markdown(title: str, blocks: Sequence[Block]) -> str:
    return "\n\n".join([f"# {title}", *map(_markdown, blocks)])


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Figure):
        return f"![{block.title}]({block.name}.svg)"
    rule = ["---", *["---:"] * (len(block.header) - 1)]
    return "\n".join(f"| {' | '.join(c.replace('|', '/') for c in row)} |" for row in (block.header, rule, *block.rows))


def html(title: str, blocks: Sequence[Block]) -> str:
    body = "\n".join([f"<h1>{escape(title)}</h1>", *map(_html, blocks)])
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>\n{body}\n</body></html>'
    )


def _html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Figure):
        return f"<figure>{block.svg}</figure>"
    return f"<table><thead>{_row('th', block.header)}</thead><tbody>{''.join(_rows(block))}</tbody></table>"


def _rows(table: Table) -> Iterator[str]:
    return (_row("td", row) for row in table.rows)


def _row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
