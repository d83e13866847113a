"""Lanes: order inside a story, no story in another's way, a bounded amount held."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from services.extraction.lanes import Lanes

Step = tuple[str, int]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def lanes_of(run: Callable[[Step], Awaitable[None]], *, per_lane: int = 100, total: int = 1_000) -> Lanes[Step]:
    return Lanes(run, per_lane=per_lane, total=total)


@pytest.mark.anyio
async def test_the_work_of_one_story_is_done_in_the_order_it_came() -> None:
    done: list[Step] = []

    async def run(step: Step) -> None:
        await asyncio.sleep(0.001 * (3 - step[1] % 3))
        done.append(step)

    lanes = lanes_of(run)
    for n in range(12):
        await lanes.put("a", ("a", n))
    await lanes.close(5.0)
    assert done == [("a", n) for n in range(12)]


@pytest.mark.anyio
async def test_a_stalled_story_does_not_hold_up_another() -> None:
    stalled, done = asyncio.Event(), asyncio.Event()

    async def run(step: Step) -> None:
        if step[0] == "slow":
            await stalled.wait()
        else:
            done.set()

    lanes = lanes_of(run)
    await lanes.put("slow", ("slow", 1))
    await lanes.put("other", ("other", 1))
    await asyncio.wait_for(done.wait(), 1.0)
    stalled.set()
    assert await lanes.close(1.0) == 0


@pytest.mark.anyio
async def test_a_full_lane_refuses_more_while_others_are_open() -> None:
    stalled = asyncio.Event()

    async def run(step: Step) -> None:
        await stalled.wait()

    lanes = lanes_of(run, per_lane=2, total=10)
    assert [await lanes.put("a", ("a", n)) for n in range(3)] == [True, True, False]
    assert await lanes.put("b", ("b", 0))
    stalled.set()
    await lanes.close(1.0)


@pytest.mark.anyio
async def test_no_more_than_the_total_is_held() -> None:
    stalled = asyncio.Event()

    async def run(step: Step) -> None:
        await stalled.wait()

    lanes = lanes_of(run, per_lane=2, total=3)
    for story in "abc":
        await lanes.put(story, (story, 0))
    waiting = asyncio.create_task(lanes.put("d", ("d", 0)))
    await asyncio.sleep(0.02)
    assert not waiting.done()
    assert lanes.held == 3
    stalled.set()
    assert await waiting
    await lanes.close(1.0)


@pytest.mark.anyio
async def test_closing_gives_up_after_the_time_and_says_how_much_was_left() -> None:
    async def run(step: Step) -> None:
        await asyncio.sleep(60)

    lanes = lanes_of(run)
    for n in range(3):
        await lanes.put("a", ("a", n))
    assert await lanes.close(0.05) == 3


@pytest.mark.anyio
async def test_a_lane_that_ran_empty_opens_again() -> None:
    done: list[Step] = []

    async def run(step: Step) -> None:
        done.append(step)

    lanes = lanes_of(run)
    await lanes.put("a", ("a", 1))
    await asyncio.sleep(0.01)
    await lanes.put("a", ("a", 2))
    await lanes.close(1.0)
    assert done == [("a", 1), ("a", 2)]


def test_limits_that_let_nothing_in_are_refused() -> None:
    async def run(step: Step) -> None: ...

    with pytest.raises(ValueError, match="per_lane"):
        lanes_of(run, per_lane=0)
