"""The command that lists who may be the same person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from services import arguments
from services.cli import options
from services.cli.output import emit, printable
from services.cli.rendering import columns

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.command()
@options.story
@options.reads
def suggestions(story: str, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """List who may be the same person, for you to decide.

    Decide with `fabula merge` or, where two were made one, `fabula split`; what was decided is not suggested again.
    """
    from services.suggesting.suggestions import Suggestions

    with options.application() as application:
        application.reading()
        reply = Suggestions(application.pool).of(
            arguments.text("the story", story), at=arguments.checkpoint(at), as_recorded=arguments.moment(as_recorded)
        )
    emit(reply, as_json, _shown)


def _shown(out: Console, reply: Document) -> None:
    found = reply["suggestions"]
    out.print(printable(f"{reply['story']} after chapter {reply['at']}: {len(found)} suggested"))
    columns(
        out,
        ("score", "who", "may be", "because"),
        (
            (
                f"{each['score']:.2f}",
                each["b"]["name"],
                each["a"]["name"],
                "; ".join(r["says"] for r in each["reasons"]),
            )
            for each in found
        ),
        "Nobody to decide on.",
    )
