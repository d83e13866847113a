"""Stories told to a served API, step by step; FABULA_CASES names a folder with more of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.acceptance.running import run
from tests.serving_fixtures import served

OWN = sorted((Path(__file__).parent / "cases").glob("*.json"))
FOLDER = os.environ.get("FABULA_CASES", "")
OTHERS = sorted(Path(FOLDER).glob("*.json")) if FOLDER else []


@pytest.fixture(scope="module")
def api(shared_environment: dict[str, str]) -> Iterator[httpx.Client]:
    """A client of a real server process."""
    with served(shared_environment) as address, httpx.Client(base_url=address, timeout=120) as client:
        yield client


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_a_case_of_our_own_holds(api: httpx.Client, path: Path) -> None:
    assert run(_case(path), api) == []


@pytest.mark.skipif(not OTHERS, reason="FABULA_CASES names no folder with cases")
@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_a_case_handed_in_holds(api: httpx.Client, path: Path) -> None:
    assert run(_case(path), api) == []


def test_a_case_that_does_not_hold_is_told_with_its_step(api: httpx.Client) -> None:
    case = {
        "script": [
            {"publish": 1, "text": "Mara waited.", "records": []},
            {"state": {"at": 1}, "has": {"owner(brass key)": "Mara"}},
            {"history": "owner(brass key)", "current": [["Mara", 1, None]]},
            {"audit": {"chapter": 1}, "has": [{"type": "RecordAsserted"}], "lacks": [{"type": "ChapterPublished"}]},
            {"wish": 1},
        ]
    }
    faults = run(case, api)
    assert [fault.partition(":")[0] for fault in faults] == ["step 2", "step 3", "step 4", "step 4", "step 5"]


def _case(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return case
