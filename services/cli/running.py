"""Commands that stay: the server, the worker and the projection runner."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import click

from services.cli import options
from services.cli.output import note


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen (default: FABULA_HOST, else 127.0.0.1).")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="The port (default: FABULA_PORT, else 8077; 0: a free one)."
)
def serve(host: str | None, port: int | None) -> None:
    """Serve the HTTP API and the web pages."""
    from services.console.server import serve as run

    with options.application() as application:
        settings = application.settings
        run(application, settings.host if host is None else host, settings.port if port is None else port, note)


@click.command()
def worker() -> None:
    """Take chapters in from Kafka (the Faust stream processors)."""
    with options.application() as application:
        settings = application.settings
        # the worker's own connections live as long as it does; ours only found (or started) the database
        settings = replace(settings, postgres=application.dsn) if settings.kafka else settings
    from services.extraction.worker import run_worker
    from services.observing.logs import configure

    configure(settings)
    if settings.kafka:
        note(f"Taking chapters in from {settings.kafka}; stop with Ctrl-C.")
    run_worker(settings)


@click.command()
def project() -> None:
    """Keep the read models up to date with the log, until stopped."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with options.application() as application:
        note("Read models follow the log; stop with Ctrl-C.")
        application.runner.run_forever(stop)
