"""Input files: bytes from a path or from standard input, as text or JSON. Refuses what is not UTF-8, naming the byte."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from events.errors import InvalidChapter, InvalidInput
from services.documents import decode

STANDARD_INPUT = "-"
MOST_BYTES = 100_000_000
"""More than any chapter, or its records, can have."""


def text(path: str) -> str:
    """The text of a file (`-`: standard input). Raises InvalidChapter naming the first byte that is no UTF-8."""
    raw = content(path)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidChapter(
            f"{shown(path)} is not UTF-8: byte {error.start} (0x{raw[error.start]:02x}, line {line}) cannot be read; "
            "save it as UTF-8, then publish it again"
        ) from None


def value(path: str) -> Any:
    """The JSON value in a file."""
    return decode(content(path), shown(path))


def content(path: str) -> bytes:
    """The bytes of a file (`-`: standard input). Raises InvalidInput when it cannot be read, or does not come to an end."""
    try:
        if path == STANDARD_INPUT:
            found = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                found = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror}); give the path of a file you can read") from None
    if len(found) > MOST_BYTES:
        raise InvalidInput(f"{shown(path)} has more than {MOST_BYTES // 1_000_000} MB; give less at a time")
    return found


def shown(path: str) -> str:
    return "standard input" if path == STANDARD_INPUT else path
