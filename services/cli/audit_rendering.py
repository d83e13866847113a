"""Audit views as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.cli.output import printable
from services.cli.rendering import columns, quotation
from services.reading.excerpts import without_most_untold

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


def knowledge(out: Console, reply: Document) -> None:
    _head(out, reply, f"{len(reply['facts'])} facts")
    columns(
        out,
        ("fact", "who", "stance", "since", "how", "record", "evidence"),
        (
            (
                each["fact"] if first else "",
                one["knower"],
                one["stance"],
                one["since"],
                one["how"],
                one["record"],
                quotation(one["evidence"]),
            )
            for each in reply["facts"]
            for first, one in zip([True, *[False] * len(each["knowers"])], each["knowers"], strict=False)
        ),
        "Nobody is said to know anything here.",
    )


def irony(out: Console, reply: Document) -> None:
    _head(out, reply, "what the reader knows and a character does not")
    shown, left = without_most_untold(reply["irony"])
    columns(
        out,
        ("character", "why", "fact", "reader since", "on stage since", "evidence"),
        (
            (
                each["character"],
                each["why"],
                each["fact"],
                each["reader"]["since"],
                ", ".join(map(str, each["on_stage"][:8])),
                quotation(each["evidence"] or each["reader"]["evidence"]),
            )
            for each in shown
        ),
        "The reader knows nothing that a character on stage does not.",
    )
    if left:
        out.print(f"… and {left} more that nobody told them: --who CHARACTER shows those of one, --json all.")


def promises(out: Console, reply: Document) -> None:
    _head(
        out, reply, f"{reply['open']} open, {reply['overdue']} overdue, {reply['debt']} chapters of promises together"
    )
    columns(
        out,
        ("thread", "kind", "age", "silent", "due", "alarm", "stages"),
        (
            (
                each["thread"],
                each["kind"],
                each["age"],
                each["silent"],
                None if each["due"] is None else f"{each['due']['chapter']} ({each['due']['by']})",
                _alarm(each),
                ", ".join(f"{step['status']} {step['chapter']}" for step in each["steps"]),
            )
            for each in reply["promises"]
        ),
        "Nothing is owed here.",
    )


def _alarm(promise: Document) -> str:
    late = f"overdue by {promise['overdue_by']}" if promise["overdue"] else ""
    undone = promise["reopened"]
    again = "" if undone is None else f"open again: {undone['record']} of revision {undone['revision']} is gone"
    return "; ".join(part for part in (late, again) if part)


def trajectory(out: Console, reply: Document) -> None:
    _head(out, reply, f"{reply['character']} ({reply['type']}), as it is told")
    columns(
        out,
        ("chapter", "", "what", "becomes", "was", "record", "evidence"),
        (
            (
                stretch["chapter"],
                "●" if stretch["present"] else "○",
                each["aspect"],
                "(no more)" if each["value"] is None else each["value"],
                each["before"],
                each["record"],
                quotation(each["evidence"]),
            )
            for stretch in reply["telling_order"]
            for each in stretch["changes"]
        ),
        "Nothing changes.",
    )
    happened = [stretch["chapter"] for stretch in reply["story_order"]]
    if happened != sorted(happened):
        out.print("In the order in which it happens:")
        for stretch in reply["story_order"]:
            when = stretch["label"] or ("" if stretch["order"] is None else f"{stretch['order']:g}")
            changed = "; ".join(f"{each['aspect']}: {each['value'] or 'no more'}" for each in stretch["changes"])
            out.print(
                printable(f"  {when or 'undated'} (chapter {stretch['chapter']}): {changed or 'nothing changes'}")
            )


def interactions(out: Console, reply: Document) -> None:
    _head(out, reply, f"{len(reply['people'])} people, {sum(map(sum, reply['matrix']))} interactions")
    columns(
        out,
        ("who", "whom", "times", "chapters", "how", "polarity"),
        (
            (
                each["source"],
                each["target"],
                each["count"],
                ", ".join(map(str, each["chapters"][:12])),
                ", ".join(list(each["types"])[:4]),
                "" if each["polarity"] is None else f"{each['polarity']:+.2f}",
            )
            for each in reply["pairs"]
        ),
        "Nobody acts upon anybody here.",
    )


def chains(out: Console, reply: Document) -> None:
    decided = [each["audit"]["decision"] for each in reply["proposed"]]
    counts = ", ".join(
        f"{decided.count(one)} {said}" for one, said in (("keep", "kept"), ("split", "split"), ("drop", "dropped"))
    )
    compared = f"{reply['candidates']:,} of {reply['pairs']:,} pairs compared"
    _head(out, reply, f"{reply['scenes']} scenes, {compared}; of {len(decided)} chains proposed {counts}")
    columns(
        out,
        ("chain", "scenes", "coherence", "confidence", "setting", "why"),
        (
            (
                each["id"],
                " → ".join(scene["scene"] for scene in each["scenes"]),
                f"{each['audit']['coherence_score']:.2f}",
                f"{each['audit']['confidence']:.2f}",
                ", ".join(dict.fromkeys(name for edge in each["edges"] for name in edge["places"] + edge["objects"])),
                each["audit"]["rationale"],
            )
            for each in reply["chains"]
        ),
        "No scenes go on in one setting here.",
    )


def recap(out: Console, reply: Document) -> None:
    _head(out, reply, f"previously on, for a {reply['for']}")
    out.print(printable(reply["text"] or "Nothing is told yet."), soft_wrap=True)
    records = dict.fromkeys(name for each in reply["sentences"] for name in each["records"])
    out.print(
        printable(f"{reply['used']:,} of {reply['length']:,} characters; from {', '.join(records) or 'no record'}")
    )


def _head(out: Console, reply: Document, what: str) -> None:
    out.print(printable(f"{reply['story']} as of chapter {reply['at']}: {what}"))
