"""Arguments and options that commands share, and how they become what the services take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from services.arguments import MAX_POSITION

if TYPE_CHECKING:
    from services.composition import Application
    from services.settings import Settings

Command = TypeVar("Command", bound=Callable[..., Any])

story = click.argument("story")
chapter = click.argument("chapter", type=int)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document, and nothing else.")
at = click.option("--at", metavar="N|NAME", help="As of this chapter or named checkpoint (default: the last chapter).")
as_recorded = click.option(
    "--as-recorded", metavar="POSITION|TIME", help="As it was believed at this position or time (default: now)."
)
POSITION = click.IntRange(0, MAX_POSITION)
"""A place in the log."""
wait = click.option(
    "--wait/--no-wait", default=None, help="Return when the read models include it (default in a terminal)."
)


def reads(function: Command) -> Command:
    """The options of every reading command."""
    return as_json(at(as_recorded(function)))


@contextmanager
def application() -> Iterator[Application]:
    """The application as the environment configures it, closed afterwards."""
    from services.composition import Application
    from services.settings import Settings

    with Application(Settings.from_env(), _configure_logs) as built:
        yield built


def _configure_logs(settings: Settings) -> None:
    from services.observing.logs import configure

    configure(settings)
