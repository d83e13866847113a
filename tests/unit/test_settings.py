"""The configuration is read once from the environment, and a value that cannot be used is named."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from services.settings import VARIABLES, InvalidSetting, Settings


def test_without_any_variable_everything_is_embedded(tmp_path: Path) -> None:
    settings = Settings.from_env({"HOME": str(tmp_path)})
    assert (settings.kafka, settings.postgres, settings.elasticsearch, settings.anthropic_api_key) == (None,) * 4
    assert settings.embedded
    assert (settings.extractor, settings.embedder) == ("offline", "minilm")
    assert settings.home == tmp_path / ".local/share/fabula"
    assert settings.cache == tmp_path / ".cache/fabula"


def test_every_field_has_a_variable() -> None:
    assert set(VARIABLES) == {each.name for each in fields(Settings)}


def test_a_blank_variable_counts_as_unset(tmp_path: Path) -> None:
    assert Settings.from_env({"HOME": str(tmp_path), "FABULA_KAFKA": "  "}).kafka is None


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = Settings.from_env({"HOME": str(tmp_path)})
    with pytest.raises(FrozenInstanceError):
        settings.port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("FABULA_KAFKA", "one:9092,two:9093", "kafka", "one:9092,two:9093"),
        ("FABULA_KAFKA", "kafka://one:9092", "kafka", "one:9092"),
        ("FABULA_POSTGRES", "postgresql://u@h/d", "postgres", "postgresql://u@h/d"),
        ("FABULA_POSTGRES", "host=h dbname=d", "postgres", "host=h dbname=d"),
        ("FABULA_ELASTICSEARCH", "http://localhost:9200/", "elasticsearch", "http://localhost:9200"),
        ("FABULA_EXTRACTOR", "None", "extractor", "none"),
        ("FABULA_EMBEDDER", "hash", "embedder", "hash"),
        ("FABULA_PORT", "9000", "port", 9000),
        ("FABULA_WAIT_SECONDS", "2.5", "wait_seconds", 2.5),
        ("FABULA_LOG", "json", "log", "json"),
    ],
)
def test_a_variable_sets_its_field(tmp_path: Path, variable: str, text: str, name: str, value: object) -> None:
    assert getattr(Settings.from_env({"HOME": str(tmp_path), variable: text}), name) == value


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("FABULA_KAFKA", "localhost"),
        ("FABULA_KAFKA", "localhost:port"),
        ("FABULA_KAFKA", "localhost:9092,"),
        ("FABULA_KAFKA", "localhost:99999"),
        ("FABULA_POSTGRES", "localhost"),
        ("FABULA_ELASTICSEARCH", "localhost:9200"),
        ("FABULA_ELASTICSEARCH", "http://localhost:many"),
        ("FABULA_EXTRACTOR", "gpt"),
        ("FABULA_EMBEDDER", "big"),
        ("FABULA_PORT", "0"),
        ("FABULA_PORT", "65536"),
        ("FABULA_PORT", "²"),
        ("FABULA_WAIT_SECONDS", "nan"),
        ("FABULA_WAIT_SECONDS", "soon"),
        ("FABULA_LOG", "xml"),
        ("FABULA_LOG_LEVEL", "loud"),
        ("FABULA_HOME", "/etc/hostname"),
        ("FABULA_HOST", "a b"),
        ("FABULA_MAX_BODY_BYTES", "-1"),
    ],
)
def test_a_malformed_value_is_refused_naming_its_variable(tmp_path: Path, variable: str, text: str) -> None:
    with pytest.raises(InvalidSetting, match=variable):
        Settings.from_env({"HOME": str(tmp_path), variable: text})


def test_no_secret_is_shown_when_settings_are_printed(tmp_path: Path) -> None:
    settings = Settings.from_env(
        {"HOME": str(tmp_path), "ANTHROPIC_API_KEY": "sk-secret", "FABULA_POSTGRES": "postgresql://u:hidden@h/d"}
    )
    assert "sk-secret" not in repr(settings)
    assert "hidden" not in repr(settings)


def test_a_relative_home_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Settings.from_env({"FABULA_HOME": "here", "HOME": str(tmp_path)}).home == tmp_path / "here"
