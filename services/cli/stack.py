"""The local stack for development: a Kafka, a PostgreSQL and an Elasticsearch-compatible server, without Docker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from services.cli import options
from services.cli.output import emit, note, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.group()
def stack() -> None:
    """Run Kafka, PostgreSQL and Elasticsearch locally."""


@stack.command()
@options.as_json
def up(as_json: bool) -> None:
    """Start what does not run yet, and print the variables to export."""
    from services.local.stack import stack_up
    from services.settings import Settings

    settings = Settings.from_env()
    note("Starting the local stack; the first time this fetches what it needs.")
    emit(stack_up(settings.home, settings.cache).to_json(), as_json, _shown)


@stack.command()
@click.option("--wipe", is_flag=True, help="Remove the data too: every story under FABULA_HOME, for good.")
@options.as_json
def down(wipe: bool, as_json: bool) -> None:
    """Stop the services; their data stays."""
    from services.local.stack import stack_down
    from services.settings import Settings

    emit(stack_down(Settings.from_env().home, wipe=wipe).to_json(), as_json, _shown)


@stack.command()
@options.as_json
def status(as_json: bool) -> None:
    """Say which services run, and where."""
    from services.local.stack import stack_status
    from services.settings import Settings

    emit(stack_status(Settings.from_env().home).to_json(), as_json, _shown)


def _shown(out: Console, reply: Document) -> None:
    from services.cli.rendering import columns

    columns(
        out,
        ("service", "running", "address", "pid", "log"),
        (
            (each["name"], "yes" if each["running"] else "no", each["address"], each["pid"], each["log"])
            for each in reply["services"]
        ),
        "No services.",
    )
    for name, value in reply["environment"].items():
        out.print(printable(f"export {name}={value}"), soft_wrap=True)
