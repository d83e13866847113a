"""HTML that is escaped by construction."""

from __future__ import annotations

from services.console.markup import address, document, link, table, tag


def test_text_is_never_markup() -> None:
    assert tag("p", "<script>alert(1)</script>").html == "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"


def test_an_attribute_cannot_be_left() -> None:
    assert tag("a", "x", href='"><script>').html == '<a href="&quot;&gt;&lt;script&gt;">x</a>'


def test_a_link_encodes_its_path_and_its_query() -> None:
    assert address("stories", "a/b?c#d", "history", key="owner(a&b)", at=None) == (
        "/stories/a%2Fb%3Fc%23d/history?key=owner%28a%26b%29"
    )


def test_half_a_surrogate_pair_breaks_no_page() -> None:
    assert b"</html>" in document("x\ud83d", link("y\ud83d", "stories", "\ud83d", key="\ud83d"))


def test_a_table_without_rows_is_a_sentence() -> None:
    assert table(("a",), (), "Nothing.").html == '<p class="empty">Nothing.</p>'
