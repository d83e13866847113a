"""The intake of a worker, with real lanes and threads and a ledger that is none."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

import psycopg
import pytest

from events.chapters import Publication
from events.errors import Postponed, Unavailable
from events.ledger import Ledger
from events.publications import PublicationRow, SourceOffset
from services.extraction.dead_letters import DeadLetters
from services.extraction.handling import Handler
from services.extraction.intake import Intake, IntakeLimits
from services.extraction.leases import StoryLeased
from services.extraction.metrics import IntakeMetrics
from services.extraction.retrying import RetryPolicy
from services.publishing.messages import encode

QUICK = RetryPolicy(attempts=2, outage_attempts=3, first=0.001, longest=0.002)
Attempt = Callable[[Publication], None]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def publication(story: str, sequence: int) -> Publication:
    return Publication(
        story=story, sequence=sequence, chapter=sequence, revision=1, action="publish", content_hash="c",
        text_hash="t", title=None, language="en", records=None, decision={}, published_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip


class Around:
    """What stands around the intake: a ledger that has every publication, a handler that does what the test says."""

    def __init__(self, attempt: Attempt = lambda _: None, limits: IntakeLimits | None = None) -> None:
        self.attempted: list[tuple[str, int]] = []
        self.buried: list[tuple[str, int, int]] = []
        self.messages: list[tuple[bytes | None, int]] = []
        self.settled: list[int] = []
        self.unregistered: set[str] = set()
        self.burying: Callable[[], None] = lambda: None
        self._attempt = attempt
        self.intake = Intake(
            cast(Handler, self),
            cast(Ledger, self),
            cast(DeadLetters, self),
            metrics=IntakeMetrics(),
            limits=limits or IntakeLimits(),
            policy=QUICK,
            settled=lambda source: self.settled.append(source.offset),
        )

    def publication(self, story: str, sequence: int) -> PublicationRow | None:
        if story in self.unregistered:
            return None
        row = {"attempts": 0, "error": None, "first_position": None, "last_position": None, "events": 0}
        return PublicationRow(
            publication=publication(story, sequence), status="accepted", rejected=[], warnings=[], **cast(Any, row)
        )

    def attempt(self, taken: Publication, source: SourceOffset | None) -> None:
        self.attempted.append((taken.story, taken.sequence))
        self._attempt(taken)

    def bury(self, taken: Publication, error: BaseException, attempts: int, source: SourceOffset | None) -> None:
        self.burying()
        self.buried.append((taken.story, taken.sequence, attempts))

    def bury_message(self, raw: bytes | None, error: BaseException, source: SourceOffset) -> None:
        self.burying()
        self.messages.append((raw, source.offset))

    async def deliver(self, story: str, sequence: int, offset: int) -> bool:
        return await self.intake.take(encode(publication(story, sequence)), SourceOffset("topic", 0, offset))


@pytest.mark.anyio
async def test_what_is_taken_in_is_settled() -> None:
    around = Around()
    assert await around.deliver("a", 1, 10)
    await _until(lambda: around.settled == [10])
    assert around.attempted == [("a", 1)]


@pytest.mark.anyio
async def test_a_chapter_that_keeps_failing_is_buried_and_the_next_goes_on() -> None:
    def attempt(taken: Publication) -> None:
        if taken.sequence == 1:
            raise KeyError("broken")

    around = Around(attempt)
    await around.deliver("a", 1, 10)
    await around.deliver("a", 2, 11)
    await _until(lambda: len(around.settled) == 2)
    assert around.buried == [("a", 1, 2)]
    assert around.attempted == [("a", 1), ("a", 1), ("a", 2)]


@pytest.mark.anyio
async def test_an_outage_is_waited_for() -> None:
    left = [Unavailable("busy"), ConnectionResetError()]

    def attempt(taken: Publication) -> None:
        if left:
            raise left.pop()

    around = Around(attempt)
    await around.deliver("a", 1, 10)
    await _until(lambda: around.settled == [10])
    assert around.buried == []


@pytest.mark.anyio
@pytest.mark.parametrize(("error", "attempts"), [(Unavailable("away for hours"), 3), (Postponed("no money left"), 1)])
async def test_what_waits_for_longer_is_handed_back_unburied_and_the_story_goes_on(
    error: Exception, attempts: int
) -> None:
    def attempt(taken: Publication) -> None:
        if taken.sequence == 1:
            raise error

    around = Around(attempt)
    await around.deliver("a", 1, 10)
    await around.deliver("a", 2, 11)
    await _until(lambda: around.settled == [11])
    assert around.buried == []
    assert around.attempted == [("a", 1)] * attempts + [("a", 2)]
    assert not around.intake.holds(SourceOffset("topic", 0, 10)), "the reconciler may bring it again"


@pytest.mark.anyio
async def test_waiting_for_another_workers_lease_is_no_failed_attempt() -> None:
    left = [StoryLeased("leased") for _ in range(3)]

    def attempt(taken: Publication) -> None:
        if left:
            raise left.pop()

    around = Around(attempt)
    await around.deliver("a", 1, 10)
    await _until(lambda: around.settled == [10])
    assert around.buried == []


@pytest.mark.anyio
async def test_what_cannot_be_buried_now_is_not_settled() -> None:
    def attempt(taken: Publication) -> None:
        raise KeyError("broken")

    def no_database() -> None:
        raise psycopg.OperationalError("gone")

    around = Around(attempt)
    around.burying = no_database
    await around.deliver("a", 1, 10)
    await around.intake.take(b"{", SourceOffset("topic", 0, 11))
    await _until(lambda: len(around.attempted) == 2)
    await around.intake.close(2.0)
    assert around.settled == []


@pytest.mark.anyio
async def test_a_message_that_cannot_be_read_is_kept_with_its_bytes_and_settled() -> None:
    around = Around()
    await around.intake.take(b"{", SourceOffset("topic", 0, 11))
    assert (around.messages, around.settled) == ([(b"{", 11)], [11])


@pytest.mark.anyio
async def test_a_message_about_a_publication_that_nobody_registered_is_kept_as_unreadable() -> None:
    around = Around()
    around.unregistered.add("forged")
    await around.deliver("forged", 1, 10)
    await _until(lambda: around.settled == [10])
    assert [offset for _, offset in around.messages] == [10]


@pytest.mark.anyio
async def test_a_delivery_that_is_being_taken_in_is_not_taken_again() -> None:
    go_on = threading.Event()
    around = Around(lambda _: cast(None, go_on.wait(5)))
    await around.deliver("a", 1, 10)
    await around.deliver("a", 1, 10)
    assert around.intake.holds(SourceOffset("topic", 0, 10))
    go_on.set()
    await _until(lambda: around.settled == [10])
    await around.intake.close(2.0)
    assert around.attempted == [("a", 1)]


@pytest.mark.anyio
async def test_a_story_with_too_much_waiting_is_left_to_the_reconciler() -> None:
    go_on = threading.Event()
    around = Around(lambda _: cast(None, go_on.wait(5)), IntakeLimits(concurrency=1, per_lane=2, total=10))
    taken = [await around.deliver("a", n, n) for n in (1, 2, 3)]
    assert taken == [True, True, False]
    assert not around.intake.holds(SourceOffset("topic", 0, 3))
    go_on.set()
    await _until(lambda: around.settled == [1, 2])


@pytest.mark.anyio
async def test_the_event_loop_keeps_beating_while_extractors_stall() -> None:
    around = Around(lambda _: time.sleep(0.5), IntakeLimits(concurrency=2))
    await around.deliver("a", 1, 1)
    await around.deliver("b", 1, 2)
    beats = []
    while len(around.settled) < 2:
        beats.append(time.monotonic())
        await asyncio.sleep(0.005)
    assert len(beats) > 20
    await around.intake.close(1.0)


@pytest.mark.anyio
async def test_nothing_is_taken_once_the_worker_ends() -> None:
    around = Around()
    await around.intake.close(1.0)
    assert not await around.deliver("a", 1, 10)
    assert around.attempted == []


@pytest.mark.anyio
async def test_ending_hands_back_what_has_not_begun() -> None:
    go_on = threading.Event()
    around = Around(lambda _: cast(None, go_on.wait(5)))
    for n in (1, 2, 3):
        await around.deliver("a", n, n)
    await _until(lambda: around.attempted == [("a", 1)])
    closing = asyncio.create_task(around.intake.close(3.0))
    await asyncio.sleep(0.05)
    go_on.set()
    await closing
    assert (around.attempted, around.settled) == ([("a", 1)], [1])


async def _until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        await asyncio.sleep(0.005)
