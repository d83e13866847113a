"""The composition root: every part of the product, built from the settings when it is first asked for.

Nothing is built, started or imported before it is needed: a command that reads the state of a story loads neither an
extractor's language model nor an embedder's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import psycopg
from psycopg_pool import ConnectionPool

from events.errors import Unavailable
from services.catalogue import Catalogue
from services.extraction.when_needed import WhenNeeded
from services.projecting.read_models import SEARCH, STORY
from services.settings import VARIABLES, InvalidSetting, Settings

if TYPE_CHECKING:
    from events.ledger import Ledger
    from projections.embedding import Embedder
    from projections.projection import Projection
    from projections.runner import Runner
    from projections.search.index import ElasticsearchIndices
    from services.answering.answering import Answering
    from services.auditing.asking import Adviser
    from services.auditing.auditor import Auditor
    from services.auditing.desk import Desk
    from services.branching.branching import Branching
    from services.documents import Document
    from services.extraction.handling import Handler
    from services.extraction.metrics import IntakeMetrics
    from services.extraction.reading_ahead import Unread
    from services.observing.metrics import ProjectionHealth
    from services.publishing.gateway import Publisher
    from services.publishing.transport import Transport
    from services.reading.reader import Reader
    from services.retrieval.planning.advice import Planning
    from services.retrieval.retriever import Retriever
    from services.takedown.taking_down import Takedown

T = TypeVar("T")

CONNECT_SECONDS: Final = 5
POOL_SIZE: Final = 16
POOL_SECONDS: Final = 15.0
AFTER_CATCHING_UP: Final = 1.0
"""A read model that did not get there by itself will not do so by waiting."""


class Application:
    """The services over one PostgreSQL. Use it as a context manager; safe in several threads.

    Embedded (no FABULA_KAFKA) chapters are handled in this process, and a write that waits brings the read models up to
    date itself; with `following` a thread does so instead.
    """

    def __init__(self, settings: Settings, configure_logs: Callable[[Settings], None] = lambda _: None) -> None:
        """`configure_logs` is called once, before the first part that logs is built: reading alone does not need it."""
        self.settings = settings
        self._configure_logs = configure_logs
        self._parts: dict[str, Any] = {}
        self._lock = threading.RLock()
        self._exit = ExitStack()
        self._follows = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._exit.close()
        self._parts.clear()

    # --- parts ---

    @property
    def dsn(self) -> str:
        """The conninfo of the database; the embedded server is started for it. Raises Unavailable, LocalServiceError."""
        return self._part("dsn", self._database)

    @property
    def pool(self) -> ConnectionPool[Any]:
        return self._part("pool", self._connections)

    @property
    def catalogue(self) -> Catalogue:
        return self._part("catalogue", lambda: Catalogue(self.pool))

    @property
    def ledger(self) -> Ledger:
        return self._part("ledger", self._log)

    @property
    def projections(self) -> list[Projection]:
        return self._part("projections", self._read_models)

    @property
    def runner(self) -> Runner:
        return self._part("runner", self._running)

    @property
    def embedder(self) -> Embedder:
        """Embeds what is asked; its model is loaded with the first text."""
        return self._part("embedder", self._embedding)

    @property
    def indices(self) -> ElasticsearchIndices | None:
        """Where documents are searched; None without Elasticsearch."""
        return self._part("indices", self._indexing)

    @property
    def reader(self) -> Reader:
        return self._part("reader", self._reading)

    @property
    def retriever(self) -> Retriever:
        return self._part("retriever", self._retrieval)

    @property
    def auditor(self) -> Auditor:
        return self._part("auditor", self._auditing)

    @property
    def answering(self) -> Answering:
        return self._part("answering", self._answers)

    @property
    def desk(self) -> Desk:
        return self._part("desk", self._auditing_drafts)

    @property
    def intake(self) -> IntakeMetrics:
        """What this process took in, where chapters are handled in it."""
        return self._part("intake", _intake)

    @property
    def handler(self) -> Handler:
        return self._part("handler", self._handling)

    @property
    def _extractor(self) -> WhenNeeded:
        return self._part("extractor", lambda: WhenNeeded(self.settings.extractor, lambda: self.pool))

    @property
    def branching(self) -> Branching:
        return self._part("branching", self._branching)

    @property
    def takedown(self) -> Takedown:
        return self._part("takedown", self._taking_down)

    @property
    def transport(self) -> Transport:
        return self._part("transport", self._delivery)

    @property
    def publisher(self) -> Publisher:
        return self._part("publisher", self._publishing)

    def _part(self, name: str, make: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._parts:
                self._parts[name] = make()
            part: T = self._parts[name]
            return part

    # --- how each is built ---

    def _database(self) -> str:
        if self.settings.postgres is not None:
            _answers(self.settings.postgres)
            return self.settings.postgres
        from services.local.postgres import LocalPostgres

        return LocalPostgres(self.settings.home / "postgres").start()

    def _connections(self) -> ConnectionPool[Any]:
        pool: ConnectionPool[Any] = ConnectionPool(
            self.dsn, min_size=1, max_size=POOL_SIZE, timeout=POOL_SECONDS, open=False, name="fabula"
        )
        pool.open()
        self._exit.callback(pool.close)
        return pool

    def _log(self) -> Ledger:
        self._configure_logs(self.settings)
        from events.ledger import Ledger

        Ledger.migrate(self.dsn)
        ledger = Ledger(self.dsn, pool_size=self.settings.publish_threads + 2)
        self._exit.callback(ledger.close)
        return ledger

    def _read_models(self) -> list[Projection]:
        from services.projecting.read_models import projections

        return projections(self.settings, self.ledger, self.pool)

    def _running(self) -> Runner:
        from projections.runner import Runner

        return Runner(self.ledger, self.pool, self.projections)

    def _reading(self) -> Reader:
        from services.reading.reader import Reader

        return Reader(self.pool)

    def _auditing(self) -> Auditor:
        from services.auditing.auditor import Auditor

        return Auditor(self.pool, lambda: self._part("adviser", self._advising), lambda: self.embedder)

    def _advising(self) -> Adviser | None:
        if self.settings.reader != "claude":
            return None
        from services.auditing.asking import Adviser
        from services.extraction.claude.options import ClaudeOptions

        return Adviser.over(ClaudeOptions.from_env(), self.pool)

    def _embedding(self) -> Embedder:
        from projections.embedding import embedder_for

        return embedder_for(self.settings.embedder, self.settings.cache)

    def _indexing(self) -> ElasticsearchIndices | None:
        if self.settings.elasticsearch is None:
            return None
        from projections.search.index import ElasticsearchIndices

        indices = ElasticsearchIndices(self.settings.elasticsearch)
        self._exit.callback(indices.close)
        return indices

    def _retrieval(self) -> Retriever:
        from services.retrieval.retriever import Retriever

        planning = self._planning()
        if self.indices is None:
            return Retriever(self.pool, self.embedder, planning=planning)
        from projections.search.read import ElasticsearchCandidates
        from services.retrieval.candidates import IndexCandidates

        candidates = IndexCandidates(ElasticsearchCandidates(self.indices, self.pool))
        return Retriever(self.pool, self.embedder, candidates=candidates, planning=planning)

    def _planning(self) -> Planning | None:
        if self.settings.planner != "claude":
            return None
        if self.settings.anthropic_api_key is None:
            raise InvalidSetting(VARIABLES["anthropic_api_key"], "", "a key, or FABULA_PLANNER to rules")
        from services.extraction.claude.options import ClaudeOptions
        from services.retrieval.planning.claude import ClaudePlanning

        return ClaudePlanning.from_options(ClaudeOptions.from_env(), self.pool)

    def _answers(self) -> Answering:
        from services.answering.building import answering

        return answering(self.settings, self.retriever, lambda: self.pool)

    def _auditing_drafts(self) -> Desk:
        from services.auditing.desk import Desk

        desk = Desk(self.ledger, self.pool, self._extractor, lambda: self.embedder)
        desk.questions.migrate()
        return desk

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

    def wait_for(self, position: int) -> None:
        """Return once what answers includes the position. Raises ReadModelBehind.

        Documents in Elasticsearch are not waited for: whoever asks does without them while they are behind.
        """
        names = [name for name in self.runner.names if name != SEARCH]
        if self.settings.embedded and not self._follows:
            self.runner.catch_up()
            self.runner.wait_for(position, AFTER_CATCHING_UP, names=names)
        else:
            self.runner.wait_for(position, self.settings.wait_seconds, names=names)

    # --- what commands and routes do with them ---

    def checkpoint(self, story: str, name: str, at: int | None) -> Document:
        """Name the place after chapter `at`, or after the last one. Raises UnknownStory, else as the publisher does."""
        place = self.catalogue.last_chapter(story) if at is None else at
        return {**self.publisher.checkpoint(story, name, place), "name": name, "at": place}

    def _keeping(self) -> list[tuple[str, Callable[[threading.Event], None]]]:
        """What keeps the embedded server up, where the database is one."""
        if self.settings.postgres is not None:
            return []
        from services.local.keeping import PostgresKeeper
        from services.local.postgres import LocalPostgres

        return [("postgres", PostgresKeeper(LocalPostgres(self.settings.home / "postgres")).run_forever)]

    def forget_texts(self, hashes: Iterable[str]) -> None:
        """Drop erased texts from this process's memory."""
        with self._lock:
            parts = dict(self._parts)
        hashes = list(hashes)
        if "reader" in parts:
            for digest in hashes:
                self.reader.forget_text(digest)
        if "auditor" in parts:
            for digest in hashes:
                self.auditor.forget_text(digest)
        if "retriever" in parts:
            self.retriever.forget()

    def settle(self) -> None:
        """Embedded, bring the read models to the log's end; elsewhere `fabula project` does."""
        if self.settings.embedded and not self._follows:
            self.runner.catch_up()

    def finish(self) -> None:
        """End a command that wrote: take in what a process that was ended left behind long ago, then settle."""
        if self.settings.embedded and not self._follows:
            from services.publishing.outbox import GRACE

            with suppress(Unavailable):  # it stays where it is, for the next command
                self.publisher.resend_pending(GRACE)
        self.settle()

    def reading(self) -> Reader:
        """The reader, once its read models include all that was published (embedded; else as far as they are)."""
        if self.settings.embedded and not self._follows and not self.catalogue.is_current(STORY):
            self.settle()
        return self.reader

    def auditing(self) -> Auditor:
        """The auditor, once its read models include all that was published (embedded; else as far as they are)."""
        self.reading()
        return self.auditor

    def asking(self) -> Retriever:
        """The retriever, once its read models include all that was published (embedded; else as far as they are)."""
        self.settle()
        return self.retriever

    def answers(self) -> Answering:
        """What answers questions, once its read models include all that was published (embedded; else as far as they are)."""
        self.settle()
        return self.answering

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

    def read_models(self) -> list[ProjectionHealth]:
        """How far each read model is; told or refused within seconds. Raises what PostgreSQL's driver raises."""
        from services.projecting.read_models import health

        return health(self.pool, self.runner.names)

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


def _intake() -> IntakeMetrics:
    from services.extraction.metrics import IntakeMetrics

    return IntakeMetrics()


def _answers(conninfo: str) -> None:
    """Look whether the configured PostgreSQL answers, so that the user hears of it now. Raises Unavailable, InvalidSetting."""
    try:
        psycopg.connect(conninfo, connect_timeout=CONNECT_SECONDS).close()
    except psycopg.ProgrammingError:
        raise InvalidSetting(
            VARIABLES["postgres"],
            "no connection string",
            "a connection string, such as postgresql://user@host:5432/database",
        ) from None
    except psycopg.OperationalError as error:
        first = str(error).strip().splitlines()[0]
        raise Unavailable(
            f"PostgreSQL at FABULA_POSTGRES did not answer ({first}); start it, or unset FABULA_POSTGRES for the embedded one"
        ) from None
