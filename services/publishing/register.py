"""What publishing asks of the ledger: numbers, an outbox, outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from events.chapters import Publication, PublicationRequest
from events.domain_events import Json


class Registered(Protocol):
    @property
    def publication(self) -> Publication: ...

    @property
    def unchanged(self) -> bool:
        """Whether the chapter's latest publication has this very content already."""


class Row(Protocol):
    """What has become of a publication. `status`: accepted, appended, dead."""

    @property
    def publication(self) -> Publication: ...

    @property
    def status(self) -> str: ...

    @property
    def position(self) -> int | None: ...

    @property
    def rejected(self) -> Sequence[Json]: ...

    @property
    def warnings(self) -> Sequence[str]: ...

    @property
    def error(self) -> str | None: ...

    @property
    def attempts(self) -> int: ...


class Register(Protocol):
    """See `events.ledger.Ledger`, which is one."""

    def register(self, request: PublicationRequest) -> Registered: ...

    def publication(self, story: str, sequence: int) -> Row | None: ...

    def pending(self, older_than: timedelta) -> Sequence[Publication]: ...
