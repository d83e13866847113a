"""Starting costs little: no command loads what it does not use."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from services.cli.main import COMMANDS, cli
from tests.serving_fixtures import ROOT, fabula

MODELS = ("spacy", "onnxruntime", "tokenizers", "faust", "fastapi", "kafka", "elasticsearch", "anthropic")


def test_the_help_lists_every_command() -> None:
    result = fabula("--help", environment={})
    assert result.returncode == 0, result.stderr
    shown = result.stdout.decode()
    assert [name for name in COMMANDS if f"  {name} " not in shown] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    command = cli.get_command(cli.make_context("fabula", [], resilient_parsing=True), name)
    assert command is not None
    assert command.help


def test_an_interrupted_command_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Group, "invoke", interrupted)
    with pytest.raises(SystemExit) as end:
        cli.main(["stories"])
    assert end.value.code == 130
    assert "run the command again to go on" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["state", "promises", "knowledge", "recap"])
def test_what_reads_loads_no_model_and_no_broker(shared_environment: dict[str, str], command: str) -> None:
    fabula("publish", "s", "1", "-", environment=shared_environment, stdin=b"Mara waited.")
    program = (
        "import sys; from services.cli.main import cli\n"
        f"try: cli.main({[command, 's', '--json']!r})\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        f"print([name for name in {MODELS!r} if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=shared_environment, capture_output=True, check=True, timeout=60
    )
    assert result.stderr.splitlines()[-1] == b"[]"
