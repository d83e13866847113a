"""Follows the log: one thread a read model, so that one that stalls holds up no other."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import psycopg
import structlog
from psycopg_pool import ConnectionPool

from events.errors import ReadModelBehind
from projections import progress, versions
from projections.errors import RebuildRunning
from projections.following import take_in
from projections.projection import Conn, Log, PreparingProjection, Projection
from projections.recent_batches import RecentBatches

logger = structlog.get_logger(__name__)

CHANNEL = "stored_events"
_LISTEN_SECONDS = 0.25
"""How often the listener looks whether it should stop."""
_RECONNECT = (0.1, 0.5, 2.0, 5.0)
"""Seconds before each attempt to listen again."""


@dataclass(frozen=True, slots=True)
class Retries:
    """Seconds to wait before each retry of a read model that failed; then it is stalled, and retried every `stalled` seconds."""

    backoff: tuple[float, ...] = (0.1, 0.5, 2.0, 10.0)
    stalled: float = 60.0


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One attempt to apply a batch: whether anything moved, and to where; after a failure the seconds to wait before the next."""

    moved: bool = False
    position: int = -1
    delay: float | None = None


@dataclass(slots=True)
class _Hint:
    """Wakes everyone who waits for new events. Losing a hint costs a poll interval and nothing else."""

    condition: threading.Condition = field(default_factory=threading.Condition)
    count: int = 0

    def give(self) -> None:
        with self.condition:
            self.count += 1
            self.condition.notify_all()

    def wait(self, seen: int, timeout: float) -> int:
        with self.condition:
            self.condition.wait_for(lambda: self.count != seen, timeout)
            return self.count


class Runner:
    """Feeds the read models from the log, each with its own progress.

    `poll` is the longest time in seconds until a new event is noticed when no notification arrives; `batch` the number
    of events taken in one transaction (more where a publication is larger). Several runners may work side by side.
    """

    def __init__(
        self,
        log: Log,
        pool: ConnectionPool,
        projections: Sequence[Projection],
        *,
        poll: float = 1.0,
        batch: int = 2_000,
        retries: Retries = Retries(),
    ) -> None:
        self._log = log
        self._pool = pool
        self._projections = tuple(projections)
        self._poll = poll
        self._batch = batch
        self._retries = retries
        self._hint = _Hint()
        self._recent = RecentBatches(log, batch)
        self._ready: set[str] = set()
        self._migrated = False
        self._reached: dict[str, int] = {}
        self.reconnects = 0

    @property
    def _conninfo(self) -> str:
        conninfo = self._pool.conninfo
        return conninfo if isinstance(conninfo, str) else conninfo()

    @property
    def names(self) -> list[str]:
        return [projection.name for projection in self._projections]

    def prepare(self) -> None:
        """Create what is missing; rebuild what an older program left in another version, or an older log (a backup) is behind."""
        self._migrate()
        for projection in self._projections:
            self._prepare(projection)

    def _migrate(self) -> None:
        if self._migrated:
            return
        with self._pool.connection() as conn:
            progress.migrate(conn)
        self._migrated = True

    def _prepare(self, projection: Projection) -> None:
        if projection.name in self._ready:
            return
        with self._pool.connection() as conn:
            found = versions.ensure(conn, projection)
        ahead = found.position > self._log.last_position()
        if ahead:  # it tells what nobody published any more, and would pass over what is published next
            logger.warning("the log was set back, rebuilding", read_model=projection.name, position=found.position)
        if ahead or found.version < projection.version:
            versions.rebuild(self._pool, self._log, projection)
        self._ready.add(projection.name)

    def catch_up(self) -> None:
        """Bring every read model to the log's end, now. One that keeps failing is marked stalled; the others go on."""
        self._migrate()
        end = self._log.last_position()
        behind = self._behind(self.names, end)
        for projection in self._projections:
            if projection.name in behind or projection.name not in self._ready:
                self._bring(projection, end)

    def _bring(self, projection: Projection, end: int) -> None:
        failures = 0
        while True:
            attempt = self._attempt(projection, failures)
            if attempt.delay is None and attempt.position >= end:
                return
            failures = 0 if attempt.delay is None else failures + 1
            if failures > len(self._retries.backoff):
                return
            time.sleep(attempt.delay or 0)

    def run_forever(self, stop: threading.Event) -> None:
        """Follow the log until `stop` is set. Notifications are a hint; the log is polled all the same."""
        self._migrate()
        threads = [
            threading.Thread(
                target=self._run_one, args=(projection, stop), name=f"projection-{projection.name}", daemon=True
            )
            for projection in self._projections
        ]
        for thread in threads:
            thread.start()
        self._listen(stop)
        self._hint.give()
        for thread in threads:
            thread.join()

    def wait_for(self, position: int, timeout: float = 30.0, *, names: Sequence[str] | None = None) -> None:
        """Return once the read models (all of this runner's, or those named) include what is committed up to `position`.

        A position that no event has, since a failed append burnt it, is no reason to wait. Raises ReadModelBehind after
        `timeout` seconds.
        """
        wanted = list(names if names is not None else self.names)
        target = min(position, self._log.last_position())
        deadline, pause = time.monotonic() + timeout, 0.002
        while True:
            behind = self._behind(wanted, target)
            if not behind:
                return
            if time.monotonic() >= deadline:
                raise ReadModelBehind(_behind_message(behind, target, timeout))
            time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
            pause = min(pause * 1.5, 0.05)

    def _behind(self, names: Sequence[str], target: int) -> dict[str, progress.Progress | None]:
        try:
            with self._pool.connection() as conn:
                found = progress.live(conn, names)
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            found = {}  # no runner has ever been here
        return {name: found.get(name) for name in names if name not in found or found[name].position < target}

    def _run_one(self, projection: Projection, stop: threading.Event) -> None:
        failures = 0
        while not stop.is_set():
            seen = self._hint.count
            attempt = self._attempt(projection, failures)
            if attempt.delay is not None:
                failures += 1
                stop.wait(attempt.delay)
                continue
            failures = 0
            if not attempt.moved:
                self._hint.wait(seen, self._poll)

    def _attempt(self, projection: Projection, failures: int) -> _Attempt:
        """Apply one batch, after `failures` failures in a row."""
        try:
            self._prepare(projection)
            self._prepare_batch(projection)
            return self._apply_batch(projection)
        except RebuildRunning:
            return _Attempt(delay=self._poll)
        except Exception as error:  # noqa: BLE001 - supervision: whatever a read model raises is recorded, and must not stop the others
            return _Attempt(delay=self._record_failure(projection, failures, error))

    def _prepare_batch(self, projection: Projection) -> None:
        """Let a read model do its slow work (vectors) before the transaction that locks its row begins."""
        if not isinstance(projection, PreparingProjection):
            return
        reached = self._reached.get(
            projection.name
        )  # where another runner has moved it on, `apply` does what is missing
        if reached is None:
            with self._pool.connection() as conn:
                live = progress.live(conn, [projection.name]).get(projection.name)
            reached = -1 if live is None else live.position
        if reached >= 0 and (batch := self._recent.after(reached)) and batch.events:
            projection.prepare(batch.events)

    def _apply_batch(self, projection: Projection) -> _Attempt:
        with self._pool.connection() as conn, conn.transaction():
            row = progress.lock_live(conn, projection.name)
            if row is None:
                return _Attempt(moved=True)  # replaced a moment ago: look again
            batch = self._recent.after(row.position)
            if batch is None:
                self._reached[projection.name] = row.position
                return _Attempt(position=row.position)
            progress.use_schema(conn, row.schema)
            take_in(conn, projection, batch)
            progress.advance(conn, row.schema, batch.position, batch.skipped)
            if batch.skipped:
                logger.warning("unknown events skipped", read_model=projection.name, count=batch.skipped)
        self._reached[projection.name] = batch.position
        return _Attempt(moved=True, position=batch.position)

    def _record_failure(self, projection: Projection, failures: int, error: Exception) -> float:
        stalled = failures >= len(self._retries.backoff)
        text = f"{type(error).__name__}: {error}"
        try:
            with self._pool.connection() as conn:
                found = progress.live(conn, [projection.name]).get(projection.name)
                if found is not None:
                    progress.failed(conn, found.schema, text, stalled=stalled)
        except psycopg.Error as lost:
            text += f" (and its failure could not be recorded: {lost})"
        if failures == 0:
            logger.warning("projection failed, retrying", read_model=projection.name, error=text)
        elif failures == len(self._retries.backoff):
            logger.error("projection stalled", read_model=projection.name, error=text, attempts=failures + 1)
        return self._retries.stalled if stalled else self._retries.backoff[failures]

    def _listen(self, stop: threading.Event) -> None:
        """Turn notifications into hints until `stop`; a lost connection is replaced, and polling goes on meanwhile."""
        failures = 0
        while not stop.is_set():
            try:
                with psycopg.connect(self._conninfo, autocommit=True, application_name="fabula-listen") as conn:
                    conn.execute(f"LISTEN {CHANNEL}".encode())
                    failures = 0
                    self._hint.give()
                    self._turn_into_hints(conn, stop)
            except psycopg.OperationalError as error:
                if failures == 0:
                    logger.warning("notifications lost, reconnecting", error=str(error))
                self.reconnects += 1
                self._hint.give()
                stop.wait(_RECONNECT[min(failures, len(_RECONNECT) - 1)])
                failures += 1

    def _turn_into_hints(self, conn: Conn, stop: threading.Event) -> None:
        while not stop.is_set():
            for _ in conn.notifies(timeout=_LISTEN_SECONDS, stop_after=1):
                self._hint.give()


def _behind_message(behind: dict[str, progress.Progress | None], target: int, timeout: float) -> str:
    states = []
    for name, row in behind.items():
        if row is None:
            states.append(f"{name} has never been built")
        elif row.stalled_at is not None:
            states.append(f"{name} is stalled at {row.position}: {row.error}")
        else:
            states.append(f"{name} is at {row.position}")
    return (
        f"After {timeout:g} s the read models do not include position {target} yet ({'; '.join(states)}). "
        "See that the projection runner is running (`fabula project`), then ask again."
    )
