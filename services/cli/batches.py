"""Back catalogues as message batches: submitted, looked at and collected by separate commands, a day apart if need be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from services.cli import options
from services.cli.output import emit, note, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.composition import Application
    from services.documents import Document
    from services.extraction.claude.batch_book import Entry
    from services.extraction.claude.batches import Plan
    from services.extraction.claude.catalogues import BackCatalogue
    from services.publishing.importing import Source


@click.group()
def batches() -> None:
    """Read back catalogues with Claude at half the price: submit, wait up to a day, collect, import.

    `fabula import STORY PATH --batch`, run again until it is done, does all of it.
    """


@batches.command()
@options.story
@click.argument("path")
@click.option("--language", default="en", show_default=True, help="The language of the texts.")
@options.as_json
def submit(story: str, path: str, language: str, as_json: bool) -> None:
    """Send the chapters in PATH that are not read yet as one batch, as far as the budget goes."""
    from services.publishing.importing import examine

    source = examine(Path(path))
    with options.application() as application, back_catalogue(application) as catalogue:
        reply = submitted(application, catalogue, story, source, language)
    emit(reply, as_json, told_of_submission)


@batches.command()
@click.argument("story", required=False)
@options.as_json
def status(story: str | None, as_json: bool) -> None:
    """List the batches that were sent, of one STORY or of all, as far as is known here."""
    from services.extraction.claude.batch_book import BatchBook

    with options.application() as application:
        found = [entry.to_json() for entry in BatchBook(application.pool).entries(story)]
    emit({"batches": found}, as_json, _listed)


@batches.command()
@click.argument("story", required=False)
@options.as_json
def collect(story: str | None, as_json: bool) -> None:
    """Take in the replies of every batch that is at its end; importing the chapters afterwards costs no first look."""
    with options.application() as application, back_catalogue(application) as catalogue:
        reply = collected(catalogue, story)
    emit(reply, as_json, told_of_collection)


@contextmanager
def back_catalogue(application: Application) -> Iterator[BackCatalogue]:
    """As the environment configures it. Raises ClaudeNotConfigured, also where another extractor reads the chapters."""
    from services.extraction.claude.catalogues import BackCatalogue
    from services.extraction.claude.client import Claude
    from services.extraction.claude.errors import ClaudeNotConfigured
    from services.extraction.claude.options import ClaudeOptions

    configured = ClaudeOptions.from_env()
    if application.settings.extractor != "claude":
        raise ClaudeNotConfigured(
            f"A batch is read by Claude, and FABULA_EXTRACTOR is {application.settings.extractor!r}; set it to claude."
        )
    claude = Claude(configured)
    try:
        yield BackCatalogue(configured, claude, application.pool)
    finally:
        claude.close()


def submitted(
    application: Application, catalogue: BackCatalogue, story: str, source: Source, language: str
) -> Document:
    """Send what is to be sent; `batch` None: nothing was. `left` are the chapters that the budget does not reach."""
    from services.composition.in_order import unread

    chapters = [(each.chapter, each.text) for each in unread(application, story, source.chapters, language)]
    plan, entry = catalogue.submit(story, chapters)
    return {"story": story, **_planned(plan), "batch": None if entry is None else entry.to_json()}


def collected(catalogue: BackCatalogue, story: str | None) -> Document:
    """What was collected now, and what is still on its way."""
    ended: list[Entry] = catalogue.collect(story)
    open_ = catalogue.book.entries(story, "sent")
    return {"collected": [entry.to_json() for entry in ended], "on_their_way": [entry.to_json() for entry in open_]}


def _planned(plan: Plan) -> Document:
    return {
        "chapters": plan.chapters,
        "requests": len(plan.requests),
        "usd": round(plan.usd, 4),
        "left": list(plan.left),
    }


def told_of_submission(out: Console, reply: Document) -> None:
    batch = reply["batch"]
    if batch is None:
        out.print(printable(f"{reply['story']}: nothing is to be sent."))
    else:
        out.print(
            printable(
                f"{reply['story']}: batch {batch['batch']} is sent, {len(reply['chapters'])} chapters, at most about "
                f"${reply['usd']:.2f}. It may take a day; then: fabula batches collect {reply['story']}"
            )
        )
    if reply["left"]:
        note(
            f"the budget does not reach chapters {_listed_numbers(reply['left'])}; raise FABULA_CLAUDE_BUDGET for them"
        )


def told_of_collection(out: Console, reply: Document) -> None:
    for batch in reply["collected"]:
        out.print(
            printable(
                f"{batch['story']}: batch {batch['batch']} is collected, {batch['stored']} of {batch['requests']} replies, "
                f"${batch['usd']:.4f}."
            )
        )
        for chapter, reason in batch["failed"].items():
            out.print(
                printable(f"  chapter {chapter}: {reason}; it is asked for again when it is published or submitted.")
            )
    for batch in reply["on_their_way"]:
        out.print(printable(f"{batch['story']}: batch {batch['batch']} is on its way since {batch['sent_at']}."))
    if not reply["collected"] and not reply["on_their_way"]:
        out.print("No batch is on its way.")


def _listed(out: Console, reply: Document) -> None:
    from services.cli.rendering import columns

    columns(
        out,
        ("story", "batch", "status", "questions", "replies", "failed", "usd", "sent"),
        (
            (
                b["story"],
                b["batch"] or "",
                b["status"],
                b["requests"],
                b["stored"],
                len(b["failed"]),
                b["usd"],
                b["sent_at"],
            )
            for b in reply["batches"]
        ),
        "No batch was sent.",
    )


def _listed_numbers(chapters: list[int]) -> str:
    return ", ".join(map(str, chapters[:10])) + (", …" if len(chapters) > 10 else "")
