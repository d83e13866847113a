"""What an EPUB says about itself: its reading order, and the titles and kinds that its contents give to documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from bs4.element import Tag

from services.publishing.importing.archives import Archive, resolved
from services.publishing.importing.errors import EncryptedEpub, InvalidEpub
from services.publishing.importing.html import attribute, parse_markup

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Fonts are obfuscated by these two; they protect no text.
_FONT_OBFUSCATION = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_DOCUMENT_TYPES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/xml"})


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the table of contents: a title for a place in a document."""

    member: str
    fragment: str
    title: str


@dataclass(slots=True)
class Package:
    """`spine`: the documents in reading order. `kinds`: what landmarks and the guide call a document ("cover", "toc", …)."""

    spine: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    contents: list[Entry] = field(default_factory=list)
    kinds: dict[str, set[str]] = field(default_factory=dict)


def read_package(archive: Archive) -> Package:
    """The package of an EPUB 2 or 3. Raises `InvalidEpub`, `EncryptedEpub`."""
    if _CONTAINER not in archive:
        raise InvalidEpub(archive.name, f"it has no {_CONTAINER}")
    _refuse_encryption(archive)
    rootfile = parse_markup(archive.read(_CONTAINER)).find("rootfile")
    if rootfile is None or not attribute(rootfile, "full-path"):
        raise InvalidEpub(archive.name, f"{_CONTAINER} names no package document")
    opf = attribute(rootfile, "full-path")
    root = parse_markup(archive.read(opf))
    package = Package()
    items = {attribute(item, "id"): item for item in root.find_all(_named("item"))}
    _read_spine(archive, package, root, items, opf)
    for reference in root.find_all(_named("reference")):
        member, _ = resolved(opf, attribute(reference, "href"))
        package.kinds.setdefault(member, set()).add(attribute(reference, "type").lower())
    _read_contents(archive, package, root, items, opf)
    return package


def _named(name: str) -> list[str]:
    """An element with or without the prefix that some packages use."""
    return [name, f"opf:{name}"]


def _refuse_encryption(archive: Archive) -> None:
    if _ENCRYPTION not in archive:
        return
    for data in parse_markup(archive.read(_ENCRYPTION)).find_all(_is_encrypted_data):
        method = data.find(lambda tag: tag.name.endswith("encryptionmethod"))
        reference = data.find(lambda tag: tag.name.endswith("cipherreference"))
        algorithm = attribute(method, "algorithm") if isinstance(method, Tag) else ""
        if algorithm not in _FONT_OBFUSCATION:
            raise EncryptedEpub(archive.name, attribute(reference, "uri") if isinstance(reference, Tag) else "its text")


def _is_encrypted_data(tag: Tag) -> bool:
    return tag.name.endswith("encrypteddata")


def _read_spine(archive: Archive, package: Package, root: Tag, items: dict[str, Tag], opf: str) -> None:
    for itemref in root.find_all(_named("itemref")):
        item = items.get(attribute(itemref, "idref"))
        if item is None:
            raise InvalidEpub(
                archive.name, f"its reading order names {attribute(itemref, 'idref')!r}, which it does not list"
            )
        member, _ = resolved(opf, attribute(item, "href"))
        media = attribute(item, "media-type").lower()
        if attribute(itemref, "linear").lower() == "no" or (media and media not in _DOCUMENT_TYPES):
            package.aside.append(member)
        elif member not in package.spine:
            package.spine.append(member)
    if not package.spine:
        raise InvalidEpub(archive.name, "its reading order is empty")


def _read_contents(archive: Archive, package: Package, root: Tag, items: dict[str, Tag], opf: str) -> None:
    for item in items.values():
        if "nav" in attribute(item, "properties").split():
            member, _ = resolved(opf, attribute(item, "href"))
            if member in archive:
                package.kinds.setdefault(member, set()).add("toc")
                _read_nav(package, parse_markup(archive.read(member)), member)
    spine = root.find(_named("spine"))
    ncx = items.get(attribute(spine, "toc")) if isinstance(spine, Tag) else None
    if ncx is not None and not package.contents:
        member, _ = resolved(opf, attribute(ncx, "href"))
        if member in archive:
            _read_ncx(package, parse_markup(archive.read(member)), member)


def _read_nav(package: Package, root: Tag, base: str) -> None:
    for nav in root.find_all("nav"):
        kinds = attribute(nav, "epub:type").split()
        for link in nav.find_all("a"):
            member, fragment = resolved(base, attribute(link, "href"))
            if "toc" in kinds:
                package.contents.append(Entry(member, fragment, " ".join(link.get_text().split())))
            elif "landmarks" in kinds and not fragment:
                package.kinds.setdefault(member, set()).update(attribute(link, "epub:type").lower().split())


def _read_ncx(package: Package, root: Tag, base: str) -> None:
    for point in root.find_all("navpoint"):
        content, label = point.find("content"), point.find("navlabel")
        if isinstance(content, Tag) and isinstance(label, Tag):
            member, fragment = resolved(base, attribute(content, "src"))
            package.contents.append(Entry(member, fragment, " ".join(label.get_text().split())))
