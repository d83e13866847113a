"""The application: what commands and routes work with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from events.errors import Unavailable
from services.composition.answers import Answers
from services.settings import VARIABLES, InvalidSetting

if TYPE_CHECKING:
    from services.branching.branching import Branching
    from services.documents import Document
    from services.extraction.handling import Handler
    from services.extraction.metrics import IntakeMetrics
    from services.extraction.reading_ahead import Unread
    from services.publishing.gateway import Publisher
    from services.publishing.transport import Transport
    from services.takedown.taking_down import Takedown


class Application(Answers):
    """The services over one PostgreSQL. Use it as a context manager; safe in several threads.

    Embedded (no FABULA_KAFKA) chapters are handled in this process, and a write that waits brings the read models up to
    date itself; with `following` a thread does so instead.
    """

    @property
    def intake(self) -> IntakeMetrics:
        """What this process took in, where chapters are handled in it."""
        return self._part("intake", _intake)

    @property
    def handler(self) -> Handler:
        return self._part("handler", self._handling)

    @property
    def transport(self) -> Transport:
        return self._part("transport", self._delivery)

    @property
    def publisher(self) -> Publisher:
        return self._part("publisher", self._publishing)

    @property
    def branching(self) -> Branching:
        return self._part("branching", self._branching)

    @property
    def takedown(self) -> Takedown:
        return self._part("takedown", self._taking_down)

    def checkpoint(self, story: str, name: str, at: int | None) -> Document:
        """Name the place after chapter `at`, or after the last one. Raises UnknownStory, else as the publisher does."""
        from services.publishing.validation import checkpoint_name

        place = self.catalogue.last_chapter(story) if at is None else at
        return {**self.publisher.checkpoint(story, name, place), "name": checkpoint_name(name), "at": place}

    def finish(self) -> None:
        """End a command that wrote: take in what a process that was ended left behind long ago, then settle."""
        if self.settings.embedded and not self._follows:
            from services.publishing.outbox import GRACE

            with suppress(Unavailable):  # it stays where it is, for the next command
                self.publisher.resend_pending(GRACE)
        self.settle()

    @contextmanager
    def reading_ahead(self, unread: Sequence[Unread]) -> Iterator[None]:
        """Let processes of their own read chapters that are about to be published, in this order, where that is quicker."""
        from services.extraction.reading_ahead import SELF_CONTAINED, ReadingAhead, readers_for

        name = self.settings.extractor
        readers = readers_for(unread) if self.settings.embedded and name in SELF_CONTAINED else 0
        if readers == 0:
            yield
            return
        with ReadingAhead(name, unread, readers) as ahead:
            self._extractor.ahead = ahead
            try:
                yield
            finally:
                self._extractor.ahead = None

    @contextmanager
    def following(self) -> Iterator[None]:
        """Let threads of this process keep the read models up to date and take in what was left behind, as a server does."""
        from services.publishing.outbox import Outbox
        from services.takedown.watching import TakedownWatch

        stop = threading.Event()
        outbox = Outbox(self.publisher.resend_pending)
        takedowns = TakedownWatch(self.pool, self.forget_texts)
        threads = [
            threading.Thread(target=run, args=(stop,), name=name, daemon=True)
            for name, run in (
                ("projector", self.runner.run_forever),
                ("outbox", outbox.run_forever),
                ("takedowns", takedowns.run_forever),
                *self._keeping(),
            )
        ]
        self.runner.prepare()
        self._follows = True
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join(timeout=10)
            self._follows = False

    def _keeping(self) -> list[tuple[str, Callable[[threading.Event], None]]]:
        """What keeps the embedded server up, where the database is one."""
        if self.settings.postgres is not None:
            return []
        from services.local.keeping import PostgresKeeper
        from services.local.postgres import LocalPostgres

        return [("postgres", PostgresKeeper(LocalPostgres(self.settings.home / "postgres")).run_forever)]

    def _handling(self) -> Handler:
        from services.extraction.handling import Handler

        if self.settings.extractor == "claude" and self.settings.anthropic_api_key is None:
            # before anything is published that nobody could read
            raise InvalidSetting(VARIABLES["anthropic_api_key"], "", "a key, or FABULA_EXTRACTOR to offline")
        return Handler(self.ledger, self._extractor, metrics=self.intake)

    def _delivery(self) -> Transport:
        if self.settings.kafka is None:
            from services.publishing.transport import Embedded

            return Embedded(self.handler)
        from services.publishing.kafka import KafkaTransport
        from services.publishing.topics import Broker

        transport = KafkaTransport(Broker.from_env(self.settings.kafka))
        self._exit.callback(transport.close)
        return transport

    def _publishing(self) -> Publisher:
        from services.publishing.gateway import Publisher

        return Publisher(self.ledger, self.transport, self.wait_for, outcome_seconds=self.settings.wait_seconds)

    def _branching(self) -> Branching:
        from services.branching.branching import Branching

        return Branching(
            self.ledger, self.pool, self.publisher, self.reading, lambda: self.takedown, wait=self.wait_for
        )

    def _taking_down(self) -> Takedown:
        from projections.embedding import embedder_for
        from services.takedown.taking_down import Takedown

        return Takedown(
            self.ledger, self.pool, lambda name: embedder_for(name, self.settings.cache),
            wait=self.wait_for, indices=self.indices, forget=self.forget_texts,
        )  # fmt: skip


def _intake() -> IntakeMetrics:
    from services.extraction.metrics import IntakeMetrics

    return IntakeMetrics()
