"""Failpoints: faults asked for from outside; nothing where none was asked for."""

from __future__ import annotations

import time

import pytest

from events.errors import InvalidInput, Unavailable
from services.extraction import failpoints
from services.extraction.failpoints import FaultCaused, parse


@pytest.fixture(autouse=True)
def no_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failpoints, "_faults", [])


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(failpoints, "_faults", parse(text))


def test_nothing_happens_unless_asked_for() -> None:
    failpoints.hit("extract", "a", 1)


def test_a_fault_concerns_its_story_and_chapter_only(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, "extract=fail@a/3")
    failpoints.hit("extract", "a", 2)
    failpoints.hit("extract", "b", 3)
    failpoints.hit("before_append", "a", 3)
    with pytest.raises(FaultCaused):
        failpoints.hit("extract", "a", 3)


def test_a_fault_happens_as_often_as_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, "extract=unavailable#2")
    for _ in range(2):
        with pytest.raises(Unavailable):
            failpoints.hit("extract", "a", 1)
    failpoints.hit("extract", "a", 1)


def test_a_stall_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, "extract=stall:0.05")
    start = time.monotonic()
    failpoints.hit("extract", "a", 1)
    assert time.monotonic() - start >= 0.05


@pytest.mark.parametrize("text", ["extract", "extract=explode", "=kill", "extract=kill#x"])
def test_what_is_no_fault_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="FABULA_FAILPOINTS"):
        parse(text)
