"""What is configured, reachable and used; and every check ends in time."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from psycopg_pool import ConnectionPool

from services.cli.main import cli
from services.extraction.claude.account import PostgresAccount
from services.observing.checks import CHECKS, examine
from services.observing.findings import Finding
from services.settings import Settings


def found(settings: Settings, part: str) -> Finding:
    (finding,) = examine(settings, {part: CHECKS[part]})
    return finding


def settings_with(tmp_path: Path, **environ: str) -> Settings:
    return Settings.from_env(
        {"FABULA_HOME": str(tmp_path / "home"), "FABULA_CACHE": str(tmp_path / "cache"), **environ}
    )


def test_without_configuration_everything_that_is_used_works_and_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("FABULA_POSTGRES", "FABULA_KAFKA", "FABULA_ELASTICSEARCH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("FABULA_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(cli, ["doctor", "--json"])
    assert result.exit_code == 0, result.output
    reply = json.loads(result.stdout)
    assert reply["ok"] is True
    assert {each["part"] for each in reply["checks"]} == set(CHECKS)
    assert not (tmp_path / "home").exists()


def test_a_database_that_answers_is_reachable(tmp_path: Path, postgres_dsn: str) -> None:
    finding = found(settings_with(tmp_path, FABULA_POSTGRES=postgres_dsn), "PostgreSQL")
    assert (finding.reachable, finding.remedy) == (True, None)


@pytest.mark.parametrize(
    ("part", "variable", "value"),
    [
        ("PostgreSQL", "FABULA_POSTGRES", "postgresql://nobody@127.0.0.1:1/none"),
        ("Kafka", "FABULA_KAFKA", "127.0.0.1:1"),
        ("Elasticsearch", "FABULA_ELASTICSEARCH", "http://127.0.0.1:1"),
    ],
)
def test_a_service_that_does_not_answer_has_a_remedy(tmp_path: Path, part: str, variable: str, value: str) -> None:
    finding = found(settings_with(tmp_path, **{variable: value}), part)
    assert (finding.reachable, finding.is_fault) == (False, True)
    assert finding.remedy is not None
    assert variable in finding.remedy


def test_a_server_that_accepts_and_says_nothing_is_given_up_in_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        settings = settings_with(tmp_path, FABULA_ELASTICSEARCH=f"http://127.0.0.1:{port}")
        started = time.monotonic()
        finding = found(settings, "Elasticsearch")
    assert finding.reachable is False
    assert time.monotonic() - started < 30


def test_a_check_that_hangs_holds_up_no_other(tmp_path: Path) -> None:
    release = threading.Event()

    def hangs(_settings: Settings) -> Finding:
        release.wait(60)
        raise AssertionError("nobody waits for it")

    def works(_settings: Settings) -> Finding:
        return Finding(part="works", configured="yes", reachable=True, used=True, detail="")

    hanging, working = examine(settings_with(tmp_path), {"hangs": hangs, "works": works}, seconds=0.5)
    release.set()
    assert (hanging.reachable, working.reachable) == (False, True)
    assert hanging.remedy


def test_a_check_that_fails_is_a_finding(tmp_path: Path) -> None:
    def fails(_settings: Settings) -> Finding:
        raise RuntimeError("no such thing")

    (finding,) = examine(settings_with(tmp_path), {"fails": fails})
    assert finding.is_fault
    assert "no such thing" in finding.detail


def test_the_key_of_a_model_service_is_never_shown(tmp_path: Path) -> None:
    finding = found(settings_with(tmp_path, ANTHROPIC_API_KEY="sk-secret"), "Claude")
    assert "secret" not in json.dumps(finding.to_json())


@pytest.mark.parametrize("variable", ["FABULA_EXTRACTOR", "FABULA_READER", "FABULA_PLANNER"])
def test_whatever_is_set_to_claude_makes_it_used_and_its_key_needed(tmp_path: Path, variable: str) -> None:
    settings = settings_with(tmp_path, **{variable: "claude"})
    finding = found(settings, "Claude")
    assert (finding.used, finding.is_fault) == (True, True)
    assert finding.remedy == f"set ANTHROPIC_API_KEY, or unset {variable}"
    assert found(settings, variable.removeprefix("FABULA_").lower()).configured == "claude"


def test_claude_is_not_used_where_nothing_is_set_to_it(tmp_path: Path) -> None:
    finding = found(settings_with(tmp_path, ANTHROPIC_API_KEY="sk-secret"), "Claude")
    assert (finding.used, finding.is_fault) == (False, False)


def test_the_planner_is_named(tmp_path: Path) -> None:
    assert found(settings_with(tmp_path), "planner").configured == "rules"


def test_a_budget_is_shown_beside_what_is_spent(tmp_path: Path, postgres_dsn: str) -> None:
    settings = settings_with(
        tmp_path, FABULA_POSTGRES=postgres_dsn, FABULA_CLAUDE_BUDGET="2.5/day", FABULA_READER="claude"
    )
    before = found(settings, "Claude budget")
    assert (before.configured, before.detail, before.remedy) == ("$2.50 a day", "$0.00 are spent", None)
    with ConnectionPool(postgres_dsn, open=True) as pool:
        PostgresAccount(pool).migrate()
        with pool.connection() as connection:
            connection.execute(
                "INSERT INTO claude.batches (story, requests, expected_usd, status) VALUES ('s', 1, 2.75, 'sent')"
            )
    reached = found(settings, "Claude budget")
    assert (reached.detail, reached.is_fault) == ("$2.75 are spent", False)
    assert "FABULA_CLAUDE_BUDGET" in (reached.remedy or "")


def test_without_a_budget_it_is_said_that_there_is_none(tmp_path: Path) -> None:
    assert found(settings_with(tmp_path), "Claude budget").configured == "no"


def test_a_budget_beside_a_database_that_does_not_answer_is_still_shown(tmp_path: Path) -> None:
    finding = found(
        settings_with(tmp_path, FABULA_CLAUDE_BUDGET="25", FABULA_POSTGRES="postgresql://nobody@127.0.0.1:1/none"),
        "Claude budget",
    )
    assert (finding.configured, finding.is_fault) == ("$25.00", False)
    assert "not known" in finding.detail
