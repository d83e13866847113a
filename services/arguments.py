"""Arguments as users write them, on the command line and in a URL alike, made into what the services take.

Raises InvalidInput for what cannot be meant; whether a story or a checkpoint exists is for the services to say.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from events.errors import InvalidInput
from events.ids import MAX_CHAPTER

MAX_POSITION: Final = 2**63 - 1
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


def chapter(value: str) -> int:
    """The number of a chapter: a whole number from 1."""
    if not _WHOLE.fullmatch(value.strip()):
        raise InvalidInput(f"the chapter is {_shown(value)}; give a whole number from 1, such as 3")
    return _from_one("the chapter", value)


def checkpoint(value: str | None) -> int | str | None:
    """A reader's place: the number of a chapter, or the name of a checkpoint; None is the last chapter."""
    if value is None:
        return None
    if _WHOLE.fullmatch(value.strip()):
        return _from_one("the checkpoint", value)
    if not value.strip() or _NUMBER.fullmatch(value.strip()):
        raise InvalidInput(
            f"the checkpoint is {_shown(value)}; give the number of a chapter, from 1, or the name of a checkpoint"
        )
    return text("the checkpoint", " ".join(value.split()))  # as it was named: see `checkpoint_name`


def moment(value: str | None) -> int | str | None:
    """What was believed when: a position of the log, or an ISO 8601 time as text; None is now."""
    if value is None:
        return None
    # a "+" of a time zone arrives as a space when a URL was not encoded
    stripped = re.sub(r" (\d\d:?\d\d)$", r"+\1", value.strip())
    if _WHOLE.fullmatch(stripped):
        return position("as_recorded", stripped)
    try:
        datetime.fromisoformat(stripped)
    except ValueError:
        raise InvalidInput(
            f"as_recorded is {_shown(value)}; give a position of the log, such as 412, or a time, such as "
            "2026-05-03T12:00:00Z"
        ) from None
    return stripped


def position(what: str, value: str) -> int:
    """A place in the log: a whole number from 0."""
    if not _WHOLE.fullmatch(value.strip()) or len(value.strip()) > 20 or not 0 <= int(value) <= MAX_POSITION:
        raise InvalidInput(f"{what} is {_shown(value)}; give a position of the log, a whole number from 0")
    return int(value)


def two_positions(value: str) -> tuple[int, int]:
    """Two places in the log, `12,40` or `12..40`, in the order given."""
    parts = re.split(r"\.\.|,|\s+", value.strip())
    if len(parts) != 2:
        raise InvalidInput(f"`between` is {_shown(value)}; give two positions of the log, such as 12,40")
    return position("the first position", parts[0]), position("the second position", parts[1])


def text(what: str, value: str) -> str:
    """A name or another short text that goes into a query."""
    if "\0" in value:
        raise InvalidInput(f"{what} has a NUL character; remove it")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{what} is no valid Unicode text; give it in UTF-8") from None
    return value


def optional_text(what: str, value: str | None) -> str | None:
    return None if value is None else text(what, value)


def one_of(what: str, value: str, choices: tuple[str, ...]) -> str:
    """One of a few words."""
    if value not in choices:
        raise InvalidInput(f"{what} is {_shown(value)}; give {' or '.join(choices)}")
    return value


def _from_one(what: str, value: str) -> int:
    if len(value.strip()) > 12 or not 1 <= int(value) <= MAX_CHAPTER:
        raise InvalidInput(f"{what} is {_shown(value)}; chapters are numbered from 1 to {MAX_CHAPTER}")
    return int(value)


def _shown(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:39] + "…")
