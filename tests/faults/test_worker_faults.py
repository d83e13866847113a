"""Faults of the way from the broker into the log: real broker, real PostgreSQL, real processes, real SIGKILLs.

Whatever happens, every published chapter is in the log exactly once, and every offset is accounted for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.workers import Place, eventually, exactly_once, kill, place


@pytest.fixture
def here(postgres_dsn: str, kafka_broker: str, tmp_path: Path) -> Iterator[Place]:
    with place(postgres_dsn, kafka_broker, tmp_path) as made:
        yield made


def settled(here: Place, expected: dict[str, int], seconds: float) -> None:
    """Everything expected is in the log exactly once, and nothing is left unrecorded."""
    wanted = exactly_once(expected)
    eventually(lambda: len(here.appended()) >= len(wanted), seconds, "every chapter in the log")
    eventually(lambda: here.unrecorded() == 0, 15, "every offset recorded")
    assert here.appended() == wanted


def test_what_is_published_is_taken_in(here: Place) -> None:
    here.worker()
    here.publish("a", 5)
    here.publish("b", 5)
    settled(here, {"a": 5, "b": 5}, 30)
