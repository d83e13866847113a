"""The command that reads chapters anew, shows what that changes, and publishes it once somebody has agreed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from events.ids import MAX_CHAPTER
from services import arguments
from services.cli import options
from services.cli.output import console, emit, note, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.composition import Application
    from services.documents import Document
    from services.extraction.reextracting import Proposal

_SHOWN = 120


def _chapters(_: click.Context, __: click.Parameter, value: str | None) -> list[int] | None:
    """`3-7,9` as the chapters it means."""
    if value is None:
        return None
    found: set[int] = set()
    for part in value.split(","):
        first, dash, last = (each.strip() for each in part.partition("-"))
        if not (first.isascii() and first.isdigit()) or (dash and not (last.isascii() and last.isdigit())):
            raise click.BadParameter(f"{part.strip()!r} is no chapter and no range; write chapters like 3-7,9")
        low, high = int(first), int(last or first)
        if not 1 <= low <= high <= MAX_CHAPTER or len(found) + high - low > 100_000:
            raise click.BadParameter(f"{part.strip()!r} is no range of chapters; write chapters like 3-7,9")
        found |= set(range(low, high + 1))
    return sorted(found)


@click.command()
@options.story
@click.option("--chapters", callback=_chapters, metavar="3-7,9", help="Only these (default: all that were extracted).")
@click.option("--extractor", "named", metavar="NAME", help="offline or claude (default: FABULA_EXTRACTOR).")
@click.option(
    "--prompt", metavar="VERSION", help="A prompt version of Claude's, such as extract-2 (default: the latest)."
)
@click.option("--model", metavar="M", help="Another model of Claude's (default: FABULA_CLAUDE_MODEL).")
@click.option("--preview", "--dry-run", "preview", is_flag=True, help="Show what would change, and publish nothing.")
@click.option("--yes", is_flag=True, help="Publish without asking.")
@options.as_json
def reextract(
    story: str,
    chapters: list[int] | None,
    named: str | None,
    prompt: str | None,
    model: str | None,
    preview: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Read chapters anew, with the present extractor, prompt and model or with others, and show what that changes.

    The texts stay as they are. What is shown is what is published once you agree: records gone and new, and the state
    keys whose value is another. Chapters whose records were handed in are left alone. Claude's replies are paid for when
    the difference is worked out, and kept: going on, or looking again, costs nothing.
    """
    if not (preview or yes or _somebody_is_there()):
        raise click.UsageError("nobody can be asked here: give --preview to look, or --yes to publish")
    name = arguments.text("the story", story)
    with options.application() as application:
        proposal = _propose(application, name, chapters, named, prompt, model)
        reply = {**proposal.to_json(), "published": []}
        agreed = not preview and bool(proposal.changed)
        if agreed and not yes:
            _shown(console(stderr=True), reply)
            agreed = click.confirm("Publish this?", err=True)
        if agreed:
            reply["published"] = [_published(application, request) for request in proposal.requests()]
            application.settle()
    emit(reply, as_json, _shown)
    return 0


def _somebody_is_there() -> bool:
    """Whether standard input is a terminal, at which one can be asked."""
    return sys.stdin.isatty()


def _propose(
    application: Application,
    story: str,
    chapters: list[int] | None,
    named: str | None,
    prompt: str | None,
    model: str | None,
) -> Proposal:
    from services.extraction.extractors import extractor
    from services.extraction.reextracting import propose

    if prompt is not None and prompt.isdecimal():
        prompt = f"extract-{prompt}"
    reads = extractor(named or application.settings.extractor, application.pool, model=model, prompt=prompt)
    # a chapter is read in the light of what the read models have of the chapters before it
    application.settle()
    return propose(application.ledger, reads, story, chapters, lambda chapter: note(f"chapter {chapter} is read"))


def _published(application: Application, request: Any) -> Document:
    reply = application.publisher.reread(request, wait=True)
    return {name: reply[name] for name in ("chapter", "revision", "position")}


def _shown(out: Console, reply: Document) -> None:
    out.print(printable(f"{reply['story']}, read by {reply['extractor']}:"))
    for each in reply["chapters"]:
        _chapter(out, each)
    for each in reply["skipped"]:
        out.print(printable(f"chapter {each['chapter']} was not read: {each['reason']}."), soft_wrap=True)
    if reply["published"]:
        out.print(f"Published: {len(reply['published'])} chapters.")
    elif all(each["unchanged"] or not each["read"] for each in reply["chapters"]):
        out.print("Nothing changes.")
    else:
        out.print("Nothing was published.")


def _chapter(out: Console, each: Document) -> None:
    if each["unchanged"] and not (each["keys"] or each["lost"] or each["regained"]):
        out.print(f"chapter {each['chapter']}: the same, {each['kept']} records")
        return
    counted = f"{len(each['gone'])} records gone, {len(each['new'])} new, {each['kept']} kept"
    if each["lost"] or each["regained"]:
        counted += f"; {len(each['lost'])} fall and {len(each['regained'])} hold again for what changed elsewhere"
    out.print(f"chapter {each['chapter']}: {counted}")
    for sign, records in (("-", (*each["gone"], *each["lost"])), ("+", (*each["new"], *each["regained"]))):
        for record in records:
            out.print(printable(f"  {sign} {record['record']} {_says(record['says'])}"), soft_wrap=True)
    for key in each["keys"]:
        out.print(printable(f"  {key['key']}: {_value(key['before'])} → {_value(key['after'])}"), soft_wrap=True)


def _says(payload: Document | None) -> str:
    if payload is None:
        return ""
    said = ", ".join(
        f"{name} {value}" for name, value in payload.items() if name not in ("kind", "confidence", "scene")
    )
    whole = f"{payload['kind']}: {said}"
    return whole if len(whole) <= _SHOWN else f"{whole[: _SHOWN - 1]}…"


def _value(value: str | None) -> str:
    return "(nothing)" if value is None else value
