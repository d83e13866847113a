"""The worker: a Faust application that takes publications in from the broker, with a reconciler beside it.

Faust delivers, and nothing is left to its memory: what was taken in is recorded with its events in PostgreSQL, and the
reconciler fetches whatever Faust skipped. The committed offset follows what is done, and only saves work after a restart.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import faust
import structlog
from faust.streams import Stream
from faust.types import TP, StreamT
from mode import Service
from prometheus_client import start_http_server
from psycopg_pool import ConnectionPool

from events.chapters import Publication
from events.errors import InvalidInput, Unavailable
from events.ledger import Ledger
from events.publications import SourceOffset
from services.extraction.acknowledging import Acknowledgements
from services.extraction.dead_letters import DeadLetters, migrate
from services.extraction.extractors import extractor
from services.extraction.handling import Handler
from services.extraction.intake import Intake, IntakeLimits
from services.extraction.leases import PostgresLeases
from services.extraction.metrics import IntakeMetrics
from services.extraction.quieting import quiet_client_logs
from services.extraction.reconciling import Reconciler
from services.extraction.retrying import is_outage
from services.extraction.scratch import scratch
from services.publishing.kafka import KafkaTransport
from services.publishing.topics import Broker, ensure_topics
from services.settings import Settings

_logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """What belongs to a worker alone, each from a variable of the environment. Seconds where not said otherwise."""

    concurrency: int = 4
    """Publications taken in at once, each of another story (FABULA_WORKER_CONCURRENCY)."""
    reconcile_every: float = 10.0
    """FABULA_RECONCILE_EVERY"""
    reconcile_grace: float = 15.0
    """How long a message may be on its way before it counts as skipped (FABULA_RECONCILE_GRACE)."""
    outbox_grace: float = 60.0
    """How long a registered publication may be on its way before it is taken from the outbox (FABULA_OUTBOX_GRACE)."""
    shutdown: float = 20.0
    """How long running attempts may take to end once the worker is told to (FABULA_WORKER_SHUTDOWN)."""
    metrics_port: int = 0
    """Where Prometheus metrics are served; 0: nowhere (FABULA_WORKER_METRICS_PORT)."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> WorkerOptions:
        """Read the environment. Raises `InvalidInput` naming the variable."""
        env = os.environ if environ is None else environ
        return cls(
            concurrency=int(_number(env, "FABULA_WORKER_CONCURRENCY", 4, 1, 64)),
            reconcile_every=_number(env, "FABULA_RECONCILE_EVERY", 10.0, 0.1, 3_600),
            reconcile_grace=_number(env, "FABULA_RECONCILE_GRACE", 15.0, 0.0, 86_400),
            outbox_grace=_number(env, "FABULA_OUTBOX_GRACE", 60.0, 0.0, 86_400),
            shutdown=_number(env, "FABULA_WORKER_SHUTDOWN", 20.0, 0.0, 3_600),
            metrics_port=int(_number(env, "FABULA_WORKER_METRICS_PORT", 0, 0, 65_535)),
        )


def _number(env: Mapping[str, str], variable: str, default: float, low: float, high: float) -> float:
    text = env.get(variable, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise InvalidInput(f"{variable} is {text!r}; set it to a number from {low:g} to {high:g}.")
    return value


def run_worker(settings: Settings) -> None:
    """Run until SIGTERM or SIGINT, then end within a bounded time.

    Raises `InvalidInput` where Kafka or PostgreSQL is not configured, `Unavailable` where one does not answer.
    """
    if settings.kafka is None or settings.postgres is None:
        raise InvalidInput(
            "The worker needs a broker and a database: set FABULA_KAFKA and FABULA_POSTGRES. "
            "Without a broker chapters are taken in by whoever publishes them, and no worker is needed."
        )
    options = WorkerOptions.from_env()
    broker = Broker.from_env(settings.kafka)
    ensure_topics(broker)
    Ledger.migrate(settings.postgres)
    migrate(settings.postgres)
    metrics = IntakeMetrics()
    if options.metrics_port:
        start_http_server(options.metrics_port, registry=metrics.registry)
    with scratch() as directory:
        ended = _run(settings.postgres, settings.extractor, broker, options, metrics, directory)
    if not ended:
        # a thread is still in an attempt that nobody can interrupt; its publication is not recorded and comes again
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _run(
    dsn: str, extractor_name: str, broker: Broker, options: WorkerOptions, metrics: IntakeMetrics, directory: str
) -> bool:
    """True where every thread has ended."""
    transport = KafkaTransport(broker)
    leases = PostgresLeases(dsn, options.concurrency)
    # an append may read a text while it reads the stream: two connections a thread
    ledger = Ledger(dsn, pool_size=2 * options.concurrency + 2)
    pool: ConnectionPool[Any] = ConnectionPool(dsn, min_size=0, max_size=options.concurrency + 1, open=True)
    try:
        dead_letters = DeadLetters(ledger, metrics=metrics, broker=broker, sender=transport)
        reads = extractor(extractor_name, pool)
        handler = Handler(ledger, reads, leases=leases, dead_letters=dead_letters, metrics=metrics)
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        acknowledgements = Acknowledgements()
        intake = Intake(
            handler,
            ledger,
            dead_letters,
            metrics=metrics,
            limits=IntakeLimits(concurrency=options.concurrency),
            settled=acknowledgements.settled,
        )
        reconciler = Reconciler(ledger, broker, metrics=metrics, grace=options.reconcile_grace)
        app = create_app(broker, intake, acknowledgements, directory)
        beside = Taking(intake, reconciler, options)
        worker = faust.Worker(app, beside, loop=loop, override_logging=False, redirect_stdouts=False, quiet=True)
        quiet_client_logs()
        try:
            worker.execute_from_commandline()
        except SystemExit as end:
            if end.code:
                raise Unavailable(f"The worker ended with status {end.code}; its log says why.") from end
        main = threading.main_thread()
        return not any(t.is_alive() and not t.daemon and t is not main for t in threading.enumerate())
    finally:
        transport.close()
        leases.close()
        pool.close(timeout=2.0)
        ledger.close()


def create_app(broker: Broker, intake: Intake, acknowledgements: Acknowledgements, directory: str) -> faust.App:
    """The Faust application: one agent over the chapters topic, whose messages are acknowledged when they are done."""
    app = faust.App(
        broker.group,
        broker=[f"kafka://{server}" for server in broker.bootstrap],
        store="memory://",
        datadir=directory,
        web_enabled=False,
        topic_allow_declare=False,
        topic_disable_leader=True,
        consumer_auto_offset_reset="earliest",
        broker_session_timeout=10.0,
        broker_heartbeat_interval=2.0,
        broker_commit_interval=1.0,
        broker_max_poll_records=100,
        stream_buffer_maxsize=64,
        stream_wait_empty=False,
    )
    # raw bytes: what cannot be read is ours to keep, Faust would acknowledge it before anybody could
    topic = app.topic(
        broker.chapters,
        key_type=bytes,
        value_type=bytes,
        key_serializer="raw",
        value_serializer="raw",
        allow_empty=True,
    )

    async def chapters(stream: StreamT[bytes]) -> None:
        async for event in cast(Stream[bytes], stream).noack().events():
            message, raw = event.message, event.message.value
            # until it is settled the event is kept, which is small without its bytes
            message.value = event.value = None
            source = SourceOffset(message.topic, message.partition, message.offset)
            await acknowledgements.taken(source, event.ack)
            await intake.take(raw, source)

    async def revoked(_app: Any, /, *arguments: Any, **_: Any) -> None:
        partitions: Iterable[TP] = arguments[0]
        for partition in partitions:
            acknowledgements.revoked(partition.topic, partition.partition)

    app.agent(topic, name="chapters")(chapters)
    app.on_partitions_revoked.connect(revoked)
    return app


class Taking(Service):
    """What runs beside the agent: the reconciler's rounds, and the end of the intake."""

    def __init__(self, intake: Intake, reconciler: Reconciler, options: WorkerOptions, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._intake = intake
        self._reconciler = reconciler
        self._options = options

    @Service.task
    async def _reconcile(self) -> None:
        loop = asyncio.get_running_loop()
        takes = ThreadsafeIntake(self._intake, loop)
        while not self.should_stop:
            await self.sleep(self._options.reconcile_every)
            try:
                await asyncio.to_thread(self._reconciler.round, takes, self._options.outbox_grace)
            except Exception as error:  # supervision: the next round may succeed
                if is_outage(error):
                    _logger.warning("reconciling was not possible, will be repeated", error=str(error))
                else:
                    _logger.exception("reconciling failed, will be repeated")

    async def on_stop(self) -> None:
        left = await self._intake.close(self._options.shutdown)
        _logger.info("intake ended", handed_back=left)


class ThreadsafeIntake:
    """The intake as the reconciler's thread sees it."""

    def __init__(self, intake: Intake, loop: asyncio.AbstractEventLoop) -> None:
        self._intake = intake
        self._loop = loop

    def message(self, raw: bytes | None, source: SourceOffset) -> bool:
        return asyncio.run_coroutine_threadsafe(self._intake.take(raw, source), self._loop).result()

    def pending(self, publication: Publication) -> bool:
        return asyncio.run_coroutine_threadsafe(self._intake.take_pending(publication), self._loop).result()

    def holds(self, source: SourceOffset) -> bool:
        return self._intake.holds(source)
