"""How well the product reads, as a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from services.cli import options
from services.cli.evaluating_retrieval import qa, report, retrieval
from services.cli.output import emit, note

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.group(name="eval")
def evaluation() -> None:
    """Measure how well the product reads, against texts that people have labelled."""


evaluation.add_command(retrieval)
evaluation.add_command(qa)
evaluation.add_command(report)


@evaluation.command()
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="FABULA_DATA",
    help="A folder with recorded/ and novels/: the recorded novel is edited too. Also FABULA_DATA.",
)
@click.option("--extracted/--given", default=True, help="Also as the offline extractor reads the edits (default).")
@options.as_json
def check(data: Path | None, extracted: bool, as_json: bool) -> None:
    """Contradictions put into chapters, and clean edits that look like them: what a check finds, with 95 % intervals."""
    from services.evaluation.checking import suite
    from services.extraction.extractors import extractor

    reply = suite.measure(data, extractor("offline") if extracted else None, lambda name: note(f"checking: {name}"))
    emit(reply, as_json, _table)


@evaluation.command()
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="FABULA_DATA",
    help="The folder of labelled texts (pdnc/, litbank/, chapter_characters/ with novels/). Also FABULA_DATA.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only N chapters of each novel, and N excerpts.")
@options.as_json
def extraction(data: Path | None, limit: int | None, as_json: bool) -> None:
    """Names, speakers, entities, references, events and presence of the offline extractor, with 95 % intervals."""
    from services.evaluation.extraction import corpora, suite

    place = corpora.folder(data)
    for part in corpora.missing(place):
        note(f"not measured: {place} has no folder {part}")
    report = suite.measure(place, limit=limit, told=lambda name: note(f"reading: {name}"))
    emit(report.to_json(), as_json, _table)


def _table(out: Console, reply: Document) -> None:
    from services.cli.rendering import columns

    columns(
        out,
        ("measure", "value", "low", "high", "n"),
        ([m["name"], m["value"], m["low"], m["high"], m["n"]] for m in reply["measures"]),
        "Nothing was measured.",
    )
