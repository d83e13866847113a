"""The product that reads with Claude, the service being a local server: as an application and from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner, Result

from services.cli.main import cli
from services.composition import Application
from services.extraction.claude.client import Claude
from services.settings import Settings
from tests.claude_chapters import ALL
from tests.messages_server import Answer, MessagesServer, is_follow_up, messages_server, records

Run = Callable[..., Result]


def usual(body: dict[str, Any], _: int) -> Answer:
    """All that there is to say of the chapter at the first look, and nothing at the second."""
    return records() if is_follow_up(body) else records(*ALL)


@pytest.fixture
def claude_server() -> Iterator[MessagesServer]:
    with messages_server() as running:
        running.answer = usual
        yield running


@pytest.fixture
def claude_environment(
    shared_environment: dict[str, str], claude_server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The environment of a product that asks the local server, whose waits between attempts are over at once."""
    ours = {"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": claude_server.url, "FABULA_EXTRACTOR": "claude"}
    environment = {**shared_environment, **ours}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    waits = Claude._wait
    monkeypatch.setattr(Claude, "_wait", lambda *given: min(0.0, waits(*given)))
    return environment


@pytest.fixture
def claude_product(claude_environment: dict[str, str]) -> Iterator[Application]:
    with Application(Settings.from_env(claude_environment)) as built:
        yield built


@pytest.fixture
def claude_run(claude_environment: dict[str, str]) -> Run:
    """Run a command in this process."""

    def run_command(*arguments: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(cli, list(arguments), input=stdin)

    return run_command


def document(result: Result) -> dict[str, Any]:
    assert result.exit_code in (0, 1), result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found
