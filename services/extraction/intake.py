"""The intake of a worker: what the broker delivers goes into lanes, and each publication is attempted until it is in or buried.

Handling runs in threads, so the event loop keeps beating whatever an extractor does; waiting between attempts takes no thread.
What is not recorded when the worker ends is delivered again: by the broker, or by the reconciler of any worker.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import orjson
import structlog

from events.chapters import Publication
from events.errors import Unavailable
from events.ledger import Ledger
from events.publications import SourceOffset
from services.extraction.dead_letters import DeadLetters
from services.extraction.handling import Handler
from services.extraction.lanes import Lanes
from services.extraction.leases import StoryLeased
from services.extraction.metrics import POISON, IntakeMetrics
from services.extraction.retrying import WORKER, RetryPolicy, is_outage
from services.publishing.messages import Delivered, Poison, decode

LEASE_PAUSE: Final = 0.25
"""Seconds between two looks at a story that another worker has."""
_logger = structlog.get_logger(__name__)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Work:
    """One delivery of one publication, which is read from the ledger when its turn comes: what waits is small."""

    delivered: Delivered
    source: SourceOffset | None

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two deliveries the same work: the offset, or for what comes from the outbox the publication."""
        if self.source is None:
            return (self.delivered.story, self.delivered.sequence)
        return (self.source.topic, self.source.partition, self.source.offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeLimits:
    """How much at once: attempts in threads, deliveries held in one lane and in all."""

    concurrency: int = 4
    per_lane: int = 200
    total: int = 1_000


class Intake:
    """Belongs to one event loop; `take` and `take_pending` are for its tasks (other threads schedule them there).

    `settled` is told of each offset that needs nobody any more: its publication is in or buried, and that is recorded.
    """

    def __init__(
        self,
        handler: Handler,
        ledger: Ledger,
        dead_letters: DeadLetters,
        *,
        metrics: IntakeMetrics,
        limits: IntakeLimits = IntakeLimits(),
        policy: RetryPolicy = WORKER,
        settled: Callable[[SourceOffset], None] = lambda _: None,
    ) -> None:
        self._handler = handler
        self._ledger = ledger
        self._dead_letters = dead_letters
        self._metrics = metrics
        self._policy = policy
        self._settled = settled
        self._draw = random.Random()
        self._threads = ThreadPoolExecutor(limits.concurrency, thread_name_prefix="intake")
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._lanes: Lanes[Work] = Lanes(self._finish, per_lane=limits.per_lane, total=limits.total)
        self._held: set[tuple[object, ...]] = set()
        self._stopping = asyncio.Event()

    async def take(self, raw: bytes | None, source: SourceOffset) -> bool:
        """Take one message over; waits while there is no room. False where it has to come again: its offset stays
        unrecorded, and the reconciler brings it."""
        try:
            delivered = decode(raw)
        except Poison as poison:
            return await self._bury_poison(raw, poison, source)
        return await self._put(Work(delivered, source))

    async def take_pending(self, publication: Publication) -> bool:
        """Take a publication over that the ledger has and no message brought."""
        return await self._put(Work(Delivered.of(publication), None))

    def holds(self, source: SourceOffset) -> bool:
        """Whether the delivery at this offset is being taken in."""
        return (source.topic, source.partition, source.offset) in self._held

    async def close(self, seconds: float) -> int:
        """Take nothing more, let running attempts end for at most `seconds`; returns how many deliveries are handed back."""
        self._stopping.set()
        left = await self._lanes.close(seconds)
        self._threads.shutdown(wait=False, cancel_futures=True)
        return left

    async def _put(self, work: Work) -> bool:
        if self._stopping.is_set():
            return False
        if work.key in self._held:
            return True
        self._held.add(work.key)
        taken = await self._lanes.put(work.delivered.story, work)
        if not taken:
            self._held.discard(work.key)
        self._metrics.held.set(len(self._held))
        return taken

    async def _finish(self, work: Work) -> None:
        """Attempt until the publication is in or buried, or the worker ends."""
        try:
            if not self._stopping.is_set() and await self._attempts(work) and work.source is not None:
                self._settled(work.source)
        except Exception:  # supervision: a lane outlives whatever happens to one of its publications
            _logger.exception("not taken in, the reconciler will bring it again", story=work.delivered.story)
        finally:
            self._held.discard(work.key)
            self._metrics.held.set(len(self._held))

    async def _attempts(self, work: Work) -> bool:
        """True once the publication is in or buried; False where it has to come again."""
        attempts = 0
        while not self._stopping.is_set():
            try:
                await self._threaded(partial(self._attempt, work))
                return True
            except StoryLeased:
                await self._pause(LEASE_PAUSE)
            except Poison as poison:
                await self._threaded(partial(self._bury_unknown, work, poison))
                return True
            except Exception as error:  # noqa: BLE001 - supervision: whatever it is, it is repeated or kept
                attempts += 1
                if not self._policy.allows(error, attempts):
                    # a service that is away for longer is no fault of the chapter's: the reconciler brings it again
                    return False if isinstance(error, Unavailable) else await self._bury(work, error, attempts)
                if attempts == 1 or not is_outage(error):
                    _logger.warning(
                        "attempt failed, will be repeated", **_keys(work), attempt=attempts, error=repr(error)
                    )
                await self._pause(self._policy.wait(attempts, self._draw))
        return False

    def _attempt(self, work: Work) -> None:
        self._handler.attempt(self._publication(work), work.source)

    def _publication(self, work: Work) -> Publication:
        """The publication as it was registered: a message can be forged or cut, the ledger's row cannot."""
        row = self._ledger.publication(work.delivered.story, work.delivered.sequence)
        if row is None:
            raise Poison(f"Nobody registered publication {work.delivered.story}/{work.delivered.sequence}.")
        return row.publication

    async def _bury(self, work: Work, error: Exception, attempts: int) -> bool:
        try:
            await self._threaded(lambda: self._handler.bury(self._publication(work), error, attempts, work.source))
        except Exception as also:
            if not is_outage(also):
                raise
            _logger.warning("the ledger does not answer; it will come again", **_keys(work), error=repr(also))
            return False
        return True

    async def _bury_poison(self, raw: bytes | None, poison: Poison, source: SourceOffset) -> bool:
        try:
            await self._threaded(lambda: self._dead_letters.bury_message(raw, poison, source))
        except Exception as error:
            if not is_outage(error):
                raise
            _logger.warning("a message that cannot be read will come again", offset=source.offset, error=repr(error))
            return False
        self._metrics.publications.labels(POISON).inc()
        self._settled(source)
        return True

    def _bury_unknown(self, work: Work, poison: Poison) -> None:
        self._metrics.publications.labels(POISON).inc()
        if work.source is not None:
            self._dead_letters.bury_message(orjson.dumps(work.delivered), poison, work.source)

    async def _threaded(self, call: Callable[[], Result]) -> Result:
        async with self._slots:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), timeout=seconds)
        except TimeoutError:
            return


def _keys(work: Work) -> dict[str, object]:
    d = work.delivered
    return {"story": d.story, "chapter": d.chapter, "revision": d.revision, "correlation": f"{d.story}/{d.sequence}"}
