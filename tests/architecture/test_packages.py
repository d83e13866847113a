"""What the layout promises."""

from __future__ import annotations

from pathlib import Path

import pytest

import events
import projections
import services

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("package", [events, projections, services])
def test_the_package_that_is_imported_is_ours(package: object) -> None:
    """Another distribution on the package index installs a module `events` too."""
    assert Path(str(package.__file__)).parent.parent == ROOT  # type: ignore[attr-defined]


def test_no_module_is_called_what_anything_could_be_called() -> None:
    vague = {"utils", "helpers", "common", "manager", "misc", "base"}
    found = [
        p for d in ("events", "projections", "services", "tests") for p in (ROOT / d).rglob("*.py") if p.stem in vague
    ]
    assert found == []
