"""What goes wrong between us and the model.

FabulaError
├── Unavailable
│   ├── ClaudeUnavailable     it did not answer, or is busy: the chapter waits and is tried again
│   └── Postponed
│       └── BudgetReached     it may not be asked any more: the chapter waits until the budget allows it
└── DomainRefusal             trying again at once would pay for the same once more
    ├── ClaudeNotConfigured   no key, or a setting that cannot be used
    ├── ClaudeRefused         it will not read the text
    └── ExtractionFailed      it answered, was asked again, and nothing usable came of it
        ├── ReplyUnreadable
        ├── ReplyTruncated
        ├── NothingFound
        └── CeilingReached
"""

from __future__ import annotations

from events.errors import DomainRefusal, InvalidInput, Postponed, Unavailable


class ClaudeUnavailable(Unavailable):
    """The model service did not answer, or asked us to wait. `retry_after` is in seconds, where it said so."""

    title = "The model service did not answer"
    slug = "claude-unavailable"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class BudgetReached(Postponed):
    """The budget is spent. `retry_after` is in seconds, where a new period begins then."""

    title = "The budget for reading is spent"
    slug = "budget-reached"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ClaudeRefused(DomainRefusal):
    """The model declined to read the text."""

    title = "The model declined to read the chapter"
    slug = "claude-refused"


class ClaudeNotConfigured(InvalidInput):
    """The extractor cannot be built from the environment."""

    title = "The Claude extractor is not configured"
    slug = "claude-not-configured"


class ExtractionFailed(DomainRefusal):
    """The model answered, and no records could be had of it. Nothing was kept of the chapter but the raw replies."""

    title = "The chapter could not be read"
    slug = "extraction-failed"


class ReplyUnreadable(ExtractionFailed):
    """The reply is no list of records, however generously it is read."""

    title = "The model's reply cannot be read"
    slug = "reply-unreadable"


class ReplyTruncated(ExtractionFailed):
    """The reply was cut off, and the text it was about cannot be split any further."""

    title = "The model's reply was cut off"
    slug = "reply-truncated"


class NothingFound(ExtractionFailed):
    """A long chapter gave no record that holds."""

    title = "The model found nothing in a long chapter"
    slug = "nothing-found"


class CeilingReached(ExtractionFailed):
    """Reading the chapter would take more calls or tokens than it may cost."""

    title = "Reading the chapter costs too much"
    slug = "ceiling-reached"
