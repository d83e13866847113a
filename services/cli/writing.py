"""Commands that write: chapters and their edits, and an editor's decisions."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from services.cli import options, sources
from services.cli.output import emit, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.command()
@options.story
@options.chapter
@click.argument("source", required=False, metavar="[FILE|-]")
@click.option("--file", "-f", "file", metavar="FILE", help="The chapter's text, in UTF-8; `-` reads standard input.")
@click.option("--title", help="The chapter's title.")
@click.option(
    "--records", metavar="R.json", help="What an annotator found in it; without it the extractor reads the text."
)
@click.option("--language", default="en", show_default=True, help="The language of the text.")
@options.wait
@options.as_json
def publish(
    story: str,
    chapter: int,
    source: str | None,
    file: str | None,
    title: str | None,
    records: str | None,
    language: str,
    wait: bool | None,
    as_json: bool,
) -> None:
    """Publish a chapter, or an edit of one.

    An edit is another text under the same number; it is answered with the command that shows what it changed.
    """
    if (file is None) == (source is None):
        raise click.UsageError("give the text once: --file F, or `-` to read standard input")
    text = sources.text(file or source or "")
    handed = None if records is None else sources.value(records)
    with options.application() as application:
        before = application.ledger.last_position()
        reply = application.publisher.publish(
            story, chapter, text, title=title, records=handed, language=language, wait=waits(wait)
        )
        application.finish()
    emit(reply, as_json, lambda out, doc: _published(out, doc, before))


@click.command()
@options.story
@options.chapter
@options.wait
@options.as_json
def retract(story: str, chapter: int, wait: bool | None, as_json: bool) -> None:
    """Withdraw a chapter; publishing it again brings it back."""
    with options.application() as application:
        reply = application.publisher.retract(story, chapter, wait=waits(wait))
        application.finish()
    emit(reply, as_json, lambda out, doc: out.print(f"{story}: chapter {chapter} is withdrawn{_where(doc)}."))


@click.command()
@options.story
@click.argument("a")
@click.argument("b")
@click.option("--since", type=int, help="From this chapter on (default: from the beginning).")
@options.wait
@options.as_json
def merge(story: str, a: str, b: str, since: int | None, wait: bool | None, as_json: bool) -> None:
    """Decide that B is A; A's name stays."""
    with options.application() as application:
        reply = application.publisher.merge(story, a, b, since=since, wait=waits(wait))
        application.finish()
    emit(reply, as_json, lambda out, doc: _decided(out, doc, f"{b} is {a} from now on"))


@click.command()
@options.story
@click.argument("alias")
@click.option("--from", "from_", required=True, metavar="A", help="The entity that the name does not belong to.")
@options.wait
@options.as_json
def split(story: str, alias: str, from_: str, wait: bool | None, as_json: bool) -> None:
    """Decide that the name ALIAS does not belong to an entity."""
    with options.application() as application:
        reply = application.publisher.split(story, alias, from_, wait=waits(wait))
        application.finish()
    emit(reply, as_json, lambda out, doc: _decided(out, doc, f"{alias} is not {from_} from now on"))


@click.command()
@options.story
@click.argument("name")
@click.option("--at", type=int, help="The chapter it stands after (default: the last one).")
@options.as_json
def checkpoint(story: str, name: str, at: int | None, as_json: bool) -> None:
    """Name a checkpoint: a reader's place in the story."""
    with options.application() as application:
        reply = application.checkpoint(story, name, at)
        application.finish()
    emit(
        reply, as_json, lambda out, doc: _decided(out, doc, f"checkpoint {name!r} stands after chapter {doc.get('at')}")
    )


@click.command()
@options.story
@click.argument("thread")
@click.argument("chapter", type=int, required=False)
@click.option("--none", "lifted", is_flag=True, help="Nothing is planned any more.")
@options.wait
@options.as_json
def due(story: str, thread: str, chapter: int | None, lifted: bool, wait: bool | None, as_json: bool) -> None:
    """Plan by which chapter a thread is paid off.

    `fabula promises` says when it is late.
    """
    if (chapter is None) != lifted:
        raise click.UsageError("give a chapter, or --none to plan nothing any more")
    with options.application() as application:
        reply = application.publisher.due(story, thread, chapter, wait=waits(wait))
        application.finish()
    planned = "is due at no chapter any more" if chapter is None else f"is due by chapter {chapter}"
    emit(reply, as_json, lambda out, doc: _decided(out, doc, f"{thread!r} {planned}"))


def waits(wanted: bool | None) -> bool:
    """Whether to wait for the read models: as asked, else in a terminal."""
    return sys.stdout.isatty() if wanted is None else wanted


def _published(out: Console, reply: Document, before: int) -> None:
    """`before` is the position of the log before the publication."""
    what = f"{reply['story']}: chapter {reply['chapter']}, revision {reply['revision']}"
    if reply["unchanged"]:
        out.print(f"{what} has this very content already; nothing changed.")
    else:
        out.print(f"{what} is published{_where(reply)}.")
    remarks(out, reply)
    if reply["position"] is not None and reply["revision"] > 1 and not reply["unchanged"]:
        compared = shlex.join(
            ("fabula", "diff", reply["story"], "--between-positions", str(before), str(reply["position"]))
        )
        out.print(printable(f"  what that changed: {compared}"), soft_wrap=True)


def remarks(out: Console, reply: Document) -> None:
    """What the author should know: records that were refused, and warnings."""
    for each in reply.get("rejected", ()):
        out.print(printable(f"  rejected {each['record']}: {each['reason']}"))
    for each in reply.get("warnings", ()):
        out.print(printable(f"  note: {each}"))


def _decided(out: Console, reply: Document, what: str) -> None:
    if reply["unchanged"]:
        out.print(printable(f"{reply['story']}: {what}. That was decided before{_where(reply)}; nothing changed."))
    else:
        out.print(printable(f"{reply['story']}: {what}{_where(reply)}."))
    remarks(out, reply)


def _where(reply: Document) -> str:
    position = reply.get("position")
    return " (accepted; it has not been taken in yet)" if position is None else f" (position {position})"
