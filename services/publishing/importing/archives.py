"""The zip container of an EPUB, read in memory and within limits. Nothing is ever unpacked to disk."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import unquote, urlsplit

from services.publishing.importing.decoding import UTF_16, decode
from services.publishing.importing.errors import EncryptedEpub, InvalidEpub, NotUtf8, OversizedEpub, SourceUnreadable

MOST_BYTES = 200_000_000
"""Bytes that all members may unpack to, as declared and as really read."""
MOST_MEMBERS = 20_000


class Archive:
    """Members by name. Use as a context manager. Raises `InvalidEpub`, `EncryptedEpub`, `OversizedEpub`, `SourceUnreadable`."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise SourceUnreadable(self.name, error.strerror or str(error)) from error
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise InvalidEpub(self.name, f"it is no zip archive ({error})") from error
        members = self._zip.infolist()
        if len(members) > MOST_MEMBERS or sum(member.file_size for member in members) > MOST_BYTES:
            self._zip.close()
            raise OversizedEpub(
                self.name, f"it unpacks to more than {MOST_BYTES // 1_000_000} MB or {MOST_MEMBERS} files"
            )
        self._members = {member.filename: member for member in members}
        self._left = MOST_BYTES

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def __contains__(self, member: str) -> bool:
        return member in self._members

    def read(self, member: str) -> str:
        """The text of a member, UTF-8 (or UTF-16 where a byte order mark says so). Also raises `NotUtf8`."""
        info = self._members.get(member)
        if info is None:
            raise InvalidEpub(self.name, f"{member} is named in it and missing from it")
        if info.flag_bits & 0x1:
            raise EncryptedEpub(self.name, member)
        try:
            with self._zip.open(info) as stream:
                data = stream.read(self._left + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
            raise InvalidEpub(self.name, f"{member} is damaged ({error})") from error
        self._left -= len(data)
        if self._left < 0:
            raise OversizedEpub(self.name, f"it unpacks to more than {MOST_BYTES // 1_000_000} MB")
        return self._decoded(data, member)

    def _decoded(self, data: bytes, member: str) -> str:
        name = f"{self.name}!{member}"
        if not data.startswith(UTF_16):
            return decode(data, name)
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise NotUtf8(name, error.start, data[error.start]) from error


def resolved(base: str, href: str) -> tuple[str, str]:
    """The member that `href` in member `base` points to, and its fragment. What leads out of the archive names no member."""
    try:
        parts = urlsplit(href.strip())
    except ValueError:  # an address of the network, and a wrong one
        return href.strip(), ""
    path = unquote(parts.path)
    member = posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base
    return member.lstrip("/"), unquote(parts.fragment)
