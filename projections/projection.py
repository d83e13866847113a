"""What a read model is to the runner: it is created in a PostgreSQL schema of its own and fed the log in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from psycopg import Connection

from events.domain_events import Recorded

Conn: TypeAlias = Connection[Any]


class Log(Protocol):
    """What the read models need of the ledger. Only committed events are seen, in the order of their positions."""

    def events_after(self, position: int, limit: int) -> list[Recorded]: ...

    def story_events(self, story: str, after_version: int = 0) -> Iterator[Recorded]: ...

    def last_position(self) -> int: ...

    def stories(self) -> list[str]: ...


class Projection(Protocol):
    """A read model. Bumping `version` rebuilds this one and no other.

    `create` makes the tables, `apply` takes whole publications in log order; both run in a transaction whose
    search_path is the version's own schema, and progress is written in the same transaction. Neither may commit.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def create(self, conn: Conn) -> None: ...

    def apply(self, conn: Conn, batch: Sequence[Recorded]) -> None: ...


@runtime_checkable
class PreparingProjection(Protocol):
    """A read model that can do part of a batch's work ahead of its transaction, so that no lock is held meanwhile.

    Preparing may happen more than once, or for a batch that another runner applies; `apply` does what was not prepared.
    """

    def prepare(self, batch: Sequence[Recorded]) -> None: ...


@runtime_checkable
class BulkProjection(Protocol):
    """A read model that can be built faster than event by event.

    `rebuild` fills the empty tables with everything up to and including `until` (a committed position) and leaves
    exactly what `apply` would have left. `cancelled` is asked now and then; on True `RebuildCancelled` is raised.
    """

    def rebuild(self, conn: Conn, log: Log, until: int) -> None: ...
