"""The demonstration shows a newcomer the whole of it, and changes nothing when it is run again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.local.postgres import LocalPostgres
from tests.serving_fixtures import fabula


@pytest.mark.timeout(300)
def test_the_demonstration_tells_the_same_when_it_is_run_again(services_directory: Path) -> None:
    home = services_directory / "demo-home"
    environment = {"FABULA_HOME": str(home), "FABULA_EMBEDDER": "hash"}
    try:
        first = fabula("demo", "--keep", environment=environment)
        assert first.returncode == 0, first.stderr.decode()
        again = fabula("demo", "--keep", environment=environment)
        assert again.returncode == 0, again.stderr.decode()
    finally:
        LocalPostgres(home / "demo" / "postgres").wipe()
    told = first.stdout.decode()
    for words in (
        "after chapter 3   owner(brass key)   Jorun Pell",
        "after chapter 9   owner(brass key)   Ottiline Marsk",
        "after chapter 6: the Grey Clerk",
        "after chapter 7: Ewart Pell",
        "as believed now: owner(brass key) is Dacey Vorn",
        "precondition failed",
        "dependency withdrawn",
        "10 of 10 checkpoints have the same digest",
    ):
        assert words in told
    assert _stable(told) == _stable(again.stdout.decode())


def _stable(told: str) -> str:
    """The words without what may differ: how long it took, how many chapters were new, and where lines break."""
    return re.sub(
        r"in \d+ seconds|10 chapters published|all ten chapters were there already", "", " ".join(told.split())
    )
