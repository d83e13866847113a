"""The command that imports a back catalogue: resumable, since what is there already is left alone."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from services.cli import options
from services.cli.output import console, emit, note, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from events.errors import FabulaError
    from services.composition import Application
    from services.documents import Document
    from services.publishing.importing import Source


_LOOK_SECONDS = 0.2
_SILENCE_SECONDS = 60.0


@click.command("import")
@options.story
@click.argument("path")
@click.option("--dry-run", is_flag=True, help="List the chapters that would be published, and publish nothing.")
@click.option("--estimate", is_flag=True, help="Say what reading it with Claude would cost, and publish nothing.")
@click.option("--batch", is_flag=True, help="Read them as a batch of Claude's, at half the price; run again to go on.")
@click.option(
    "--wait/--no-wait", default=True, help="Wait until every chapter is read and shown, or return once all are sent."
)
@click.option("--language", default="en", show_default=True, help="The language of the texts.")
@options.as_json
def import_(
    story: str, path: str, dry_run: bool, estimate: bool, batch: bool, wait: bool, language: str, as_json: bool
) -> int:
    """Import chapters: a folder of files, an .epub, or one file.

    In a folder chapters are files like chapter-001.txt (or .md, .html), each with its records, if there are any, beside
    it in chapter-001.records.json; one file has a heading such as `Chapter 1` before each chapter. A second run publishes
    only what is missing or changed. Where the budget for reading (FABULA_CLAUDE_BUDGET) is spent it stops, with exit
    status 1; what was published stays, and running it again goes on.
    """
    from services.publishing.importing import examine

    source = examine(Path(path))
    for each in source.ignored:
        note(f"left aside: {each.name} ({each.reason})")
    if source.renumbered is not None:
        note(source.renumbered)
    if dry_run:
        emit(_plan(story, source), as_json, _planned)
        return 0
    if estimate:
        emit(_cost(story, source), as_json, _costed)
        return 0
    with options.application() as application:
        if batch and (waiting := _batched(application, story, source, language)) is not None:
            emit(waiting, as_json, _waits_for_batches)
            return 0
        reply = publish_all(application, story, source, language, wait=wait)
    emit(reply, as_json, _imported)
    return 1 if reply["stopped"] else 0


def publish_all(application: Application, story: str, source: Source, language: str, *, wait: bool = True) -> Document:
    """Publish every chapter in order with a progress bar on standard error, then see the read models up to date.

    With `wait` it returns once no chapter of the story is on its way any more. `stopped` says why the rest was left for
    another time (the budget for reading is spent), and which chapters that are; None: nothing was.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from events.errors import Postponed
    from services.composition.in_order import publish_in_order

    chapters: list[dict[str, Any]] = []
    stopped: Document | None = None
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
    )
    with bar:
        task, told = bar.add_task(f"importing into {printable(story)}", total=len(source.chapters)), time.monotonic()
        try:
            for reply in publish_in_order(application, story, source.chapters, language):
                each = source.chapters[len(chapters)]
                chapters.append({**reply, "title": each.title, "source": each.source})
                bar.advance(task)
                if not bar.console.is_terminal and time.monotonic() - told > _SILENCE_SECONDS:
                    note(f"{len(chapters)} of {len(source.chapters)} chapters are published")
                    told = time.monotonic()
        except Postponed as error:
            stopped = _stopped(error, [left.number for left in source.chapters[len(chapters) :]])
        if wait:
            stopped = stopped or _see_through(application, story, bar)
            application.settle()
    changed = [each for each in chapters if not each["unchanged"]]
    return {
        "story": story,
        "published": len(changed),
        "unchanged": len(chapters) - len(changed),
        "position": max((each["position"] for each in chapters if each["position"] is not None), default=None),
        "chapters": chapters,
        "ignored": [{"name": each.name, "reason": each.reason} for each in source.ignored],
        "renumbered": source.renumbered,
        "stopped": stopped,
    }


def _stopped(error: FabulaError, left: list[int]) -> Document:
    return {"reason": error.slug, "detail": str(error), "left": left}


def _batched(application: Application, story: str, source: Source, language: str) -> Document | None:
    """Collect what is there and send what is not; what is on its way then, or None where importing need not wait."""
    from services.cli.batches import back_catalogue, collected, submitted

    with back_catalogue(application) as catalogue:
        before = collected(catalogue, story)
        failed = {chapter for each in before["collected"] for chapter in each["failed"]}
        # what failed in a batch is asked for one by one: another day in another batch may end the same way
        sent = None if failed else submitted(application, catalogue, story, source, language)
        on_their_way = [entry.to_json() for entry in catalogue.book.entries(story, "sent")]
    if not on_their_way:
        return None
    return {"story": story, "collected": before["collected"], "submitted": sent, "on_their_way": on_their_way}


def _waits_for_batches(out: Console, reply: Document) -> None:
    from services.cli.batches import told_of_collection, told_of_submission

    if reply["submitted"] is not None and reply["submitted"]["batch"] is not None:
        told_of_submission(out, reply["submitted"])
    told_of_collection(out, reply)
    out.print("Nothing is published yet; run the same command again to go on.")


def _see_through(application: Application, story: str, bar: Progress) -> Document | None:
    """Watch the chapters that are on their way until all are taken in, and the read models until they show them.

    Why some are not, where nothing but the budget keeps them out.
    """
    from events.errors import Postponed

    ledger = application.ledger
    task = bar.add_task("reading the chapters", total=sum(ledger.statuses(story).values()))
    fewest, since, told = -1, time.monotonic(), False
    while on_their_way := ledger.statuses(story).get("accepted", 0):
        bar.update(task, completed=sum(ledger.statuses(story).values()) - on_their_way)
        if on_their_way != fewest:
            fewest, since = on_their_way, time.monotonic()
        elif not told and time.monotonic() - since > _SILENCE_SECONDS:
            note(
                f"{on_their_way} chapters wait and none was taken in for a minute; is `fabula worker` running? They are kept."
            )
            told = True
        if application.settings.embedded:  # a process that was ended left them behind, and nobody else would come
            try:
                application.publisher.resend_pending(story=story)
            except Postponed as error:
                return _stopped(error, _left_waiting(application, story))
        elif (out := _out_of_budget(application, story)) is not None:
            return out
        else:
            time.sleep(_LOOK_SECONDS)
    bar.update(task, description="bringing the read models up to date")
    application.wait_for(ledger.last_position())
    return None


def _out_of_budget(application: Application, story: str) -> Document | None:
    from services.extraction.status import BUDGET_REACHED, status, waits_only_for_the_budget

    found = status(application.pool, story, ())
    if not waits_only_for_the_budget(found):
        return None
    left = [each["chapter"] for each in found["waiting"]]
    return {"reason": BUDGET_REACHED, "detail": found["waiting"][0]["detail"], "left": left}


def _left_waiting(application: Application, story: str) -> list[int]:
    from services.extraction.status import status

    return [each["chapter"] for each in status(application.pool, story, ())["waiting"]]


def _cost(story: str, source: Source) -> Document:
    """What Claude would take for the chapters that come without records."""
    from services.extraction.claude.estimating import estimate
    from services.extraction.claude.options import ClaudeOptions

    options_ = ClaudeOptions.from_env(key_needed=False)
    texts = [each.text for each in source.chapters if each.records is None]
    return {"story": story, "model": options_.model, **estimate(texts, options_).to_json()}


def _costed(out: Console, document: Document) -> None:
    out.print(
        f"{document['chapters']} chapters would be read with {document['model']}: about {document['calls']} calls, "
        f"{document['input_tokens'] + document['output_tokens']:,} tokens, ${document['usd']:.2f} "
        f"(${document['usd_batch']:.2f} with a batch), {max(1, round(document['seconds'] / 60))} minutes one after the other."
    )


def _plan(story: str, source: Source) -> Document:
    return {
        "story": story,
        "dry_run": True,
        "chapters": [
            {
                "chapter": each.number,
                "title": each.title,
                "characters": len(each.text),
                "records": each.records is not None,
                "source": each.source,
            }
            for each in source.chapters
        ],
        "ignored": [{"name": each.name, "reason": each.reason} for each in source.ignored],
        "renumbered": source.renumbered,
    }


def _planned(out: Console, plan: Document) -> None:
    from services.cli.rendering import columns

    columns(
        out,
        ("chapter", "title", "characters", "records", "from"),
        (
            (
                each["chapter"],
                each["title"] or "",
                f"{each['characters']:,}",
                "handed in" if each["records"] else "",
                each["source"],
            )
            for each in plan["chapters"]
        ),
        "No chapters.",
    )
    out.print(f"{len(plan['chapters'])} chapters would be published into {printable(plan['story'])}; nothing was.")


def _imported(out: Console, reply: Document) -> None:
    from services.cli.writing import remarks

    for each in reply["chapters"]:
        if each["rejected"] or each["warnings"]:
            out.print(f"chapter {each['chapter']}:")
            remarks(out, each)
    out.print(
        printable(
            f"{reply['story']}: {reply['published']} chapters published, {reply['unchanged']} were there already."
        )
    )
    if (stopped := reply["stopped"]) is not None:
        out.print(printable(f"Stopped with {len(stopped['left'])} chapters left: {stopped['detail']}"), soft_wrap=True)
