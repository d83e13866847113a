"""Which words tell of something that happens."""

from __future__ import annotations

import pytest

from services.extraction.offline import OfflineExtractor


def happenings(text: str) -> set[str]:
    return {text[a:b] for a, b in OfflineExtractor().read(text).triggers}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Mara could hear the river.", {"hear"}),
        ("Mara was there, looking at the river.", {"looking"}),
        ("Mara saw the boy run to the door.", {"saw", "run"}),
        ("Mara started and looked up.", {"started", "looked"}),
        ("Mara left after a long quarrel.", {"left", "quarrel"}),
        ("“I wonder,” said Mara.", {"wonder", "said"}),
    ],
)
def test_what_happens_is_found(text: str, told: set[str]) -> None:
    assert happenings(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Mara could not hear the river.",
        "Mara might sing.",
        "Mara always sang.",
        "The houses were built of stone.",
        "I do not wonder.",
        "Although Mara sang, it was late.",
    ],
)
def test_what_is_denied_supposed_usual_or_a_state_is_not(text: str) -> None:
    assert happenings(text) == set()
