"""Evidence is found although typography differs, and only where the text really has it."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from events.evidence import Span, TextIndex, clean_text, folded
from events.folding import fold, is_grapheme_boundary


def find(text: str, quote: str, start: int | None = None, end: int | None = None) -> str | None:
    span = TextIndex(text).locate(quote=quote, start=start, end=end)
    return None if span is None else text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        pytest.param("She shut the door.", "shut the door", "shut the door", id="letter for letter"),
        pytest.param("She shut\n  the\tdoor.", "shut the door", "shut\n  the\tdoor", id="line break and tab"),
        pytest.param("She shut\u00a0the door.", "shut the door", "shut\u00a0the door", id="no-break space"),
        pytest.param(
            "She shut \u200bthe do\u200bor.", "shut the door", "shut \u200bthe do\u200bor", id="zero-width space"
        ),
        pytest.param("a lamp\u00adlighter came", "lamplighter", "lamp\u00adlighter", id="soft hyphen"),
        pytest.param(
            "a lamp\u00ad\nlighter came", "lamplighter", "lamp\u00ad\nlighter", id="soft hyphen at a line end"
        ),
        pytest.param(
            "\u201cIt\u2019s late,\u201d he said",
            '"It\'s late," he',
            "\u201cIt\u2019s late,\u201d he",
            id="curly quotes",
        ),
        pytest.param("\u00abNein\u00bb, sagte er", '"Nein", sagte', "\u00abNein\u00bb, sagte", id="guillemets"),
        pytest.param(
            "\u300c\u884c\u3053\u3046\u300d\u3068",
            '"\u884c\u3053\u3046"',
            "\u300c\u884c\u3053\u3046\u300d",
            id="CJK brackets",
        ),
        pytest.param(
            "\u300e\u884c\u3053\u3046\u300f\u3068",
            "'\u884c\u3053\u3046'",
            "\u300e\u884c\u3053\u3046\u300f",
            id="nested CJK brackets",
        ),
        pytest.param(
            "the key\u2014his key", "the key -- his key", "the key\u2014his key", id="em dash and two hyphens"
        ),
        pytest.param("pages 3\u20134 gone", "pages 3-4", "pages 3\u20134", id="en dash"),
        pytest.param("at \u22124 degrees", "at -4 degrees", "at \u22124 degrees", id="minus"),
        pytest.param("and then\u2026 nothing", "then... nothing", "then\u2026 nothing", id="ellipsis character"),
        pytest.param("and then . . . nothing", "then\u2026 nothing", None, id="a space before the ellipsis is a space"),
        pytest.param("and then. . . nothing", "then\u2026 nothing", "then. . . nothing", id="spaced ellipsis"),
        pytest.param("the \ufb01re o\ufb03ce", "the fire office", "the \ufb01re o\ufb03ce", id="ligatures"),
        pytest.param("a cafe\u0301 door", "caf\u00e9 door", "cafe\u0301 door", id="decomposed text, composed quote"),
        pytest.param("a caf\u00e9 door", "cafe\u0301 door", "caf\u00e9 door", id="composed text, decomposed quote"),
        pytest.param("\uff21\uff22\uff11", "AB1", "\uff21\uff22\uff11", id="full width"),
        pytest.param(
            "\u1112\u1161\u11ab\u1100\u116e\u11a8",
            "\ud55c\uad6d",
            "\u1112\u1161\u11ab\u1100\u116e\u11a8",
            id="conjoining jamo",
        ),
        pytest.param(
            "\u4ed6\u628a\u94a5\u5319\u7ed9\u4e86\u5979\u3002",
            "\u4ed6 \u628a\u94a5\u5319 \u7ed9\u4e86",
            "\u4ed6\u628a\u94a5\u5319\u7ed9\u4e86",
            id="CJK quote with spaces",
        ),
        pytest.param(
            "\u4ed6\u628a\n\u94a5\u5319\u3000\u7ed9\u4e86\u5979",
            "\u628a\u94a5\u5319\u7ed9",
            "\u628a\n\u94a5\u5319\u3000\u7ed9",
            id="CJK text with line breaks",
        ),
        pytest.param("THE LAMP went out", "the lamp went", "THE LAMP went", id="case"),
        pytest.param("Stra\u00dfe 4 is DARK", "STRASSE 4", "Stra\u00dfe 4", id="case that changes length"),
        pytest.param(
            "\U0001f469\u200d\U0001f467 ran\u2014fast",
            "\U0001f469\u200d\U0001f467 ran-fast",
            "\U0001f469\u200d\U0001f467 ran\u2014fast",
            id="ZWJ emoji",
        ),
    ],
)
def test_a_quote_is_found_across_typography(text: str, quote: str, found: str | None) -> None:
    assert find(text, quote) == found


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        pytest.param("She shut the door.", "She locked the door", id="other words"),
        pytest.param("She shut the door.", "shutthe door", id="words run together"),
        pytest.param("a caf\u00e9 door", "cafe door", id="an accent less"),
        pytest.param("the \ufb01re", "ire", id="half a ligature"),
        pytest.param("\u201cNo\u201d", "'No'", id="single marks for double"),
        pytest.param("\uac01", "\u1100\u1161", id="a syllable without its final"),
        pytest.param("some text", "", id="empty quote"),
        pytest.param("some text", " \n\u200b", id="blank quote"),
        pytest.param("", "text", id="empty text"),
    ],
)
def test_a_quote_the_text_does_not_have_is_not_found(text: str, quote: str) -> None:
    assert find(text, quote) is None


def test_without_offsets_the_first_occurrence_is_meant() -> None:
    assert TextIndex("lamp, lamp, lamp").locate(quote="lamp", start=None, end=None) == Span(0, 4)


def test_an_exact_occurrence_is_preferred_to_an_earlier_variant() -> None:
    assert TextIndex('\u201clamp\u201d "lamp"').locate(quote='"lamp"', start=None, end=None) == Span(7, 13)


def test_offsets_that_agree_with_the_quote_are_kept() -> None:
    assert TextIndex("lamp, lamp, lamp").locate(quote="lamp", start=6, end=10) == Span(6, 10)


def test_offsets_agree_with_a_quote_of_other_typography() -> None:
    assert TextIndex('"a" and \u201ca\u201d').locate(quote='"a"', start=8, end=11) == Span(8, 11)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(7, 11, 6), (5, 9, 6), (11, 15, 12), (999, 1003, 12), (-5, 2, 0), (9, None, 6), (4, 4, 6), (3, 7, 0)],
)
def test_offsets_that_disagree_give_the_nearest_occurrence(start: int, end: int | None, expected: int) -> None:
    assert TextIndex("lamp, lamp, lamp").locate(quote="lamp", start=start, end=end) == Span(expected, expected + 4)


def test_the_nearest_occurrence_may_be_a_variant() -> None:
    text = '"a" ' + "x" * 500 + " \u201ca\u201d"
    assert TextIndex(text).locate(quote='"a"', start=500, end=503) == Span(505, 508)


def test_the_nearest_occurrence_is_found_far_before_the_offset() -> None:
    text = "lamp lamp " + "x" * 5000
    assert TextIndex(text).locate(quote="lamp", start=4900, end=4904) == Span(5, 9)


@pytest.mark.parametrize(
    ("start", "end"),
    [(None, None), (0, None), (None, 4), (3, 3), (5, 2), (-1, 3), (0, 99), (4, 6)],
    ids=["neither", "no end", "no start", "empty", "reversed", "negative", "beyond the text", "blank"],
)
def test_offsets_alone_that_hold_nothing_are_refused(start: int | None, end: int | None) -> None:
    assert TextIndex("lamp  lit").locate(quote=None, start=start, end=end) is None


def test_offsets_alone_are_taken_as_they_are() -> None:
    assert TextIndex("lamp  lit").locate(quote=None, start=0, end=7) == Span(0, 7)


@pytest.mark.parametrize(
    ("text", "start", "end", "whole"),
    [
        pytest.param("xe\u0301\u0323y", 2, 3, Span(1, 4), id="combining marks"),
        pytest.param("a\U0001f469\u200d\U0001f467b", 1, 2, Span(1, 4), id="joined emoji"),
        pytest.param("\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea", 2, 3, Span(2, 4), id="flag"),
        pytest.param("\U0001f44d\U0001f3fd!", 0, 1, Span(0, 2), id="skin tone"),
        pytest.param("\u2764\ufe0f!", 0, 1, Span(0, 2), id="variation selector"),
    ],
)
def test_offsets_inside_a_visible_character_are_moved_to_its_ends(text: str, start: int, end: int, whole: Span) -> None:
    assert TextIndex(text).locate(quote=None, start=start, end=end) == whole


def test_an_occurrence_that_cuts_a_combining_sequence_is_passed_over_for_a_whole_one() -> None:
    assert TextIndex("cafe\u0301 or cafe").locate(quote="cafe", start=None, end=None) == Span(9, 13)


texts = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "ab \n.-\u2014\u2026'\"\u201c\u201d\u00ad\u200b\u200d\ufe0f\u0301\u0323e\u00e9\ufb01"
            "\u4f60\u597d\u3002\u30cf\u3099\u1112\u1161\u11ab\uac00\U0001f469\U0001f1eb\u00b4\uff0c"
        ),
        st.characters(),
    ),
    max_size=40,
)


@given(text=texts, data=st.data())
def test_any_piece_of_a_text_is_found_with_equal_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    assume(folded(quote))
    assert find(text, quote) == quote


@given(text=texts, data=st.data())
def test_what_is_found_folds_to_the_folded_quote(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = data.draw(st.sampled_from([folded(text[start:end]), text[start:end].replace(" ", "\n"), text[start:end]]))
    found = find(text, quote)
    assert found is None or folded(found) == folded(quote) or folded(found).casefold() == folded(quote).casefold()


@given(text=texts, data=st.data())
def test_offsets_alone_give_whole_visible_characters_around_them(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assume(folded(text[start:end]))
    span = TextIndex(text).locate(quote=None, start=start, end=end)
    assert span is not None
    assert span.start <= start < end <= span.end
    assert [is_grapheme_boundary(text, offset) for offset in (span.start, span.end)] == [True, True]


@given(text=texts)
def test_the_folding_maps_every_character_into_the_text_in_order(text: str) -> None:
    folding = fold(text)
    assert len(folding.text) == len(folding.starts) == len(folding.ends)
    assert all(0 <= s < e <= len(text) for s, e in zip(folding.starts, folding.ends, strict=True))
    assert list(folding.starts) == sorted(folding.starts)


@given(text=texts)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("\u201cWell,\u201d she said\u2014and the lamp went out\u2026 so it\u2019s dark. ", id="English"),
        pytest.param("\u4ed6\u628a\u94a5\u5319\u7ed9\u4e86\u5979\u3002\u300c\u8d70\u5427\uff01\u300d", id="Chinese"),
        pytest.param("cafe\u0301 nai\u0308ve e\u0301te\u0301 ", id="decomposed French"),
        pytest.param("\ud55c\uad6d\uc5b4 \ubb38\uc7a5\uc774\ub2e4. ", id="Korean"),
    ],
)
@pytest.mark.timeout(300)
def test_a_text_of_the_largest_size_is_indexed(sentence: str) -> None:
    text = (sentence * (2_000_000 // len(sentence) + 1))[: 2_000_000 - 12] + "the last one"
    span = TextIndex(text).locate(quote="The  LAST one", start=None, end=None)
    assert span == Span(1_999_988, 2_000_000)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("piece", ["a", "e\u0301"], ids=["one letter", "a combining sequence"])
def test_a_repetitive_text_cannot_make_the_search_quadratic(piece: str) -> None:
    text = piece * 500_000
    TextIndex(text).locate(quote=piece * 100_000 + "b", start=len(text), end=None)
    TextIndex(text).locate(quote=text[1:200_000], start=len(text) - 1, end=None)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        pytest.param("a\0b", "ab", id="NUL"),
        pytest.param("a\ud83db", "a\ufffdb", id="lone high surrogate"),
        pytest.param("a\ude00b", "a\ufffdb", id="lone low surrogate"),
        pytest.param("a\ud83d", "a\ufffd", id="high surrogate at the end"),
        pytest.param("\ud83d\ude00", "\U0001f600", id="a character in two halves"),
        pytest.param("\ufeffab\ufeff", "ab\ufeff", id="leading BOM"),
        pytest.param("a\r\nb\rc\n", "a\nb\nc\n", id="line ends"),
        pytest.param("e\u0301", "e\u0301", id="normal form is the author's"),
        pytest.param("\U0001f469\u200d\U0001f467", "\U0001f469\u200d\U0001f467", id="joined emoji"),
    ],
)
def test_a_chapter_text_is_cleaned_of_what_cannot_be_stored(text: str, clean: str) -> None:
    assert clean_text(text) == clean


@given(text=st.text(alphabet=st.sampled_from("a\0\r\n\ufeff\ud83d\ude00"), max_size=12))
def test_a_clean_text_is_encodable_and_stays_as_it_is(text: str) -> None:
    clean = clean_text(text)
    assert clean.encode("utf-8").decode("utf-8") == clean
    assert clean_text(clean) == clean
