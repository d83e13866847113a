"""A replay heals read models that are not what the log gives, and says so where they are not."""

from __future__ import annotations

import json

import psycopg
import pytest
from click.testing import CliRunner

from services.cli.main import cli
from services.composition import Application
from services.settings import Settings
from tests.serving_fixtures import entity, owns


@pytest.fixture
def damaged(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A story of two chapters whose read model of the state has lost what chapter 2 says."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Application(Settings.from_env(environment)) as application:
        for chapter, owner in ((1, "Mara"), (2, "Tomas")):
            records = [entity("e1", owner), owns("o1", "key", owner, f"{owner} had the key")]
            application.publisher.publish("s", chapter, f"{owner} had the key.", records=records)
        dsn = application.dsn
    with psycopg.connect(dsn) as conn:
        row = conn.execute("SELECT schema FROM projections.read_models WHERE live AND name = 'story_state'").fetchone()
        assert row is not None
        conn.execute(f"DELETE FROM {row[0]}.intervals WHERE valid @> 2".encode())
        gone = conn.execute(f"DELETE FROM {row[0]}.assertions WHERE chapter = 2".encode()).rowcount
        assert gone > 0
    return environment


def test_a_checkpoint_that_is_not_what_the_log_gives_is_named(damaged: dict[str, str]) -> None:
    result = CliRunner().invoke(cli, ["replay", "s", "--verify", "--json"])
    assert result.exit_code == 1, result.output
    assert [each["at"] for each in json.loads(result.stdout)["differences"]] == [2]


def test_a_replay_puts_what_the_log_gives_in_place(damaged: dict[str, str]) -> None:
    rebuilt = CliRunner().invoke(cli, ["replay", "s", "--json"])
    assert rebuilt.exit_code == 0, rebuilt.output
    assert "story_state" in json.loads(rebuilt.stdout)["rebuilt"]
    assert CliRunner().invoke(cli, ["replay", "s", "--verify"]).exit_code == 0
    state = json.loads(CliRunner().invoke(cli, ["state", "s", "--json"]).stdout)["state"]
    assert {each["key"]: each["value"] for each in state} == {"owner(key)": "Tomas"}


def test_checkpoints_between_far_chapters_are_that_of_the_chapter_before(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Application(Settings.from_env(environment)) as application:
        for chapter in (1, 1_000_000):
            application.publisher.publish("s", chapter, "Mara had the key.", records=[owns("o1", "key", "Mara", "key")])
    result = CliRunner().invoke(cli, ["replay", "s", "--verify", "--json"])
    assert result.exit_code == 0, result.output
    assert [each["at"] for each in json.loads(result.stdout)["checkpoints"]] == [1, 1_000_000]
