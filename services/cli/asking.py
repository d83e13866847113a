"""The commands that ask: the bounded evidence for a question, and the answer that it supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from services import arguments
from services.cli import options, rendering
from services.cli.output import emit, printable
from services.documents import whole_text
from services.reading.excerpts import excerpt

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document

METHODS: Final = (
    "How evidence is found: weave (all of it, woven into exact pieces of text), nwm (entities, events, what holds and their "
    "text), pons (figures and events that belong together, with their text), hybrid (passages by words and meaning), bm25 (by "
    "words), dense (by meaning), state (what holds)."
)


@click.command()
@options.story
@click.argument("question")
@click.option("--method", default="weave", show_default=True, metavar="METHOD", help=METHODS)
@click.option("--budget", type=int, default=12_000, show_default=True, help="Characters the packet may have.")
@click.option(
    "--budget-tokens", type=int, help="Tokens the packet may have, instead (WordPiece, about four characters each)."
)
@options.reads
def packet(
    story: str,
    question: str,
    method: str,
    budget: int,
    budget_tokens: int | None,
    at: str | None,
    as_recorded: str | None,
    as_json: bool,
) -> None:
    """Gather the evidence for a QUESTION within a budget.

    Blind to everything after the checkpoint.
    """
    with options.application() as application:
        reply = application.asking().packet(
            arguments.text("the story", story),
            whole_text(question).replace("\0", ""),
            at=arguments.checkpoint(at),
            method=method,
            budget=budget,
            budget_tokens=budget_tokens,
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, rendering.packet)


@click.command()
@options.story
@click.argument("question")
@click.option("--method", default="weave", show_default=True, metavar="METHOD", help=METHODS)
@click.option("--budget", type=int, default=12_000, show_default=True, help="Characters the packet may have.")
@click.option(
    "--options", "choices", multiple=True, metavar="ANSWER", help="Answers to choose from, all after one --options."
)
@click.argument("more", nargs=-1, metavar="")
@options.reads
def ask(
    story: str,
    question: str,
    method: str,
    budget: int,
    choices: tuple[str, ...],
    more: tuple[str, ...],
    at: str | None,
    as_recorded: str | None,
    as_json: bool,
) -> None:
    """Answer a QUESTION from the story so far, with the evidence, or say that it is not told.

    Give `--options A B C D` to have one of them chosen. Blind to everything after the checkpoint.
    """
    if more and not choices:
        raise click.UsageError("Put the question in quotation marks; what comes after it belongs to --options.")
    with options.application() as application:
        reply = application.answers().ask(
            arguments.text("the story", story),
            whole_text(question).replace("\0", ""),
            at=arguments.checkpoint(at),
            method=method,
            budget=budget,
            options=[whole_text(each) for each in (*choices, *more)] or None,
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, _answered)


def _answered(out: Console, reply: Document) -> None:
    """The answer, what it rests on, and how it was come by."""
    out.print(printable(f"{reply['question']}  (as of {reply['at']}, {reply['reader']})"))
    out.print(printable(reply["answer"] or "Not answered: the story so far does not support an answer."))
    for each in reply["audit"]["constraints"]:
        if not each["passed"]:
            out.print(printable(f"  {each['constraint']}: {each['why']}"))
    cited = [item for item in reply["packet"]["items"] if item["id"] in reply["evidence_ids"]]
    if cited:
        rows = ((item["id"], item["chapter"], excerpt(item["text"], reply["answer"])) for item in cited)
        rendering.columns(out, ("evidence", "chapter", "text"), rows, "")
    for step in reply["support"]:
        said = step["answer"] or "nothing"
        out.print(
            printable(
                f"{'  ' * step['depth']}{step['step']}. {step['question']} → {said}  [{step['source']}: {step['why']}]"
            )
        )
    if reply["skills"]:
        out.print(printable(f"read with: {', '.join(reply['skills'])}"))
