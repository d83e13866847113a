"""What happened, by the records of it: who did what to whom, when, where and why, before any text is read."""

from services.answering.occurrences.replying import from_occurrences

__all__ = ["from_occurrences"]
