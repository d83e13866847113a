"""The command that says what reading with Claude took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from services.cli import options
from services.cli.output import emit, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.composition import Application
    from services.documents import Document

_SUMMED = ("calls", "tokens", "input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens", "usd")


@click.command()
@click.argument("story", required=False)
@options.as_json
def usage(story: str | None, as_json: bool) -> None:
    """Say what Claude took: calls, tokens and dollars by story, chapter, prompt version and model.

    Of one STORY, or of all; with what the budget (FABULA_CLAUDE_BUDGET) still allows.
    """
    with options.application() as application:
        reply = _reply(application, story)
    emit(reply, as_json, _shown)


def _reply(application: Application, story: str | None) -> Document:
    from services.extraction.claude.account import usage as rows_of

    rows = [{**row, **{name: _number(row[name]) for name in _SUMMED}} for row in rows_of(application.pool, story)]
    total: dict[str, float | int] = {name: sum(row[name] for row in rows) for name in _SUMMED}
    for each in (*rows, total):
        each["usd"] = round(each["usd"], 6)
    return {"usage": rows, "total": total, "budget": _budget(application)}


def _number(value: Any) -> float | int:
    return float(value) if isinstance(value, float) else int(value)


def _budget(application: Application) -> Document | None:
    from datetime import UTC, datetime

    from services.extraction.claude.account import PostgresAccount
    from services.extraction.claude.options import ClaudeOptions

    budget = ClaudeOptions.from_env(key_needed=False).budget
    if budget is None:
        return None
    account = PostgresAccount(application.pool)
    account.migrate()
    spent = account.spent(budget.since(datetime.now(UTC)))
    left = max(0.0, budget.usd - spent)
    return {"usd": budget.usd, "period": budget.period, "spent": round(spent, 6), "left": round(left, 6)}


def _shown(out: Console, reply: Document) -> None:
    from services.cli.rendering import columns

    columns(
        out,
        ("story", "chapter", "prompt", "model", "calls", "tokens", "usd"),
        (
            (
                row["story"] or "(none)",
                row["chapter"],
                row["prompt_version"],
                row["model"],
                row["calls"],
                f"{row['tokens']:,}",
                f"{row['usd']:.4f}",
            )
            for row in reply["usage"]
        ),
        "Claude was not asked anything.",
    )
    if reply["usage"]:
        total = reply["total"]
        out.print(f"{total['calls']} calls, {total['tokens']:,} tokens, ${total['usd']:.4f}")
    if (budget := reply["budget"]) is not None:
        period = "" if budget["period"] == "all" else f" a {budget['period']}"
        out.print(
            printable(
                f"Budget ${budget['usd']:.2f}{period}: ${budget['spent']:.4f} spent or on its way, ${budget['left']:.4f} left."
            )
        )
