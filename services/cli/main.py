"""The command `fabula`: which commands there are, and how a run ends.

Exit status: 0 done, 1 refused or unavailable (one message on standard error that says what to do), 2 wrong usage.
Commands are loaded when they are called, so that starting costs a tenth of a second whatever a command needs.
"""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import click

from services.collecting import collect_seldom

DEBUG: Final = "FABULA_DEBUG"
"""Set, an error is shown with its traceback."""

INTERRUPTED: Final = "Interrupted. What was published stays published; run the command again to go on."

COMMANDS: Final = {
    "publish": "services.cli.writing:publish",
    "import": "services.cli.importing:import_",
    "retract": "services.cli.writing:retract",
    "reextract": "services.cli.reextracting:reextract",
    "batches": "services.cli.batches:batches",
    "takedown": "services.cli.takedown:takedown",
    "merge": "services.cli.writing:merge",
    "split": "services.cli.writing:split",
    "checkpoint": "services.cli.writing:checkpoint",
    "branch": "services.cli.branching:branch",
    "branches": "services.cli.branching:branches",
    "diff-branches": "services.cli.branching:diff_branches",
    "promote": "services.cli.branching:promote",
    "due": "services.cli.writing:due",
    "stories": "services.cli.reading:stories",
    "status": "services.cli.status:status",
    "state": "services.cli.reading:state",
    "history": "services.cli.reading:history",
    "entity": "services.cli.reading:entity",
    "threads": "services.cli.reading:threads",
    "timeline": "services.cli.reading:timeline",
    "knowledge": "services.cli.auditing:knowledge",
    "promises": "services.cli.auditing:promises",
    "trajectory": "services.cli.auditing:trajectory",
    "interactions": "services.cli.auditing:interactions",
    "chains": "services.cli.auditing:chains",
    "recap": "services.cli.auditing:recap",
    "suggestions": "services.cli.suggesting:suggestions",
    "diff": "services.cli.reading:diff",
    "audit": "services.cli.reading:audit",
    "check": "services.cli.foreseeing:check",
    "constraints": "services.cli.foreseeing:constraints",
    "exempt": "services.cli.foreseeing:exempt",
    "impact": "services.cli.foreseeing:impact",
    "questions": "services.cli.foreseeing:questions",
    "packet": "services.cli.asking:packet",
    "ask": "services.cli.asking:ask",
    "replay": "services.cli.replaying:replay",
    "usage": "services.cli.usage:usage",
    "dead-letters": "services.cli.dead_letters:dead_letters",
    "serve": "services.cli.running:serve",
    "mcp": "services.cli.mcp:mcp",
    "worker": "services.cli.running:worker",
    "project": "services.cli.running:project",
    "stack": "services.cli.stack:stack",
    "doctor": "services.cli.doctor:doctor",
    "bench": "services.cli.bench:bench",
    "eval": "services.cli.evaluation:evaluation",
    "demo": "services.cli.demo:demo",
}
"""Where each command is, in the order in which the help lists them."""


class Fabula(click.Group):
    """The group of all commands, and the one place where errors become messages and exit statuses."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False
        try:
            status = super().main(given, *rest, **extra)
        except Exception as error:  # noqa: BLE001 - the last supervisor: whatever happened, the user gets a sentence
            sys.exit(_end(error, "--json" in given))
        except KeyboardInterrupt:
            click.echo(INTERRUPTED, err=True)
            sys.exit(130)
        sys.exit(status if isinstance(status, int) else 0)


@click.group(cls=Fabula, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="fabula", message="%(package)s %(version)s")
def cli() -> None:
    """The memory of a serialized-fiction platform: chapters in, evidence-backed story state out.

    Without configuration everything runs embedded, under FABULA_HOME. `fabula demo` shows it in a minute; `fabula
    doctor` says what is configured, reachable and used.
    """


def _end(error: Exception, as_json: bool) -> int:
    """Say what went wrong on standard error, and return the exit status."""
    if isinstance(error, click.Abort):
        # click's name for Ctrl-C
        click.echo(INTERRUPTED, err=True)
        return 130
    if isinstance(error, BrokenPipeError):
        # the reader of our output went away; keep the interpreter from complaining at its own flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    if isinstance(error, click.ClickException):
        _say_usage(error, as_json)
        return 2
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error)
    from services.cli.output import printable
    from services.documents import encode, problem

    document = problem(error)
    if document["type"].endswith(":unexpected") and str(error):
        document["detail"] += f" ({printable(str(error))[:500]}) {DEBUG}=1 shows where it happened."
    if as_json:
        click.echo(encode(document), err=True)
    else:
        click.echo(f"{document['title']}: {printable(document['detail'])}", err=True)
    return 1


def _say_usage(error: click.ClickException, as_json: bool) -> None:
    if as_json:
        from services.documents import describe, encode

        click.echo(encode(describe(400, "usage", "Wrong usage", error.format_message())), err=True)
    else:
        error.show(sys.stderr)


def _in_order(number: int, _frame: object) -> NoReturn:
    """End as after Ctrl-C, so that what a command started or put down for itself goes with it."""
    # `timeout` signals a process and then its group: the second must not cut the first one short
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def main() -> None:
    """The console script."""
    collect_seldom()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a character shows a question mark, and the rest
    signal.signal(signal.SIGTERM, _in_order)
    cli.main(prog_name="fabula")


if __name__ == "__main__":
    main()
