"""The command that asks: the bounded evidence for a question."""

from __future__ import annotations

from typing import Final

import click

from services import arguments
from services.cli import options, rendering
from services.cli.output import emit
from services.documents import whole_text

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
