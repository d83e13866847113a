"""Paragraphs, scenes, quotations and languages of the offline extractor: what is decided without a parser."""

from __future__ import annotations

import pytest

from services.extraction.offline.language import parsed_language
from services.extraction.offline.paragraphs import Span, chunks, is_heading, paragraphs
from services.extraction.offline.quotations import quotations
from services.extraction.offline.scenes import scenes


def texts_of(text: str, spans: list[Span]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def spoken(text: str) -> list[str]:
    return texts_of(text, quotations(text, paragraphs(text)).spans)


def test_paragraphs_are_set_apart_by_blank_lines_and_wrapped_lines_stay_together() -> None:
    text = "  One\nwraps.\n \t\nTwo.\n\n\n\nThree.\n"
    assert texts_of(text, paragraphs(text)) == ["One\nwraps.", "Two.", "Three."]


def test_long_lines_without_blank_ones_are_paragraphs() -> None:
    text = (
        "Mara waited at the ferry until the lamps were lit along the whole of the quay. " * 2
        + "\nTomas came.\nBo left."
    )
    assert len(paragraphs(text)) == 3


def test_chunks_hold_whole_paragraphs_up_to_the_size() -> None:
    text = "\n\n".join(["word " * 8 + "end."] * 10)
    pieces = list(chunks(text, paragraphs(text), size=100))
    assert max(end - start for start, end in pieces) <= 100
    assert all(text[start:end].startswith("word") and text[start:end].endswith("end.") for start, end in pieces)


@pytest.mark.parametrize("text", ["One two three. " * 40, "word " * 200, "x" * 900])
def test_a_paragraph_beyond_the_size_is_cut_without_losing_any_of_it(text: str) -> None:
    pieces = list(chunks(text, paragraphs(text), size=100))
    assert max(end - start for start, end in pieces) <= 100
    assert "".join(text[start:end] for start, end in pieces) == text.strip()


@pytest.mark.parametrize(
    "line", ["Chapter One", "IV", "The Old Sea-Dog at the Admiral Benbow", "12", "Mina Murray’s Journal"]
)
def test_a_short_line_of_capitals_is_a_heading(line: str) -> None:
    assert is_heading(line, Span(0, len(line)))


@pytest.mark.parametrize("line", ["Mara left the house.", "“Mara Voss!”", "No, Mara!"])
def test_a_short_sentence_is_no_heading(line: str) -> None:
    assert not is_heading(line, Span(0, len(line)))


@pytest.mark.parametrize("ornament", ["* * *", "***", "---", "#", "⁂", "<hr/>", "~"])
def test_an_ornament_between_paragraphs_begins_a_scene(ornament: str) -> None:
    text = f"Mara left.\n\n{ornament}\n\nTomas came.\n\nHe sat."
    assert texts_of(text, scenes(text, paragraphs(text))) == ["Mara left.", "Tomas came.\n\nHe sat."]


def test_an_ornament_at_either_end_begins_no_scene() -> None:
    text = "***\n\nMara left.\n\n***"
    assert texts_of(text, scenes(text, paragraphs(text))) == ["Mara left."]


@pytest.mark.parametrize(
    ("text", "speech"),
    [
        ("“Go,” said Mara, “now.” He went.", ["“Go,”", "“now.”"]),
        ('"Go," said Mara. "Now!"', ['"Go,"', '"Now!"']),
        ("«Va», dit Mara.", ["«Va»"]),
        ("„Geh“, sagte Mara.", ["„Geh“"]),
        ("「行け」とマラは言った。", ["「行け」"]),
        ("“I never closed this.\n\n“Nor this,” said Mara.", ["“I never closed this.", "“Nor this,”"]),
        ("He slept at the “Black Swan” that night.", []),
        ("It was Mara's and Tomas' boat.", []),
    ],
)
def test_speech_is_what_quotation_marks_hold(text: str, speech: list[str]) -> None:
    assert spoken(text) == speech


def test_single_marks_hold_speech_where_double_ones_are_not_used() -> None:
    text = "‘Go,’ said Mara. ‘It isn’t far.’ ‘The boys’ boat?’ ‘Yes.’ It was Tomas’ own."
    assert spoken(text) == ["‘Go,’", "‘It isn’t far.’", "‘The boys’ boat?’", "‘Yes.’"]


def test_an_apostrophe_is_no_speech_in_a_text_of_double_marks() -> None:
    assert spoken("“Go,” said Mara. 'Twas late. “Now,” said Bo.") == ["“Go,”", "“Now,”"]


@pytest.mark.parametrize("language", ["en", "EN", "en-GB", "en_US"])
def test_english_is_parsed_under_any_of_its_tags(language: str) -> None:
    assert parsed_language("Mara left the house.", language) == "en"


def test_a_text_that_is_not_english_is_not_parsed_as_english() -> None:
    assert parsed_language("Mara quitta la maison et marcha vers le port sous une pluie froide. " * 8, "en") is None


def test_a_language_without_pipeline_is_not_parsed() -> None:
    assert parsed_language("Mara quitta la maison.", "fr") is None
