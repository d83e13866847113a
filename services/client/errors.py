"""What can go wrong when a Fabula is asked over HTTP.

ClientError
├── NoAnswer                 nobody answered at the address
│   └── TooSlow              the answer did not come within the time
├── NotAnAnswer              what answers at the address is no Fabula
└── Problem                  the server says what is wrong, as a problem document (RFC 9457)
    ├── Refused              what was asked cannot be done; the detail says what to do instead
    │   ├── InvalidInput     422, 400, 413
    │   │   ├── InvalidChapter
    │   │   ├── InvalidRecords
    │   │   └── InvalidName
    │   ├── NotFound         404
    │   │   ├── UnknownStory
    │   │   ├── UnknownChapter
    │   │   ├── UnknownEntity
    │   │   └── UnknownCheckpoint
    │   └── Conflict         409
    └── Failed               the server could not; nothing was half done
        └── Unavailable      503
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

PREFIX: Final = "urn:fabula:problem:"


class ClientError(Exception):
    """The root of all that the client raises."""


class NoAnswer(ClientError):
    """Nobody answered."""


class TooSlow(NoAnswer):
    """The answer did not come within the time; what was asked may be done all the same."""


class NotAnAnswer(ClientError):
    """Something answered that is no Fabula."""


class Problem(ClientError):
    """A problem document. `str(error)` is its `detail`, which says what to do; `document` has all of it."""

    slug: ClassVar[str] = ""
    statuses: ClassVar[tuple[int, ...]] = ()

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        super().__init__(str(document.get("detail") or document.get("title") or f"status {status}"))
        self.status = status
        self.document = dict(document)

    @property
    def kind(self) -> str:
        """What kind of problem it is, in a word such as `unknown-story`."""
        return str(self.document.get("type", "")).removeprefix(PREFIX)

    @property
    def title(self) -> str:
        return str(self.document.get("title", ""))

    @property
    def detail(self) -> str:
        return str(self)


class Refused(Problem):
    pass


class InvalidInput(Refused):
    slug = "invalid-input"
    statuses = (400, 413, 422)


class InvalidChapter(InvalidInput):
    slug = "invalid-chapter"


class InvalidRecords(InvalidInput):
    slug = "invalid-records"


class InvalidName(InvalidInput):
    slug = "invalid-name"


class NotFound(Refused):
    slug = "unknown"
    statuses = (404,)


class UnknownStory(NotFound):
    slug = "unknown-story"


class UnknownChapter(NotFound):
    slug = "unknown-chapter"


class UnknownEntity(NotFound):
    slug = "unknown-entity"


class UnknownCheckpoint(NotFound):
    slug = "unknown-checkpoint"


class Conflict(Refused):
    slug = "conflict"
    statuses = (409,)


class Failed(Problem):
    pass


class Unavailable(Failed):
    slug = "unavailable"
    statuses = (503,)


_SPECIFIC: Final[tuple[type[Problem], ...]] = (
    InvalidChapter,
    InvalidRecords,
    InvalidName,
    UnknownStory,
    UnknownChapter,
    UnknownEntity,
    UnknownCheckpoint,
)
_GENERAL: Final[tuple[type[Problem], ...]] = (InvalidInput, NotFound, Conflict, Unavailable)


def problem(status: int, document: Mapping[str, Any]) -> Problem:
    """The error of a problem document: by its type, else by its status."""
    slug = str(document.get("type", "")).removeprefix(PREFIX)
    for each in _SPECIFIC:
        if each.slug == slug:
            return each(status, document)
    for each in _GENERAL:
        if status in each.statuses:
            return each(status, document)
    return (Refused if status < 500 else Failed)(status, document)
