"""The README is true: its commands run, and the tests it names exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from services.local.postgres import LocalPostgres
from services.settings import VARIABLES
from tests.serving_fixtures import served

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SERVED = "http://127.0.0.1:8077"


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def named_tests() -> list[str]:
    table = README.partition("## Guarantees")[2].partition("\n## ")[0]
    return re.findall(r"`(tests/[^`]+)`", table)


@pytest.mark.timeout(900)
def test_the_commands_of_the_readme_run_one_after_the_other(tmp_path: Path) -> None:
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("FABULA_")},
        "FABULA_HOME": str(tmp_path / "home"),
        "FABULA_EMBEDDER": "hash",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    tmp_path.chmod(0o755)
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
    assert len(commands) >= 10
    try:
        for command in commands:
            done = subprocess.run(
                ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    finally:
        LocalPostgres(tmp_path / "home" / "postgres").wipe()


def test_the_python_of_the_readme_publishes_and_reads(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    [code] = blocks("python")
    with served(environment) as address:
        assert SERVED in code
        exec(compile(code.replace(SERVED, address), "README.md", "exec"), {})  # noqa: S102
    assert "owner(brass key)" in capsys.readouterr().out


def test_the_python_of_the_page_on_the_client_publishes_and_reads(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
    with served(environment) as address:
        for code in blocks("python", page):
            assert SERVED in code
            exec(compile(code.replace(SERVED, address), "docs/client.md", "exec"), {"__name__": "__main__"})  # noqa: S102
    assert capsys.readouterr().out.splitlines() == [
        "owner(brass key) Mara Voss The brass key lay warm in Mara's palm",
        "Mara Voss",
        "['Mara Voss']",
    ]


@pytest.mark.parametrize("name", named_tests())
def test_every_test_that_the_guarantees_name_exists(name: str) -> None:
    path, _, test = name.partition("::")
    source = ROOT / path
    assert source.is_file()
    assert not test or f"def {test}(" in source.read_text(encoding="utf-8")


def test_every_guarantee_names_a_test() -> None:
    rows = [r for r in README.partition("## Guarantees")[2].splitlines() if re.match(r"\| \d", r)]
    assert len(rows) >= 8
    assert all("`tests/" in row for row in rows)


def test_the_variables_of_the_readme_are_ones_the_product_reads() -> None:
    assert set(re.findall(r"`(FABULA_[A-Z_]+)`", README)) <= set(VARIABLES.values())
