"""Rows as PostgreSQL's COPY reads them, a line of text each, its values parted by tabs; and columns of them as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_NULL: Final = "\\N"


def line(values: Sequence[str | None]) -> str:
    """The line of a row, without its end. Values are as PostgreSQL writes them."""
    try:
        joined = "\t".join(values)  # type: ignore[arg-type]
    except TypeError:  # a NULL among them
        return _escaped(values)
    # few values have what would have to be escaped, and looking at all of them is quicker than looking at each
    if "\\" in joined or "\n" in joined or "\r" in joined or "\t" in "".join(values):  # type: ignore[arg-type]
        return _escaped(values)
    return joined


def json_value(text: str) -> str:
    """A JSON text as a value of a line: it has no control characters."""
    return text.replace("\\", "\\\\")


def _escaped(values: Sequence[str | None]) -> str:
    return "\t".join([_NULL if value is None else escaped(value) for value in values])


def escaped(value: str) -> str:
    """A value with what has a meaning in COPY written as what it is."""
    if value.isprintable() and "\\" not in value:
        return value
    return value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def array(values: Sequence[str | int]) -> str:
    """Values as a PostgreSQL array; many of them are written more quickly here than by the driver, one by one."""
    return "{" + ",".join([_quoted(value) if isinstance(value, str) else str(value) for value in values]) + "}"


def _quoted(value: str) -> str:
    if "\\" in value or '"' in value:
        value = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{value}"'
