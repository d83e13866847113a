"""The error tree of the domain.

FabulaError
├── DomainRefusal            what was asked cannot be done; the message says what to do (exit status 1, a 4xx problem)
│   ├── InvalidInput         the input breaks the contract (422)
│   │   ├── InvalidChapter
│   │   ├── InvalidRecords
│   │   └── InvalidName
│   ├── Unknown              nothing of that name (404)
│   │   ├── UnknownStory
│   │   ├── UnknownChapter
│   │   ├── UnknownEntity
│   │   └── UnknownCheckpoint
│   └── Conflict             it contradicts what is recorded (409)
└── Unavailable              a service that is needed did not answer (503)
    ├── Postponed            it is not done now and need not be tried soon: it is kept, and taken up again later
    ├── ReadModelBehind      the read model did not reach the position in time
    └── AppendConflict       another writer kept appending to the story
"""

from __future__ import annotations


class FabulaError(Exception):
    """The root. `title` names the kind of problem, `str(error)` says what to do."""

    title = "Something went wrong"
    slug = "error"
    status = 500


class DomainRefusal(FabulaError):
    title = "Refused"
    slug = "refused"
    status = 409


class InvalidInput(DomainRefusal):
    title = "The input cannot be used"
    slug = "invalid-input"
    status = 422


class InvalidChapter(InvalidInput):
    title = "The chapter cannot be published"
    slug = "invalid-chapter"


class InvalidRecords(InvalidInput):
    title = "The records cannot be used"
    slug = "invalid-records"


class InvalidName(InvalidInput):
    title = "The name cannot be used"
    slug = "invalid-name"


class Unknown(DomainRefusal):
    title = "Not found"
    slug = "unknown"
    status = 404


class UnknownStory(Unknown):
    title = "There is no such story"
    slug = "unknown-story"


class UnknownChapter(Unknown):
    title = "There is no such chapter"
    slug = "unknown-chapter"


class UnknownEntity(Unknown):
    title = "There is no such entity at this checkpoint"
    slug = "unknown-entity"


class UnknownCheckpoint(Unknown):
    title = "There is no such checkpoint"
    slug = "unknown-checkpoint"


class Conflict(DomainRefusal):
    title = "It contradicts what is recorded"
    slug = "conflict"


class Overtaken(Conflict):
    """What the request was decided on is not the latest any more."""


class Unavailable(FabulaError):
    title = "A service that is needed did not answer"
    slug = "unavailable"
    status = 503


class Postponed(Unavailable):
    title = "It is kept for later"
    slug = "postponed"


class LogUnavailable(Unavailable):
    title = "The log's database did not answer"
    slug = "log-unavailable"


class ReadModelBehind(Unavailable):
    title = "The read models have not caught up"
    slug = "read-model-behind"


class AppendConflict(Unavailable):
    title = "The story is being written to by others"
    slug = "append-conflict"
