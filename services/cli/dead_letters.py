"""Dead letters: what could not be taken in, to be retried once the cause is gone, or discarded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from services.cli import options
from services.cli.output import emit, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.group("dead-letters")
def dead_letters() -> None:
    """List, retry or discard what could not be taken in."""


@dead_letters.command("list")
@click.argument("story", required=False)
@options.as_json
def list_(story: str | None, as_json: bool) -> None:
    """List dead letters, of one STORY or of all."""
    from services.extraction import dead_letters as kept

    with options.application() as application:
        letters = kept.dead_letters(application.ledger, story)
    emit({"dead_letters": letters}, as_json, _listed)


@dead_letters.command()
@click.argument("letter", metavar="ID")
@options.as_json
def retry(letter: str, as_json: bool) -> None:
    """Take a dead letter up again, by the id that the list shows."""
    from services.extraction import dead_letters as kept

    with options.application() as application:
        reply = kept.retry(application.ledger, application.transport, letter)
        application.settle()
    emit(reply, as_json, lambda out, doc: out.print(printable(f"{doc['id']} was taken up again.")))


@dead_letters.command()
@click.argument("letter", metavar="ID")
@options.as_json
def discard(letter: str, as_json: bool) -> None:
    """Give a dead letter up for good, by the id that the list shows."""
    from services.extraction import dead_letters as kept

    with options.application() as application:
        reply = kept.discard(application.ledger, letter)
    emit(reply, as_json, lambda out, doc: out.print(printable(f"{doc['id']} is given up.")))


def _listed(out: Console, reply: Document) -> None:
    from services.cli.rendering import columns

    columns(
        out,
        ("id", "chapter", "revision", "attempts", "error"),
        (
            (each["id"], each.get("chapter"), each.get("revision"), each["attempts"], each["error"])
            for each in reply["dead_letters"]
        ),
        "No dead letters.",
    )
