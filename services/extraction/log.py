"""What taking in asks of the ledger; `events.ledger.Ledger` is one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Protocol

from events.chapters import Publication
from events.ledger import Outcome, SourceOffset
from services.publishing.register import Row


class Log(Protocol):
    def append(
        self, publication: Publication, records: Sequence[Any] | None, extractor: str, source: SourceOffset | None
    ) -> Outcome:
        """Append the publication's events, once; record the offset in the same transaction, always."""
        ...

    def fail(self, publication: Publication, error: str, attempts: int, source: SourceOffset | None) -> None: ...

    def publication(self, story: str, sequence: int) -> Row | None: ...

    def text(self, text_hash: str) -> str: ...

    def pending(self, older_than: timedelta) -> Sequence[Publication]: ...

    def dead(self, story: str | None = None) -> Sequence[Row]: ...

    def recorded_offsets(self, topic: str, partition: int) -> Sequence[tuple[int, int]]: ...

    def record_offset(self, source: SourceOffset) -> None: ...
