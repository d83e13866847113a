"""The command that rebuilds the read models from the log, or shows that they are what the log gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from services import arguments
from services.cli import options
from services.cli.output import emit, note, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.command()
@options.story
@click.option(
    "--until", type=options.POSITION, metavar="POSITION", help="Replay the story only so far, beside those in use."
)
@click.option("--verify", is_flag=True, help="Replay beside those in use, and compare every checkpoint's digest.")
@options.as_json
def replay(story: str, until: int | None, verify: bool, as_json: bool) -> int:
    """Rebuild the read models from the log.

    With --verify or --until those in use are left alone: STORY is replayed beside them, and each checkpoint's digest is
    compared with theirs. Exit status 1 if any differs.
    """
    from services.projecting import replaying

    name = arguments.text("the story", story)
    with options.application() as application:
        application.ledger.require(name)
        application.settle()
        parts = (application.pool, application.ledger)
        if not verify and until is None:
            position = replaying.rebuild(*parts, application.projections, note)
            names = [each.name for each in application.projections]
            emit({"story": name, "position": position, "rebuilt": names}, as_json, _rebuilt)
            return 0
        found = replaying.compare(*parts, application.runner, application.projections, name, until, note)
    reply = {
        "story": name,
        "position": found.position,
        "checkpoints": [{"at": each.at, "digest": each.rebuilt} for each in found.checkpoints],
        "differences": [{"at": each.at, "live": each.live, "rebuilt": each.rebuilt} for each in found.differences],
    }
    emit(reply, as_json, _compared)
    return 1 if found.differences else 0


def _rebuilt(out: Console, reply: Document) -> None:
    out.print(f"Rebuilt up to position {reply['position']}: {', '.join(reply['rebuilt'])}.")


def _compared(out: Console, reply: Document) -> None:
    count = len(reply["checkpoints"])
    if not reply["differences"]:
        out.print(
            printable(f"{reply['story']}: all {count} checkpoints are equal, up to position {reply['position']}.")
        )
        return
    places = ", ".join(str(each["at"]) for each in reply["differences"])
    out.print(printable(f"{reply['story']}: {len(reply['differences'])} of {count} checkpoints differ: {places}."))
    out.print("Run `fabula replay STORY` without --verify to put what the log gives in their place.")
