"""What can go wrong with a local service.

LocalServiceError
├── PrerequisiteMissing   something must be installed first
└── ServiceDidNotStart    it was started and is not ready
"""

from __future__ import annotations

from pathlib import Path


class LocalServiceError(Exception):
    """A local service cannot do what was asked; the message says what to do."""


class PrerequisiteMissing(LocalServiceError):
    """A program that the service needs is not on this machine."""

    def __init__(self, needed: str, remedy: str) -> None:
        super().__init__(f"{needed} was not found. {remedy}")
        self.needed = needed
        self.remedy = remedy


class ServiceDidNotStart(LocalServiceError):
    """The service was started and did not become ready; carries the end of its log."""

    def __init__(self, service: str, reason: str, log: Path, tail: str) -> None:
        shown = f"\n--- end of {log} ---\n{tail}" if tail else f" Its log is {log}."
        super().__init__(f"{service} did not start: {reason}.{shown}")
        self.service = service
        self.reason = reason
        self.log = log
        self.tail = tail
