"""The demonstration: a minute, nothing to install, nothing left behind."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from services.cli.output import console, note

if TYPE_CHECKING:
    from services.settings import Settings


@click.command()
@click.option("--keep", is_flag=True, help="Keep the data (under FABULA_HOME/demo), to go on exploring.")
def demo(keep: bool) -> None:
    """Show what the product does, on a short serial of its own.

    Everything runs embedded, in a place of its own; stories of yours are not touched.
    """
    from services.cli.narration import perform
    from services.composition import Application
    from services.observing.logs import configure
    from services.settings import VARIABLES, Settings

    configured = Settings.from_env()
    configure(configured)
    with _place(configured, keep) as home:
        settings = replace(
            configured,
            home=home,
            postgres=None,
            kafka=None,
            elasticsearch=None,
            extractor="none",
            embedder=configured.embedder if os.environ.get(VARIABLES["embedder"]) else "hash",
        )
        note("Starting an embedded PostgreSQL for the demonstration…")
        with Application(settings) as application:
            perform(application, console())
    if keep:
        exported = f"export {VARIABLES['home']}={shlex.quote(str(home))} {VARIABLES['embedder']}={settings.embedder}"
        note(f"The data is kept. To go on with the commands above: {exported}")
    else:
        note("Nothing is left of it. To go on with the commands above, run it with --keep.")


@contextmanager
def _place(settings: Settings, keep: bool) -> Iterator[Path]:
    """Where the demonstration's data is: kept, or gone afterwards with its server."""
    if keep:
        yield settings.home / "demo"
        return
    from services.local.postgres import LocalPostgres

    with tempfile.TemporaryDirectory(prefix="fabula-demo-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)  # for root, the server runs as another user
        try:
            yield Path(directory)
        finally:
            LocalPostgres(Path(directory) / "postgres").wipe()
