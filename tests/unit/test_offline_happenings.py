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
        ("Having locked the door, Mara left.", {"locked", "left"}),
        ("Mara found the key by opening the drawer.", {"found", "opening"}),
        ("Mara came in, weeping and calling for the old man.", {"came", "weeping", "calling"}),
        ("Mara watched the boy climbing the wall.", {"watched", "climbing"}),
        ("Mara heard cries from the river.", {"heard", "cries"}),
        ("The wind shook the door.", {"wind", "shook"}),
        ("Mara turned with tears to the old man.", {"turned", "tears"}),
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
        "Mara may make a journey to the river.",
        "The dress was for the dinner.",
        "Before singing, one must be able to read.",
        "There was no noise.",
    ],
)
def test_what_is_denied_supposed_usual_or_a_state_is_not(text: str) -> None:
    assert happenings(text) == set()
