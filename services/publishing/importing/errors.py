"""What can go wrong when a source is read. Nothing has been published when one of these is raised.

InvalidInput
└── ImportRefused
    ├── SourceUnreadable      it is not there, or may not be read
    ├── UnsupportedSource     neither a folder, nor an EPUB, nor a text, Markdown or HTML file
    ├── NotUtf8               bytes that are not UTF-8
    ├── NoChapters            nothing in it is recognised as a chapter
    ├── DuplicateNumber       two files claim the same chapter
    ├── NumberTooHigh         a file claims a chapter beyond the last there can be
    ├── InvalidSize           a chapter that is empty or too long
    ├── InvalidSidecar        a records file that cannot be read
    └── InvalidEpub           an EPUB that cannot be read
        ├── EncryptedEpub     its text is encrypted
        └── OversizedEpub     it unpacks to more than is safe
"""

from __future__ import annotations

from events.errors import InvalidInput


class ImportRefused(InvalidInput):
    title = "The source cannot be imported"
    slug = "import-refused"


class SourceUnreadable(ImportRefused):
    slug = "source-unreadable"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} cannot be read: {reason}. Check the path and its permissions.")
        self.name = name


class UnsupportedSource(ImportRefused):
    slug = "unsupported-source"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is not a kind of file that can be imported. Give a folder of chapter files (.txt, .md, .html), "
            "an .epub, or one .txt, .md or .html file with chapter headings."
        )
        self.name = name


class NotUtf8(ImportRefused):
    slug = "not-utf-8"

    def __init__(self, name: str, offset: int, byte: int, *, likely: str = "WINDOWS-1252") -> None:
        super().__init__(
            f"{name} is not UTF-8: byte {offset} is 0x{byte:02x}. Save it as UTF-8 "
            f"(for example `iconv -f {likely} -t UTF-8`) and import again; nothing was published."
        )
        self.name = name
        self.offset = offset


class NoChapters(ImportRefused):
    slug = "no-chapters"


class DuplicateNumber(ImportRefused):
    slug = "duplicate-number"

    def __init__(self, number: int, first: str, second: str) -> None:
        super().__init__(
            f"{first} and {second} are both chapter {number}. Rename one of them, or move it out of the folder."
        )
        self.number = number


class NumberTooHigh(ImportRefused):
    slug = "number-too-high"

    def __init__(self, name: str, highest: int) -> None:
        super().__init__(
            f"The number in {name} is too high; chapters are numbered from 1 to {highest}. Rename it, and import again."
        )
        self.name = name


class InvalidSize(ImportRefused):
    slug = "invalid-size"

    def __init__(self, name: str, length: int, most: int) -> None:
        advice = "Write it or remove it" if length == 0 else "Split it into several chapters"
        super().__init__(f"{name} has {length} characters; a chapter has 1 to {most}. {advice}, and import again.")
        self.name = name
        self.length = length


class InvalidSidecar(ImportRefused):
    slug = "invalid-sidecar"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"{name} is not a records file: {reason}. It holds a list of records, or an object with "
            '"schema": "fabula.records/1" and "records"; correct it or move it out of the folder.'
        )
        self.name = name


class InvalidEpub(ImportRefused):
    slug = "invalid-epub"

    def __init__(self, name: str, reason: str, advice: str = "Open and save it again with an EPUB editor.") -> None:
        super().__init__(f"{name} is not an EPUB that can be read: {reason}. {advice}")
        self.name = name


class EncryptedEpub(InvalidEpub):
    slug = "encrypted-epub"

    def __init__(self, name: str, part: str) -> None:
        super().__init__(
            name, f"{part} is encrypted", "Give the EPUB without copy protection, or a folder of chapter files."
        )


class OversizedEpub(InvalidEpub):
    slug = "oversized-epub"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason, "Remove pictures and fonts, or give a folder of chapter files.")
