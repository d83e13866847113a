"""Replies as tables for people. What a story says is printed literally: no markup, no control characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from services.cli.output import printable
from services.reading.causes import told

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document

Cell = str | int | float | None


def columns(out: Console, headings: Sequence[str], rows: Iterable[Sequence[Cell]], empty: str) -> None:
    """A table without frills, or the sentence `empty`."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    count = 0
    for row in rows:
        count += 1
        table.add_row(*(Text("" if cell is None else printable(str(cell))) for cell in row))
    if count:
        out.print(table)
    else:
        out.print(printable(empty))


def stories(out: Console, reply: Document) -> None:
    columns(
        out,
        ("story", "chapters", "last", "position"),
        ((each["story"], each["chapters"], each["last_chapter"], each["position"]) for each in reply["stories"]),
        "No stories yet. Publish a chapter, or run `fabula demo`.",
    )


def state(out: Console, reply: Document) -> None:
    _head(out, reply, _counted(len(reply["state"]), "key"))
    if reply["incomplete"]:
        out.print(f"incomplete: chapters {_numbers(reply['incomplete'])} are missing")
    columns(
        out,
        ("key", "value", "since", "record", "evidence"),
        (
            (each["key"], each["value"], each["valid_from"], each["record"], quotation(each["evidence"]))
            for each in reply["state"]
        ),
        "Nothing holds here.",
    )
    out.print(printable(f"digest {reply['digest']}"))


def history(out: Console, reply: Document) -> None:
    out.print(printable(reply["key"]))
    columns(
        out,
        ("value", "from", "to", "believed", "record", "evidence"),
        (
            (
                each["value"],
                each["valid_from"],
                each["valid_to"],
                believed(each),
                each["record"],
                quotation(each["evidence"]),
            )
            for each in reply["intervals"]
        ),
        "This key never had a value; `fabula state` shows the keys there are.",
    )


def believed(interval: dict[str, Any]) -> str:
    """When an interval was believed, in positions."""
    end = interval["recorded_to"]
    return f"since {interval['recorded_from']}" if end is None else f"{interval['recorded_from']} to {end}"


def audit(out: Console, reply: Document) -> None:
    """The events; a cause is shown by its position. `reply` may carry the `positions` of events by id, and a `chain`."""
    positions = reply.get("positions", {})
    columns(
        out,
        ("position", "recorded", "event", "chapter", "rev", "record", "reason", "caused by"),
        (
            (
                each["position"],
                str(each["recorded_at"])[:19].replace("T", " "),
                each["type"],
                each["chapter"] or "all",
                each["revision"],
                each["record"],
                (each["reason"] or "").replace("_", " "),
                positions.get(each["caused_by"], each["caused_by"]),
            )
            for each in reply["events"]
        ),
        f"No events. `fabula audit {reply['story']}` shows those there are.",
    )
    for each in reply.get("takedowns", ()):
        places = ", ".join(f"chapter {one['chapter']} revision {one['revision']}" for one in each["erased"])
        when, why = str(each["asked_at"])[:19].replace("T", " "), f": {each['reason']}" if each["reason"] else ""
        ended = "" if each["done"] else " (interrupted; ask for it again)"
        out.print(printable(f"Texts erased {when} by {each['by'] or 'nobody named'}{why}{ended}: {places}"))
    if reply.get("chain"):
        out.print("How it came to the last change:")
        for step in reply["chain"]:
            out.print(printable(f"  {told(step)}"))


def entity(out: Console, reply: Document) -> None:
    _head(out, reply, f"{reply['name']} ({reply['type']})")
    if reply["candidates"]:
        out.print(printable("This name is shared: " + ", ".join(each["name"] for each in reply["candidates"])))
    if reply["aliases"]:
        out.print(printable("also " + ", ".join(reply["aliases"])))
    if reply["profile"]:
        out.print(printable(reply["profile"]))
    appearances = reply["appearances"]
    out.print(f"present in {_numbers(appearances['present'])}; mentioned in {_numbers(appearances['mentioned'])}")
    columns(
        out,
        ("key", "value", "since", "record", "evidence"),
        (
            (each["key"], each["value"], each["valid_from"], each["record"], quotation(each["evidence"]))
            for each in reply["state"]
        ),
        "Nothing holds of it here.",
    )
    for each in reply["threads"]:
        out.print(printable(f"open: {each['thread']} ({each['status']}, chapter {each['opened']})"))


def threads(out: Console, reply: Document) -> None:
    _head(out, reply, _counted(len(reply["threads"]), "thread"))
    columns(
        out,
        ("thread", "kind", "status", "opened", "last", "description"),
        (
            (each["thread"], each["kind"], each["status"], each["opened"], each["last"], each["description"])
            for each in reply["threads"]
        ),
        "No threads.",
    )


def timeline(out: Console, reply: Document) -> None:
    """One row a character: ● present, ○ only mentioned."""
    _head(out, reply, "● present, ○ only mentioned")
    signs = {"present": "●", "mentioned": "○", None: "·"}
    columns(
        out,
        ("character", f"chapters {_numbers(reply['chapters'])}"),
        ((each["name"], "".join(signs[cell] for cell in each["cells"])) for each in reply["characters"]),
        "Nobody yet.",
    )


def story_timeline(out: Console, reply: Document) -> None:
    """One row a character, one column a stretch of story time: ● present, ○ only mentioned."""
    _head(out, reply, "in story order; ● present, ○ only mentioned")
    signs = {"present": "●", "mentioned": "○", None: "·"}
    columns(
        out,
        ("character", "chapters " + " ".join(str(each["chapter"]) for each in reply["columns"])),
        ((each["name"], "".join(signs[cell] for cell in each["cells"])) for each in reply["characters"]),
        "Nobody yet.",
    )


def diff(out: Console, reply: Document) -> None:
    if "between" in reply:
        out.print(printable(f"{reply['story']}: belief at position {reply['between'][0]} and at {reply['between'][1]}"))
    else:
        out.print(printable(f"{reply['story']}: after chapter {reply['from']} and after {reply['to']}"))
    rows = [("+", each["key"], "", _held(each)) for each in reply["added"]]
    rows += [("-", each["key"], _held(each), "") for each in reply["removed"]]
    rows += [("~", each["key"], _held(each["before"]), _held(each["after"])) for each in reply["changed"]]
    columns(out, ("", "key", "before", "after"), rows, "Nothing changed.")


def _held(interval: dict[str, Any]) -> str:
    """A value, with the chapters in which it holds where both ends are told."""
    start, end = interval["valid_from"], interval.get("valid_to")
    return f"{interval['value']} (from {start}{'' if end is None else f' to {end}'})"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _numbers(chapters: Sequence[int]) -> str:
    """Chapter numbers with runs drawn together: 1-3, 7."""
    runs: list[list[int]] = []
    for chapter in chapters:
        if runs and chapter == runs[-1][-1] + 1:
            runs[-1].append(chapter)
        else:
            runs.append([chapter])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs) or "none"


def packet(out: Console, reply: Document) -> None:
    out.print(printable(f"{reply['question']}  (as of {reply['at']}, {reply['method']})"))
    columns(
        out,
        ("chapter", "type", "text", "score"),
        ((each["chapter"], each["type"], each["text"], f"{each['score']:.3f}") for each in reply["items"]),
        "Nothing was found that fits into the budget.",
    )
    out.print(f"{reply['used']:,} of {reply['budget']:,} characters used")


def quotation(evidence: Sequence[dict[str, Any]]) -> str:
    """The first span's words, shortened, with where they stand."""
    if not evidence:
        return ""
    first = evidence[0]
    words = " ".join(str(first.get("quote") or "").split())
    shown = words if len(words) <= 70 else words[:69] + "…"
    more = f" (+{len(evidence) - 1})" if len(evidence) > 1 else ""
    return f"“{shown}” ch. {first['chapter']}{more}" if shown else f"ch. {first['chapter']}{more}"


def _head(out: Console, reply: Document, what: str) -> None:
    out.print(printable(f"{reply['story']} as of chapter {reply['at']}: {what}"))
