"""What users write as chapter, checkpoint, position or moment is what the services take, or is refused."""

from __future__ import annotations

import pytest

from events.errors import InvalidInput
from services import arguments


@pytest.mark.parametrize(
    ("written", "meant"),
    [(None, None), ("9", 9), (" 9 ", 9), ("finale", "finale"), ("1000000", 1_000_000), ("1a", "1a")],
)
def test_a_checkpoint_is_a_chapter_or_a_name(written: str | None, meant: int | str | None) -> None:
    assert arguments.checkpoint(written) == meant


@pytest.mark.parametrize("written", ["0", "-1", "1000001", "9" * 5000, "", " ", "1.5", "1e3", "nan", "-inf", "a\0b"])
def test_what_is_no_checkpoint_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        arguments.checkpoint(written)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (None, None),
        ("412", 412),
        ("0", 0),
        ("2026-05-03T12:00:00Z", "2026-05-03T12:00:00Z"),
        ("2026-05-03", "2026-05-03"),
        ("2026-05-03T12:00:00 02:00", "2026-05-03T12:00:00+02:00"),
    ],
)
def test_a_moment_is_a_position_or_a_time(written: str | None, meant: int | str | None) -> None:
    assert arguments.moment(written) == meant


@pytest.mark.parametrize("written", ["-1", "yesterday", "", "9" * 30, "2026-13-01"])
def test_what_is_no_moment_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        arguments.moment(written)


@pytest.mark.parametrize("written", ["12,40", "12..40", "12 40"])
def test_two_positions_are_given_together(written: str) -> None:
    assert arguments.two_positions(written) == (12, 40)


@pytest.mark.parametrize("written", ["12", "1,2,3", "a,b", ""])
def test_what_is_not_two_positions_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        arguments.two_positions(written)


@pytest.mark.parametrize("written", ["0", "x", "1.0", "", "٣"])
def test_what_is_no_chapter_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        arguments.chapter(written)


@pytest.mark.parametrize("written", ["a\0b", "\ud83d"])
def test_text_that_no_database_takes_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        arguments.text("the name", written)
