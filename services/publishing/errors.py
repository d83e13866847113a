"""What can go wrong when a chapter is published.

FabulaError
├── Unavailable
│   ├── NotSentYet          the publication is kept; nobody takes it in just now; it will be sent
│   └── NotTakenInYet       the publication is kept and sent; nobody took it in within the time
└── PublicationDead         it could not be taken in; it is kept as a dead letter
"""

from __future__ import annotations

from events.errors import FabulaError, Unavailable


class NotSentYet(Unavailable):
    """Nobody takes the publication in just now. It is kept and will be sent; publishing again is harmless."""

    title = "The publication is kept and will be sent"
    slug = "not-sent-yet"

    def __init__(self, story: str, sequence: int, chapter: int, reason: str) -> None:
        super().__init__(
            f"Publication {story}/{sequence} (chapter {chapter}) is kept, but was not taken in: {reason.rstrip('. ')}. "
            "It will be once that is put right, by the worker, by `fabula serve` or by the next command that writes; "
            "there is no need to publish it again."
        )
        self.story = story
        self.sequence = sequence
        self.chapter = chapter


class NotTakenInYet(Unavailable):
    """Nobody took the publication in within the time. It is kept; publishing again is harmless."""

    title = "The publication has not been taken in yet"
    slug = "not-taken-in-yet"

    def __init__(self, story: str, sequence: int, chapter: int, seconds: float) -> None:
        super().__init__(
            f"Publication {story}/{sequence} (chapter {chapter}) is kept, but no worker took it in within {seconds:g} s. "
            "Start `fabula worker`, or look at its log; there is no need to publish it again."
        )
        self.story = story
        self.sequence = sequence
        self.chapter = chapter


class PublicationDead(FabulaError):
    """Taking the publication in failed for good. It is kept as a dead letter, to be retried or discarded."""

    title = "The publication could not be taken in"
    slug = "publication-dead"

    def __init__(self, story: str, sequence: int, chapter: int, reason: str) -> None:
        super().__init__(
            f"Publication {story}/{sequence} (chapter {chapter}) could not be taken in: {reason} "
            "It is kept as a dead letter: retry it once the cause is removed, discard it, or publish another text."
        )
        self.story = story
        self.sequence = sequence
        self.chapter = chapter
        self.reason = reason
