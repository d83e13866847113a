"""The place where the fault tests happen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.workers import Place, place


@pytest.fixture
def here(postgres_dsn: str, kafka_broker: str, tmp_path: Path) -> Iterator[Place]:
    """A fresh database and topics of this test's own; no worker runs yet."""
    with place(postgres_dsn, kafka_broker, tmp_path) as made:
        yield made
