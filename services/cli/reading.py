"""Commands that read, always as of a chapter."""

from __future__ import annotations

import click

from services import arguments
from services.cli import options, rendering
from services.cli.output import emit
from services.reading.causes import last_change


@click.command()
@options.as_json
def stories(as_json: bool) -> None:
    """List the stories there are."""
    with options.application() as application:
        reply = application.catalogue.stories()
    emit(reply, as_json, rendering.stories)


@click.command()
@options.story
@click.option("--entity", metavar="NAME", help="Only what concerns this entity.")
@click.option("--key", metavar="PREFIX", help="Only keys that start so, such as `owner(`.")
@options.reads
def state(
    story: str, entity: str | None, key: str | None, at: str | None, as_recorded: str | None, as_json: bool
) -> None:
    """Show what holds after a chapter has been read."""
    with options.application() as application:
        reply = application.reading().state(
            arguments.text("the story", story),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
            entity=arguments.optional_text("the entity", entity),
            key=arguments.optional_text("the key", key),
        )
    emit(reply, as_json, rendering.state)


@click.command()
@options.story
@click.argument("key")
@options.reads
def history(story: str, key: str, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """Show the values of one key, and those believed before."""
    with options.application() as application:
        reply = application.reading().history(
            arguments.text("the story", story),
            arguments.text("the key", key),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, rendering.history)


@click.command()
@options.story
@click.argument("name")
@options.reads
def entity(story: str, name: str, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """Show one entity: names, state, appearances, threads."""
    with options.application() as application:
        reply = application.reading().entity(
            arguments.text("the story", story),
            arguments.text("the name", name),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, rendering.entity)


@click.command()
@options.story
@click.option("--status", metavar="STATUS", help="Only threads of this status, such as `open`.")
@options.reads
def threads(story: str, status: str | None, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """Show promises, mysteries, goals and threats.

    Those that are open, and those that were paid off.
    """
    with options.application() as application:
        reply = application.reading().threads(
            arguments.text("the story", story),
            at=arguments.checkpoint(at),
            status=arguments.optional_text("the status", status),
            as_recorded=arguments.moment(as_recorded),
        )
    emit(reply, as_json, rendering.threads)


@click.command()
@options.story
@click.option(
    "--order", type=click.Choice(("telling", "story")), default="telling", show_default=True, help="In which order."
)
@options.reads
def timeline(story: str, order: str, at: str | None, as_recorded: str | None, as_json: bool) -> None:
    """Show who is present in which chapter.

    In story order a chapter that looks back is shown where what it tells of happens.
    """
    with options.application() as application:
        reply = (application.reading() if order == "telling" else application.auditing()).timeline(
            arguments.text("the story", story), at=arguments.checkpoint(at), as_recorded=arguments.moment(as_recorded)
        )
    emit(reply, as_json, rendering.timeline if order == "telling" else rendering.story_timeline)


@click.command()
@options.story
@click.option("--from", "from_", metavar="N|NAME", help="A chapter or checkpoint.")
@click.option("--to", metavar="N|NAME", help="A chapter or checkpoint.")
@click.option(
    "--between-positions", nargs=2, type=options.POSITION, metavar="P Q", help="Two positions: what changed in belief."
)
@click.option("--as-recorded", metavar="POSITION|TIME", help="With --from and --to: as it was believed then.")
@options.as_json
def diff(
    story: str,
    from_: str | None,
    to: str | None,
    between_positions: tuple[int, int] | None,
    as_recorded: str | None,
    as_json: bool,
) -> None:
    """Show what changed between chapters, or in belief.

    --from and --to compare two chapters; --between-positions what was believed at two places in the log.
    """
    name = arguments.text("the story", story)
    start, end = arguments.checkpoint(from_), arguments.checkpoint(to)
    if (between_positions is None) == (start is None and end is None):
        raise click.UsageError("give either --from N --to M, or --between-positions P Q")
    if between_positions is not None:
        with options.application() as application:
            reply = application.reading().diff_beliefs(name, *between_positions)
    elif start is None or end is None:
        raise click.UsageError("give both --from and --to")
    else:
        with options.application() as application:
            reply = application.reading().diff(name, from_=start, to=end, as_recorded=arguments.moment(as_recorded))
    emit(reply, as_json, rendering.diff)


@click.command()
@options.story
@click.option("--chapter", type=int, help="Only what concerns this chapter.")
@click.option("--record", metavar="R", help="Only this record, such as 3:o1.")
@options.at
@options.as_json
def audit(story: str, chapter: int | None, record: str | None, at: str | None, as_json: bool) -> None:
    """Show the events of the log, with reasons and causes.

    For one record also the chain of causes, from the edit to what became of it.
    """
    with options.application() as application:
        reply = application.reading().audit(
            arguments.text("the story", story),
            chapter=None if chapter is None else arguments.chapter(str(chapter)),
            record=arguments.optional_text("the record", record),
            at=arguments.checkpoint(at),
        )
        if not as_json:
            # causes may be anywhere in the story
            log = application.reading().audit(reply["story"], at=arguments.checkpoint(at))["events"]
            reply["positions"] = {each["id"]: each["position"] for each in log}
            reply["chain"] = last_change(reply["events"], log) if record is not None else []
    emit(reply, as_json, rendering.audit)
