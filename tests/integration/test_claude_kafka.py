"""Chapters read with Claude by a worker of its own: what waits for money stays, other stories go on, and it is told why."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.composition import Application
from services.extraction.status import status
from services.settings import Settings
from tests.claude_chapters import SHORT
from tests.messages_server import MessagesServer, is_follow_up
from tests.serving_fixtures import fabula, started


@pytest.fixture
def over_kafka(environment: dict[str, str], kafka_broker: str, claude_server: MessagesServer) -> dict[str, str]:
    return {
        **environment,
        "FABULA_KAFKA": kafka_broker,
        "FABULA_LOG_LEVEL": "info",
        "FABULA_EXTRACTOR": "claude",
        "ANTHROPIC_API_KEY": "test",
        "ANTHROPIC_BASE_URL": claude_server.url,
        "FABULA_RECONCILE_EVERY": "0.5",
        "FABULA_RECONCILE_GRACE": "0.5",
        "FABULA_OUTBOX_GRACE": "0.5",
    }


@pytest.mark.timeout(600)
def test_over_a_broker_what_waits_for_the_budget_is_told_and_goes_on_when_it_is_raised(
    over_kafka: dict[str, str], claude_server: MessagesServer, tmp_path: Path
) -> None:
    story, other = f"poor-{secrets.token_hex(4)}", f"handed-{secrets.token_hex(4)}"
    for n in (1, 2):
        (tmp_path / f"chapter-{n:03}.txt").write_text(f"Chapter {n} of {story}. {SHORT}")
    handed = tmp_path / "records.json"
    handed.write_text("[]")
    with Application(Settings.from_env(over_kafka)) as product:
        with (
            started("worker", environment={**over_kafka, "FABULA_CLAUDE_BUDGET": "0.000001"}) as (worker, _),
            started("project", environment=over_kafka),
        ):
            with started("import", story, str(tmp_path), environment=over_kafka) as (stopped, _):
                assert stopped.wait(300) == 1, "it stops politely"
            sent = fabula(
                "publish", other, "1", "-", "--records", str(handed), "--no-wait",
                environment=over_kafka, stdin=SHORT.encode(),
            )  # fmt: skip
            assert sent.returncode == 0, sent.stderr.decode()
            until(lambda: told(product, other)["chapters"]["in"] == 1)
            found = told(product, story)
            assert [each["reason"] for each in found["waiting"]] == ["budget-reached"] * 2
            assert (found["needs_retry"], claude_server.asked) == ([], [])
            worker.terminate()
            worker.wait(60)
        with started("worker", environment=over_kafka):
            until(lambda: told(product, story)["chapters"]["in"] == 2)
    assert len([body for body in claude_server.asked if not is_follow_up(body)]) == 2


def told(product: Application, story: str) -> dict[str, Any]:
    return status(product.pool, story, ())


def until(condition: Callable[[], bool], seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.2)
