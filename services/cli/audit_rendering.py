"""Audit views as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.cli.output import printable
from services.cli.rendering import columns, quotation

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
            for each in reply["irony"]
        ),
        "The reader knows nothing that a character on stage does not.",
    )


def _head(out: Console, reply: Document, what: str) -> None:
    out.print(printable(f"{reply['story']} as of chapter {reply['at']}: {what}"))
