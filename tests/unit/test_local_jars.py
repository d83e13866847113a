"""The jars of the local services are exactly those of the lock files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from services.local import jars as fetching
from services.local.errors import LocalServiceError, PrerequisiteMissing
from services.local.jars import STACK, jars, locked_jars

POM = "{http://maven.apache.org/POM/4.0.0}"


@pytest.mark.parametrize("component", ["kafka", "elasticsearch"])
def test_the_lock_holds_what_the_pom_asks_for(component: str) -> None:
    dependencies = ElementTree.parse(STACK / component / "pom.xml").iter(f"{POM}dependency")  # noqa: S314 (our own file)
    asked = {tuple(d.findtext(f"{POM}{part}") for part in ("groupId", "artifactId", "version")) for d in dependencies}
    locked = {
        (parts[0], parts[1], parts[-1]) for parts in (j.coordinate.split(":") for j in locked_jars(STACK / component))
    }
    assert asked
    assert asked <= locked


@pytest.fixture
def component(tmp_path: Path) -> Path:
    directory = tmp_path / "thing"
    directory.mkdir()
    digest = hashlib.sha256(b"right").hexdigest()
    (directory / "jars.lock").write_text(f"{digest}  group:thing:jar:1  thing-1.jar\n")
    return directory


def _maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    """An `mvn` that delivers one jar with this content, as the only way to fetch."""
    program = tmp_path / "bin" / "mvn"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        "for each; do case $each in -DoutputDirectory=*) into=${each#*=} ;; esac; done\n"
        f'printf %s {content} >"$into/thing-1.jar"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(fetching, "PACKAGE", "no_such_package")


def test_what_was_fetched_once_is_not_fetched_again(
    component: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _maven(tmp_path, monkeypatch, "right")
    first = jars(component, tmp_path / "cache")
    monkeypatch.setenv("PATH", "/nowhere")
    assert jars(component, tmp_path / "cache") == first
    assert (first / "thing-1.jar").read_bytes() == b"right"


def test_a_jar_with_another_content_is_refused_and_not_kept(
    component: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _maven(tmp_path, monkeypatch, "wrong")
    with pytest.raises(LocalServiceError, match=r"thing-1\.jar is not the file that jars\.lock lists"):
        jars(component, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("thing-jars-*"))


def test_without_a_way_to_fetch_the_error_says_what_to_install(
    component: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(fetching, "PACKAGE", "no_such_package")
    with pytest.raises(PrerequisiteMissing, match="pip install maven-artifact"):
        jars(component, tmp_path / "cache")
