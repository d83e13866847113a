"""The command that erases texts."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING

import click

from services.cli import options
from services.cli.output import emit, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.command()
@options.story
@click.option("--chapter", type=int, metavar="N", help="Only texts of this chapter.")
@click.option("--all", "everything", is_flag=True, help="Every revision of the chapter, also the one it has now.")
@click.option("--dry-run", is_flag=True, help="List what would be erased, and erase nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--by", metavar="WHO", help="Who asks for it, for the record (default: the user's name).")
@click.option("--reason", default="", metavar="TEXT", help="Why, for the record.")
@options.as_json
def takedown(
    story: str,
    chapter: int | None,
    everything: bool,
    dry_run: bool,
    yes: bool,
    by: str | None,
    reason: str,
    as_json: bool,
) -> None:
    """Erase texts for good: those that an edit or a retraction has replaced, or all of a chapter's.

    What the texts said of the story stays: the log is not touched, and holds places in the text, never the text itself.
    """
    if everything and chapter is None:
        raise click.UsageError("--all is for one chapter at a time: add --chapter N")
    with options.application() as application:
        service = application.takedown
        found = service.preview(story, chapter, everything=everything)
        if dry_run:
            emit({**found, "dry_run": True}, as_json, _planned)
            return
        if everything and found["erased"] and not yes:
            _ask(story, chapter, found)
        reply = service.take_down(
            story, chapter, everything=everything, by=getpass.getuser() if by is None else by, reason=reason
        )
    emit(reply, as_json, _erased)


def _ask(story: str, chapter: int | None, found: Document) -> None:
    """Raises click.UsageError where nobody can be asked, and click.Abort where the answer is no."""
    if not sys.stdin.isatty():
        raise click.UsageError("every text of the chapter would be erased for good: add --yes to say that it is meant")
    revisions = ", ".join(str(each["revision"]) for each in found["erased"])
    click.confirm(
        f"Erase every text of chapter {chapter} of {printable(story)} (revision {revisions}) for good?",
        abort=True,
        err=True,
    )


def _planned(out: Console, found: Document) -> None:
    for each in found["erased"]:
        out.print(f"  chapter {each['chapter']}, revision {each['revision']} would be erased")
    _kept(out, found)
    if not found["erased"]:
        out.print("Nothing would be erased.")


def _erased(out: Console, reply: Document) -> None:
    count = len(reply["erased"])
    what = "the text of 1 revision is" if count == 1 else f"the texts of {count} revisions are"
    out.print(printable(f"{reply['story']}: {what} erased."))
    _kept(out, reply)


def _kept(out: Console, reply: Document) -> None:
    for each in reply["kept"]:
        same = each["same_text_as"]
        place = f"chapter {same['chapter']}, revision {same['revision']} of {same['story']}"
        out.print(
            printable(f"  kept: chapter {each['chapter']}, revision {each['revision']} has the same text as {place}")
        )
