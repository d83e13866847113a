"""What the calls of a model are for: said by whoever makes them, read where they are paid. It needs no model's client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

WHOLE: Final = 0
"""The chapter of a reply that was shown something of the story as a whole: it goes with the first chapter that is taken down."""


@dataclass(frozen=True, slots=True)
class About:
    """What a call is for: the story, the chapter `at` which it is entered, and those whose text it shows the model.

    What is taken down with one of `chapters` takes the reply along; `WHOLE` among them: with any of the story.
    """

    story: str
    at: int
    chapters: tuple[int, ...]


NOTHING: Final = About("", 0, ())
_ABOUT: Final[ContextVar[About]] = ContextVar("about", default=NOTHING)


@contextmanager
def about(story: str, at: int, chapters: Iterator[int] | tuple[int, ...] = (WHOLE,)) -> Iterator[None]:
    """The calls that this thread makes inside are for these chapters of the story."""
    token = _ABOUT.set(About(story, at, tuple(sorted(set(chapters)))))
    try:
        yield
    finally:
        _ABOUT.reset(token)


def purpose() -> About:
    """What this thread's calls are for now; `NOTHING` where nobody has said it."""
    return _ABOUT.get()
