"""The command that says how far a story is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from services import arguments
from services.cli import options
from services.cli.output import emit, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.command()
@options.story
@options.as_json
def status(story: str, as_json: bool) -> None:
    """Say which chapters are in, which wait and for what, which need somebody, and how far the read models are."""
    from services.extraction import status as standing

    name = arguments.text("the story", story)
    with options.application() as application:
        reply = standing.status(application.pool, name, application.read_models())
    emit(reply, as_json, _shown)


def _shown(out: Console, reply: Document) -> None:
    from services.cli.rendering import columns

    counts = reply["chapters"]
    out.print(
        printable(
            f"{reply['story']}: {counts['in']} chapters are in, {counts['waiting']} wait, "
            f"{counts['needs_retry']} could not be read"
            + (f", {counts['retracted']} are withdrawn." if counts["retracted"] else ".")
        )
    )
    if reply["waiting"]:
        columns(
            out,
            ("waits", "revision", "attempts", "read", "until", "why"),
            ((_what(w), w["revision"], w["attempts"], _read(w["read"]), w["until"], _why(w)) for w in reply["waiting"]),
            "",
        )
    if reply["needs_retry"]:
        columns(
            out,
            ("could not be read", "revision", "attempts", "dead letter", "why"),
            ((_what(d), d["revision"], d["attempts"], d["id"], d["detail"]) for d in reply["needs_retry"]),
            "",
        )
    for batch in reply["batches"]:
        out.print(printable(f"batch {batch['batch'] or '(being sent)'}: {batch['requests']} questions on their way."))
    behind = [each for each in reply["read_models"] if each["behind"] or each["stalled_at"] is not None]
    for each in behind:
        stuck = f", stuck at position {each['stalled_at']}: {each['error']}" if each["stalled_at"] is not None else ""
        out.print(printable(f"read model {each['name']} is {each['behind']} positions behind{stuck}."))
    if not behind:
        out.print("The read models show everything that is in.")


def _what(row: Document) -> str:
    return f"chapter {row['chapter']}" if row["action"] in ("publish", "retract") else str(row["action"])


def _read(progress: Document | None) -> str:
    return "" if progress is None else f"{progress['done']} of {progress['stretches']}"


def _why(row: Document) -> str:
    return str(row["detail"] or "on its way; nobody has tried it yet")
