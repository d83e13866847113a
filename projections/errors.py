"""Errors of the read models.

FabulaError
├── Conflict
│   └── RebuildRunning      another rebuild of the same read model goes on
├── RebuildCancelled        a rebuild was called off; nothing of it is left
└── Unavailable
    ├── ReadModelBehind
    │   └── NoReadModel     the read model has never been built
    ├── UnknownEventType    a rebuild met an event that a newer program wrote
    └── RebuildFailed       a process that took part in a rebuild ended early
"""

from __future__ import annotations

from events.errors import Conflict, FabulaError, ReadModelBehind, Unavailable


class NoReadModel(ReadModelBehind):
    def __init__(self, name: str) -> None:
        super().__init__(f"The read model {name!r} has not been built yet: start the runner (`fabula project`).")


class RebuildRunning(Conflict):
    def __init__(self, name: str) -> None:
        super().__init__(f"A rebuild of the read model {name!r} is already running. Wait until it ends, or cancel it.")


class RebuildCancelled(FabulaError):
    title = "The rebuild was cancelled"
    slug = "rebuild-cancelled"

    def __init__(self, name: str) -> None:
        super().__init__(f"The rebuild of {name!r} was cancelled. The read model in use is untouched.")


class UnknownEventType(Unavailable):
    title = "The log holds events this program does not know"
    slug = "unknown-event-type"

    def __init__(self, topic: str, position: int) -> None:
        self.topic, self.position = topic, position
        super().__init__(
            f"The event at position {position} is of type {topic}, which this program does not know. "
            "Rebuild with the version of the program that wrote it, or a newer one."
        )


class RebuildFailed(Unavailable):
    title = "The rebuild failed"
    slug = "rebuild-failed"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"A process that took part in the rebuild of {name!r} ended early ({reason}). "
            "The read model in use is untouched. Rebuild it again."
        )
