"""HTML that is escaped by construction: a string is always text, and only `tag` makes an element."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias
from urllib.parse import quote, urlencode

_VOID: Final = frozenset({"meta", "link", "input", "br"})


@dataclass(frozen=True, slots=True)
class Element:
    """Finished HTML. Made by `tag` only."""

    html: str


Child: TypeAlias = "str | int | float | Element | Iterable[Child] | None"


def tag(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Element:
    """An element. Text and attribute values are escaped; `class_` is the attribute `class`; None and False are left out."""
    opened = f"<{name}" + "".join(_attribute(key, value) for key, value in attributes.items()) + ">"
    return Element(opened if name in _VOID else f"{opened}{_inner(children)}</{name}>")


def document(title: str, *body: Child) -> bytes:
    """A whole page."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · Fabula"),
        tag("link", rel="stylesheet", href="/static/console.css"),
    )
    navigation = tag("nav", tag("a", "Fabula", href="/", class_="home"), " ", tag("a", "API", href="/docs"))
    page = tag("html", head, tag("body", navigation, tag("main", tag("h1", title), *body)), lang="en")
    return ("<!doctype html>" + page.html).encode("utf-8", "replace")


def link(text: str, *path: str, **query: str | int | None) -> Element:
    """A link to a page of ours; the steps of the path and the query's values are encoded."""
    return tag("a", text, href=address(*path, **query))


def address(*path: str, **query: str | int | None) -> str:
    given = {key: value for key, value in query.items() if value is not None}
    where = "/" + "/".join(quote(step, safe="", errors="replace") for step in path)
    return where + ("?" + urlencode(given, errors="replace") if given else "")


def table(headings: Iterable[Child], rows: Iterable[Iterable[Child]], empty: str) -> Element:
    """A table, or the sentence `empty` where there are no rows."""
    body = [tag("tr", [tag("td", cell) for cell in row]) for row in rows]
    if not body:
        return tag("p", empty, class_="empty")
    return tag("table", tag("thead", tag("tr", [tag("th", cell) for cell in headings])), tag("tbody", body))


def _attribute(key: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value), quote=True)}"'


def _inner(children: Iterable[Child]) -> str:
    parts = []
    for child in children:
        if isinstance(child, Element):
            parts.append(child.html)
        elif isinstance(child, str):
            parts.append(escape(child))
        elif isinstance(child, int | float):
            parts.append(escape(str(child)))
        elif child is not None:
            parts.append(_inner(child))
    return "".join(parts)
