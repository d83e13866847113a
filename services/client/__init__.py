"""The Python client: `Fabula` waits for its answers, `AsyncFabula` is awaited; both talk to `fabula serve` over HTTP.

Nothing but httpx is imported, so that a program that only asks stays small.
"""

from services.client.awaited import AsyncFabula
from services.client.blocking import Fabula
from services.client.errors import (
    ClientError,
    Conflict,
    Failed,
    InvalidChapter,
    InvalidInput,
    InvalidName,
    InvalidRecords,
    NoAnswer,
    NotAnAnswer,
    NotFound,
    Problem,
    Refused,
    TooSlow,
    Unavailable,
    UnknownChapter,
    UnknownCheckpoint,
    UnknownEntity,
    UnknownStory,
)

__all__ = [
    "AsyncFabula",
    "ClientError",
    "Conflict",
    "Fabula",
    "Failed",
    "InvalidChapter",
    "InvalidInput",
    "InvalidName",
    "InvalidRecords",
    "NoAnswer",
    "NotAnAnswer",
    "NotFound",
    "Problem",
    "Refused",
    "TooSlow",
    "Unavailable",
    "UnknownChapter",
    "UnknownCheckpoint",
    "UnknownEntity",
    "UnknownStory",
]
