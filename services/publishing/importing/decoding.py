"""Bytes to text: UTF-8 and nothing else, because a guess that is wrong is published."""

from __future__ import annotations

from pathlib import Path

from services.publishing.importing.errors import NotUtf8, SourceUnreadable, UnsupportedSource

UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16."""
_MOST_BYTES = 200_000_000


def decode(data: bytes, name: str) -> str:
    """The text of UTF-8 bytes, without a leading byte order mark. Raises `NotUtf8` with the offset of the first bad byte."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        likely = "UTF-16" if data.startswith(UTF_16) else "WINDOWS-1252"
        raise NotUtf8(name, error.start, data[error.start], likely=likely) from error


def read_text(path: Path) -> str:
    """The text of a file. Raises `SourceUnreadable`, `NotUtf8`."""
    try:
        if not path.is_file():
            raise UnsupportedSource(str(path))
        if path.stat().st_size > _MOST_BYTES:
            raise SourceUnreadable(str(path), f"it is larger than {_MOST_BYTES // 1_000_000} MB")
        return decode(path.read_bytes(), str(path))
    except OSError as error:
        raise SourceUnreadable(str(path), error.strerror or str(error)) from error
