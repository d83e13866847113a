"""An EPUB becomes chapters: the story's documents in reading order, and nothing that a hostile archive would like."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.publishing.importing import SourceChapter, archives, examine, read_source
from services.publishing.importing.errors import (
    EncryptedEpub,
    ImportRefused,
    InvalidEpub,
    NoChapters,
    OversizedEpub,
)

CONTAINER = (
    '<?xml version="1.0"?><container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
)


def document(body: str, kind: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>x</title></head><body epub:type="{kind}">{body}</body></html>'
    )


def chapter(number: str, text: str = "Some text.") -> str:
    return document(f"<h2>{number}</h2><p>{text}</p>")


def epub(
    folder: Path,
    documents: Mapping[str, str],
    *,
    nav: Sequence[tuple[str, str]] = (),
    spine: Sequence[str] | None = None,
    extra: Mapping[str, str] | None = None,
    guide: str = "",
) -> Path:
    """An EPUB 3 of the documents, in their order unless `spine` says otherwise."""
    files = dict(documents)
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in files)
    if nav:
        links = "".join(f'<li><a href="{href}">{title}</a></li>' for href, title in nav)
        files["nav"] = document(f'<nav epub:type="toc"><ol>{links}</ol></nav>')
        items += '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    refs = "".join(f'<itemref idref="{name}"/>' for name in (spine if spine is not None else documents))
    opf = f'<?xml version="1.0"?><package><manifest>{items}</manifest><spine>{refs}</spine>{guide}</package>'
    path = folder / "book.epub"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OEBPS/content.opf", opf)
        for name, text in files.items():
            archive.writestr(f"OEBPS/{name}.xhtml", text)
        for name, text in (extra or {}).items():
            archive.writestr(name, text)
    return path


def shape(chapters: list[SourceChapter]) -> list[tuple[int, str | None]]:
    return [(c.number, c.title) for c in chapters]


def test_the_reading_order_is_the_order_of_the_chapters(tmp_path: Path) -> None:
    path = epub(tmp_path, {"b": chapter("Two"), "a": chapter("One")}, spine=["a", "b"])
    assert shape(read_source(path)) == [(1, "One"), (2, "Two")]


def test_paragraphs_and_line_breaks_are_kept(tmp_path: Path) -> None:
    body = "<h2>I</h2><p>One\n  <i>and</i> the\u00a0same.</p><div><p>Two,<br/>broken.</p><hr/><blockquote>Three</blockquote></div>"
    assert (
        read_source(epub(tmp_path, {"a": document(body)}))[0].text
        == "I\n\nOne and the\u00a0same.\n\nTwo,\nbroken.\n\n* * *\n\nThree"
    )


def test_scripts_note_marks_and_hidden_text_are_no_text(tmp_path: Path) -> None:
    body = '<p>a<script>x()</script><a epub:type="noteref" href="#n">1</a><span hidden="">z</span><ruby>字<rt>zi</rt></ruby> b</p>'
    assert read_source(epub(tmp_path, {"a": document(body)}))[0].text == "a字 b"


def test_the_contents_give_titles_where_headings_have_none(tmp_path: Path) -> None:
    documents = {"a": document("<p>Text one.</p>"), "b": document("<p>Text two.</p>")}
    path = epub(
        tmp_path,
        documents,
        nav=[("a.xhtml", "The Wick"), ("b.xhtml", "Chapter 2: The Oil")],
    )
    assert [c.title for c in read_source(path)] == ["The Wick", "The Oil"]


def test_the_contents_of_an_epub_2_are_read(tmp_path: Path) -> None:
    ncx = '<ncx><navMap><navPoint><navLabel><text>The Wick</text></navLabel><content src="a.xhtml"/></navPoint></navMap></ncx>'
    opf = (
        '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="n" href="toc.ncx" '
        'media-type="application/x-dtbncx+xml"/></manifest><spine toc="n"><itemref idref="a"/></spine></package>'
    )
    path = tmp_path / "old.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OEBPS/content.opf", opf)
        archive.writestr("OEBPS/toc.ncx", ncx)
        archive.writestr("OEBPS/a.xhtml", document("<p>Text.</p>"))
    assert shape(read_source(path)) == [(1, "The Wick")]


@pytest.mark.parametrize(
    "name",
    [
        "cover",
        "titlepage",
        "toc",
        "imprint",
        "colophon",
        "uncopyright",
        "copyright-page",
    ],
)
def test_what_stands_around_the_story_is_no_chapter(tmp_path: Path, name: str) -> None:
    source = examine(epub(tmp_path, {name: document("<p>Around.</p>"), "ch1": chapter("I")}))
    assert [c.source for c in source.chapters] == ["book.epub!OEBPS/ch1.xhtml"]
    assert [i.name for i in source.ignored] == [f"book.epub!OEBPS/{name}.xhtml"]


def test_a_document_says_itself_what_it_is(tmp_path: Path) -> None:
    documents = {
        "x1": document('<section epub:type="colophon"><p>Set in Fell.</p></section>'),
        "x2": chapter("I"),
    }
    assert len(read_source(epub(tmp_path, documents))) == 1


def test_the_guide_says_what_a_document_is(tmp_path: Path) -> None:
    guide = '<guide><reference type="cover" href="x1.xhtml"/></guide>'
    assert (
        len(
            read_source(
                epub(
                    tmp_path,
                    {"x1": document("<p>A</p>"), "x2": chapter("I")},
                    guide=guide,
                )
            )
        )
        == 1
    )


def test_a_preface_is_kept(tmp_path: Path) -> None:
    assert shape(read_source(epub(tmp_path, {"preface": chapter("Preface"), "a": chapter("Chapter 1")}))) == [
        (1, "Preface"),
        (2, None),
    ]


def test_a_page_with_nothing_but_the_name_of_a_part_is_no_chapter(
    tmp_path: Path,
) -> None:
    assert len(read_source(epub(tmp_path, {"p": document("<h1>Part One</h1>"), "a": chapter("I")}))) == 1


def test_a_document_with_several_chapters_is_cut_at_its_headings(
    tmp_path: Path,
) -> None:
    body = "<h1>The Book</h1>" + "".join(f"<h2>Chapter {n}</h2><h3>Title {n}</h3><p>Text {n}.</p>" for n in (1, 2, 3))
    chapters = read_source(epub(tmp_path, {"all": document(body)}))
    assert shape(chapters) == [(1, "Title 1"), (2, "Title 2"), (3, "Title 3")]
    assert chapters[1].text == "Chapter 2\n\nTitle 2\n\nText 2."


def test_the_scenes_of_a_chapter_are_not_chapters(tmp_path: Path) -> None:
    body = "<h2>Ice</h2><p>a</p><h3>Morning</h3><p>b</p><h3>Night</h3><p>c</p>"
    assert shape(read_source(epub(tmp_path, {"a": document(body)}))) == [(1, "Ice")]


def test_a_document_that_the_contents_do_not_list_goes_on_with_the_chapter_before(
    tmp_path: Path,
) -> None:
    documents = {
        "a": chapter("I", "Begun."),
        "a2": document("<p>Goes on.</p>"),
        "b": chapter("II"),
    }
    chapters = read_source(epub(tmp_path, documents, nav=[("a.xhtml", "I"), ("b.xhtml", "II")]))
    assert [c.text for c in chapters] == ["I\n\nBegun.\n\nGoes on.", "II\n\nSome text."]


def test_a_heading_group_gives_number_and_title(tmp_path: Path) -> None:
    body = '<section><hgroup><h2>IV</h2><p epub:type="title">The Weighhouse</p></hgroup><p>Text.</p></section>'
    assert read_source(epub(tmp_path, {"a": document(body)}))[0].title == "The Weighhouse"


def test_the_second_volume_keeps_its_chapter_numbers(tmp_path: Path) -> None:
    documents = {"a": chapter("Chapter 41: Ash"), "b": chapter("Chapter 42: Oil")}
    assert shape(read_source(epub(tmp_path, documents))) == [(41, "Ash"), (42, "Oil")]


def test_a_file_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    path.write_text("not a zip")
    with pytest.raises(InvalidEpub, match="no zip archive"):
        read_source(path)


def test_a_zip_that_is_no_epub_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(InvalidEpub, match=r"META-INF/container\.xml"):
        read_source(path)


def test_a_document_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidEpub, match="'ghost'"):
        read_source(epub(tmp_path, {"a": chapter("I")}, spine=["a", "ghost"]))


def test_an_epub_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoChapters):
        read_source(epub(tmp_path, {"a": document('<img src="a.png"/>')}))


@pytest.mark.parametrize(
    ("algorithm", "refused"),
    [
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", True),
        ("http://www.idpf.org/2008/embedding", False),
    ],
    ids=["text", "fonts only"],
)
def test_an_encrypted_epub_is_refused_unless_only_fonts_are(tmp_path: Path, algorithm: str, refused: bool) -> None:
    encryption = (
        f'<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="{algorithm}"/><enc:CipherData>'
        '<enc:CipherReference URI="OEBPS/a.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>'
    )
    path = epub(tmp_path, {"a": chapter("I")}, extra={"META-INF/encryption.xml": encryption})
    if refused:
        with pytest.raises(EncryptedEpub, match="copy protection"):
            read_source(path)
    else:
        assert len(read_source(path)) == 1


def test_an_archive_with_a_password_is_refused(tmp_path: Path) -> None:
    path = epub(tmp_path, {"a": chapter("I")})
    data = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(signature, at + 4)
    path.write_bytes(bytes(data))
    with pytest.raises(EncryptedEpub):
        read_source(path)


def test_an_archive_that_unpacks_to_too_much_is_refused_without_unpacking(
    tmp_path: Path,
) -> None:
    path = epub(tmp_path, {"a": chapter("I")})
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("bomb", "w") as member,
    ):
        for _ in range(210):
            member.write(bytes(1_000_000))
    with pytest.raises(OversizedEpub, match="200 MB"):
        read_source(path)


def test_what_is_really_read_is_limited_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = epub(tmp_path, {"a": chapter("I", "x" * 5000)})
    with archives.Archive(path) as archive:
        archive._left = 1000
        with pytest.raises(OversizedEpub):
            archive.read("OEBPS/a.xhtml")


def test_a_member_that_points_out_of_the_archive_names_nothing(tmp_path: Path) -> None:
    outside = tmp_path / "secret.xhtml"
    outside.write_text(document("<p>secret</p>"))
    path = tmp_path / "book.epub"
    opf = '<package><manifest><item id="a" href="../../{}"/></manifest><spine><itemref idref="a"/></spine></package>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OEBPS/content.opf", opf.format(str(outside).lstrip("/")))
    with pytest.raises(InvalidEpub, match="missing from it"):
        read_source(path)


def test_an_entity_bomb_is_not_expanded(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    declared = f'<!DOCTYPE html [<!ENTITY l0 "ha">{entities}<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    bomb = f"{declared}<html><body><p>a &l11; &file; b</p></body></html>"
    text = read_source(epub(tmp_path, {"a": bomb}))[0].text
    assert len(text) < 40


@pytest.mark.timeout(300)
def test_markup_nested_without_end_is_read(tmp_path: Path) -> None:
    body = "<div>" * 20_000 + "<p>deep</p>" + "</div>" * 20_000
    assert read_source(epub(tmp_path, {"a": document(body)}))[0].text == "deep"


def test_a_damaged_member_is_refused_by_name(tmp_path: Path) -> None:
    path = epub(tmp_path, {"a": chapter("I", "text " * 500)})
    data = path.read_bytes()
    at = data.find(b"OEBPS/a.xhtml") + 40
    path.write_bytes(data[:at] + b"\x00\xff\x00\xff" + data[at + 4 :])
    with pytest.raises(InvalidEpub, match="damaged"):
        read_source(path)


def test_an_address_that_is_none_names_nothing(tmp_path: Path) -> None:
    guide = '<guide><reference type="text" href="http://[bad"/></guide>'
    source = epub(tmp_path, {"a": chapter("I"), "b": chapter("II")}, nav=[("http://[bad", "Chapter 1")], guide=guide)
    assert [c.number for c in read_source(source)] == [1, 2]


WHOLE = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/content.opf": '<package><manifest><item id="a" href="a.xhtml"/><item id="n" href="n.xhtml" properties="nav"/>'
    '</manifest><spine><itemref idref="a"/></spine><guide><reference href="a.xhtml" type="text"/></guide></package>',
    "OEBPS/a.xhtml": chapter("I"),
    "OEBPS/n.xhtml": document('<nav epub:type="toc"><a href="a.xhtml#x">Chapter 1</a></nav>'),
}
SHARDS = (
    "<",
    ">",
    "&",
    '"',
    "'",
    "\0",
    "[",
    "%zz",
    "://",
    "http://[",
    "&#x110000;",
    "<![CDATA[",
    "<!DOCTYPE",
    "../",
    "",
)


@given(st.sampled_from(sorted(WHOLE)), st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_part_is_broken_is_read_or_refused(tmp_path: Path, member: str, data: st.DataObject) -> None:
    text = WHOLE[member]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    broken = text[:start] + data.draw(st.sampled_from(SHARDS)) + text[end:]
    with zipfile.ZipFile(tmp_path / "book.epub", "w") as archive:
        for name, content in {**WHOLE, member: broken}.items():
            archive.writestr(name, content)
    with suppress(ImportRefused):
        assert read_source(tmp_path / "book.epub")
