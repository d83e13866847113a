"""Commands that audit a story as of a chapter: who knows what, what is promised, how people and scenes go on."""

from __future__ import annotations

import click

from services import arguments
from services.cli import audit_rendering as rendering
from services.cli import options
from services.cli.output import emit


@click.command()
@options.story
@click.argument("fact", required=False)
@click.option("--who", metavar="K", help="Only this knower: a character, or `reader`.")
@click.option("--irony", is_flag=True, help="Only what the reader knows and a character does not.")
@options.reads
def knowledge(
    story: str,
    fact: str | None,
    who: str | None,
    irony: bool,
    at: str | None,
    as_recorded: str | None,
    as_json: bool,
) -> None:
    """Show who knows what, since when and how.

    FACT is the text of a fact or the name of a record that says it; without it all facts are shown. The reader is one of those
    who know.
    """
    with options.application() as application:
        reply = application.auditing().knowledge(
            arguments.text("the story", story),
            fact=arguments.optional_text("the fact", fact),
            who=arguments.optional_text("the knower", who),
            irony=irony,
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, rendering.irony if irony else rendering.knowledge)


@click.command()
@options.story
@click.option("--overdue", is_flag=True, help="Only what is late.")
@options.reads
def promises(story: str, overdue: bool, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """Show what the story owes: open threads, their age, when they are due.

    `fabula due` plans by which chapter a thread is paid off.
    """
    with options.application() as application:
        reply = application.auditing().promises(
            arguments.text("the story", story),
            overdue=overdue,
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, rendering.promises)


@click.command()
@options.story
@click.option("--length", type=int, default=1_200, show_default=True, metavar="CHARS", help="How long it may be.")
@click.option(
    "--for",
    "audience",
    type=click.Choice(("reader", "writer")),
    default="reader",
    show_default=True,
    help="Whom it is for.",
)
@click.option("--since", type=int, metavar="M", help="What came up to chapter M is known, and told less.")
@options.reads
def recap(
    story: str,
    length: int,
    audience: str,
    since: int | None,
    at: str | None,
    as_recorded: str | None,
    as_json: bool,
) -> None:
    """Tell the story so far, from live records only.

    With --json every sentence has the records and the spans of the text that it comes from.
    """
    with options.application() as application:
        reply = application.auditing().recap(
            arguments.text("the story", story),
            length=length,
            audience=audience,
            since=None if since is None else arguments.chapter(str(since)),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, rendering.recap)


@click.command()
@options.story
@click.argument("character")
@options.reads
def trajectory(story: str, character: str, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """Show what changes about a character.

    Chapter by chapter as it is told, and in the order in which it happens.
    """
    with options.application() as application:
        reply = application.auditing().trajectory(
            arguments.text("the story", story),
            arguments.text("the name", character),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, rendering.trajectory)


@click.command()
@options.story
@options.reads
def interactions(story: str, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """Show who acts upon whom, how often and how."""
    with options.application() as application:
        reply = application.auditing().interactions(
            arguments.text("the story", story), at=arguments.checkpoint(at), as_recorded=arguments.moment(as_recorded)
        )
    emit(reply, as_json, rendering.interactions)


@click.command()
@options.story
@options.reads
def chains(story: str, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """Show continuity chains: scenes that go on in one setting.

    Each was audited, and kept, split or dropped; --json has the audits.
    """
    with options.application() as application:
        reply = application.auditing().chains(
            arguments.text("the story", story), at=arguments.checkpoint(at), as_recorded=arguments.moment(as_recorded)
        )
    emit(reply, as_json, rendering.chains)
