"""A back catalogue read as batches, across restarts: what was sent is in the book before it is sent."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import structlog

from services.extraction.claude.account import PostgresAccount
from services.extraction.claude.batch_book import BatchBook, Entry
from services.extraction.claude.batches import Batches, Chapters, Plan
from services.extraction.claude.client import Claude
from services.extraction.claude.options import ClaudeOptions
from services.extraction.extractors import Pool

_LOCK = 0x6661_6362
_logger = structlog.get_logger(__name__)


class BackCatalogue:
    """Submits the chapters of stories, and collects what comes back. Its commands may be repeated at any time."""

    def __init__(self, options: ClaudeOptions, claude: Claude, pool: Pool) -> None:
        self._options = options
        self._account = PostgresAccount(pool)
        self._account.migrate()
        self._pool = pool
        self.book = BatchBook(pool)
        self._batches = Batches(options, claude, self._account)

    def submit(self, story: str, chapters: Chapters) -> tuple[Plan, Entry | None]:
        """Send what of the chapters is not read, not on its way, and within the budget; None where nothing is to be sent.

        Raises `ClaudeUnavailable`; what was noted down by then is found again by the next call.
        """
        with self._alone():
            self._settle()
            plan = self._batches.plan(chapters, self._left(), self.book.on_their_way())
            if not plan.requests:
                return plan, None
            number = self.book.begin(story, plan.named, plan.usd)
            self.book.sent(number, self._batches.send(plan))
            return plan, next(e for e in self.book.entries(story, "sent") if e.number == number)

    def collect(self, story: str | None = None) -> list[Entry]:
        """Take in the replies of every batch that is at its end; returns those batches. Raises `ClaudeUnavailable`."""
        with self._alone():
            self._settle()
            ended = [entry.number for entry in self.book.entries(story, "sent") if self._collected(entry)]
        return [entry for entry in self.book.entries(story, "collected") if entry.number in ended]

    def _collected(self, entry: Entry) -> bool:
        """Take the replies of a batch into the account; False while it is not at its end."""
        assert entry.batch is not None, "the service named it"
        found = self._batches.collect_known(entry.batch, entry.story, self.book.requests(entry.number))
        if found is None:
            return False
        failed = {str(chapter): reason for chapter, reason in found.reasons.items()}
        self.book.collected(entry.number, found.stored, found.usd, failed)
        _logger.info("batch collected", story=entry.story, batch=entry.batch, stored=found.stored, failed=failed)
        return True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One process at a time: what another is about to send would look as if it had been lost."""
        with self._pool.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            yield

    def _settle(self) -> None:
        """Find out what became of batches that were about to be sent when a process ended."""
        for entry in self.book.entries(None, "sending"):
            known = {e.batch for e in self.book.entries() if e.batch is not None}
            found = self._batches.find(entry.requests, entry.sent_at, known)
            if found is None:
                self.book.lost(entry.number)
            else:
                self.book.sent(entry.number, found)

    def _left(self) -> float:
        """Dollars that may still be spent."""
        budget = self._options.budget
        return math.inf if budget is None else budget.usd - self._account.spent(budget.since(datetime.now(UTC)))
