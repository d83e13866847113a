"""How large the measured stories are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Each number is that of one measure, see the module that takes it."""

    appended_chapters: int = 100
    """Chapters of 60 records appended by the ledger and by the bare recorder in turn."""
    followed_chapters: int = 300
    """Chapters of 60 records that the read models follow."""
    library_events: int = 2_000
    """Events that the library's own runner processes."""
    rebuilt_chapters: int = 400
    """Chapters of 60 records in each of the stories that are rebuilt."""
    rebuilt_events: int = 200_000
    waited_chapters: int = 60
    """Chapters published with waiting, on top of as many without."""
    live_entries: int = 5_000
    state_reads: int = 200
    packet_chapters: int = 500
    packet_words: int = 1_200
    packet_questions: int = 40
    curve_chapters: int = 600
    edited_chapters: int = 500
    long_characters: int = 2_000_000
    embedders: tuple[str, ...] = ("hash", "minilm")


QUICK: Final = Sizes(
    appended_chapters=40,
    followed_chapters=80,
    library_events=800,
    rebuilt_chapters=200,
    rebuilt_events=50_000,
    waited_chapters=20,
    state_reads=60,
    packet_chapters=60,
    packet_words=600,
    packet_questions=12,
    curve_chapters=120,
    edited_chapters=100,
    long_characters=200_000,
)
DEFAULT: Final = Sizes()
FULL: Final = Sizes(
    appended_chapters=200, followed_chapters=500, rebuilt_chapters=800, rebuilt_events=1_000_000, curve_chapters=2_000
)
