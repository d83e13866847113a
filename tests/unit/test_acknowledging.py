"""Acknowledgements: nothing is acknowledged before all that came before it is settled."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from events.publications import SourceOffset
from services.extraction.acknowledging import Acknowledgements


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def at(offset: int, partition: int = 0) -> SourceOffset:
    return SourceOffset("topic", partition, offset)


@pytest.mark.anyio
async def test_what_is_settled_out_of_order_is_acknowledged_in_order() -> None:
    acknowledged: list[int] = []
    kept = Acknowledgements()
    for offset in range(3, 7):
        await kept.taken(at(offset), partial(acknowledged.append, offset))
    kept.settled(at(5))
    kept.settled(at(4))
    assert acknowledged == []
    kept.settled(at(3))
    assert acknowledged == [3, 4, 5]


@pytest.mark.anyio
async def test_partitions_do_not_wait_for_each_other() -> None:
    acknowledged: list[str] = []
    kept = Acknowledgements()
    await kept.taken(at(0, 0), partial(acknowledged.append, "0/0"))
    await kept.taken(at(9, 1), partial(acknowledged.append, "1/9"))
    kept.settled(at(9, 1))
    assert acknowledged == ["1/9"]


@pytest.mark.anyio
async def test_a_message_delivered_again_is_acknowledged_once_as_its_last_delivery() -> None:
    acknowledged: list[str] = []
    kept = Acknowledgements()
    await kept.taken(at(0), partial(acknowledged.append, "first"))
    await kept.taken(at(0), partial(acknowledged.append, "again"))
    kept.settled(at(0))
    kept.settled(at(0))
    assert acknowledged == ["again"]


@pytest.mark.anyio
async def test_an_offset_that_was_never_delivered_here_is_nothing_to_acknowledge() -> None:
    Acknowledgements().settled(at(7))


@pytest.mark.anyio
async def test_no_more_is_taken_from_a_partition_whose_first_message_is_stuck() -> None:
    acknowledged: list[int] = []
    kept = Acknowledgements(limit=2)
    for offset in (0, 1):
        await kept.taken(at(offset), partial(acknowledged.append, offset))
    waiting = asyncio.create_task(kept.taken(at(2), partial(acknowledged.append, 2)))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    kept.settled(at(0))
    await asyncio.wait_for(waiting, 1.0)
    assert acknowledged == [0]


@pytest.mark.anyio
async def test_what_was_delivered_before_a_partition_was_revoked_is_not_acknowledged() -> None:
    acknowledged: list[int] = []
    kept = Acknowledgements()
    await kept.taken(at(0), partial(acknowledged.append, 0))
    kept.revoked("topic", 0)
    kept.settled(at(0))
    await kept.taken(at(4), partial(acknowledged.append, 4))
    kept.settled(at(4))
    assert acknowledged == [4]
