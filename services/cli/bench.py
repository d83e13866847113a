"""The benchmarks as commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from services.cli import options
from services.cli.output import emit, note

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.group()
def bench() -> None:
    """Measure how fast the product is on this machine."""


@bench.command()
@click.option("--quick", is_flag=True, help="Smaller stories: a few minutes.")
@click.option("--full", is_flag=True, help="A million events, two thousand chapters.")
@click.option(
    "--novel", type=click.Path(exists=True, path_type=Path), help="A folder of chapters (or an .epub) to import."
)
@click.option("--only", multiple=True, metavar="GROUP", help="Only this group of measures; may be repeated.")
@options.as_json
def ledger(quick: bool, full: bool, novel: Path | None, only: tuple[str, ...], as_json: bool) -> None:
    """Appending, following, rebuilding, reading and importing, on a PostgreSQL of the benchmark's own."""
    from services.evaluation.bench import sizes, suite
    from services.observing.logs import configure
    from services.settings import Settings

    if quick and full:
        raise click.UsageError("give --quick or --full, not both")
    if unknown := sorted(set(only) - set(suite.GROUPS)):
        raise click.UsageError(f"there is no group {unknown[0]!r}; there are {', '.join(suite.GROUPS)}")
    configure(Settings.from_env())
    chosen = sizes.QUICK if quick else sizes.FULL if full else sizes.DEFAULT
    found = suite.ledger(chosen, novel=novel, only=only, told=lambda name: note(f"measuring: {name}"))
    emit({"measures": [each.to_json() for each in found]}, as_json, _table)


def _table(out: Console, reply: Document) -> None:
    from services.cli.rendering import columns

    columns(
        out,
        ("measure", "value", "unit", "target", "met", "n", "detail"),
        map(_row, reply["measures"]),
        "Nothing was measured.",
    )


def _row(measure: Document) -> list[str | int | float | None]:
    met = {True: "yes", False: "no", None: ""}[measure["met"]]
    detail = ", ".join(f"{name} {value}" for name, value in measure["detail"].items())
    return [measure["name"], measure["value"], measure["unit"], measure["target"], met, measure["n"], detail]
