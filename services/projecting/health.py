"""How far the read models are behind the log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProjectionHealth:
    """How far a read model is: positions behind the log, and the position at which it is stuck, if it is.

    One that is not `required` is done without while it is behind; one that is not `built` answers nothing yet.
    """

    name: str
    lag: int
    stalled_at: int | None = None
    error: str | None = None
    required: bool = True
    built: bool = True
