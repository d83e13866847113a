"""The command that serves a story memory to language models."""

from __future__ import annotations

import signal
from contextlib import AsyncExitStack, ExitStack

import click

from services.cli import options
from services.cli.output import note


@click.command()
@click.option("--write", is_flag=True, help="Offer the operations that change a story as well.")
@click.option("--url", metavar="URL", help="A `fabula serve` to talk to (default: everything in this process).")
@click.option("--http", is_flag=True, help="Streamable HTTP at /mcp (default: standard input and output).")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="With --http: where to listen.")
@click.option("--port", type=click.IntRange(1, 65_535), default=8078, show_default=True, help="With --http: the port.")
def mcp(write: bool, url: str | None, http: bool, host: str, port: int) -> None:
    """Serve tools for language models (Model Context Protocol).

    There is a tool for each reading operation; none changes anything unless --write is given.
    """
    import anyio

    from services.client import AsyncFabula
    from services.mcp import server

    with ExitStack() as stack:
        application = None
        if url is None:
            application = stack.enter_context(options.application())
            # built before the first call, so that none waits for it and a fault is heard of at once
            application.publisher, application.runner, application.reader  # noqa: B018
            if application.settings.embedded:
                stack.enter_context(application.following())

        async def run() -> None:
            async with AsyncExitStack() as open_:
                fabula = await open_.enter_async_context(
                    AsyncFabula(url or "") if application is None else server.embedded(application)
                )
                if http:
                    note(f"Tools at http://{host}:{port}/mcp; stop with Ctrl-C.")
                    await server.run_http(fabula, write=write, host=host, port=port)
                else:
                    # a thread waits for standard input, which nothing but its end or that of the process wakes
                    for number in (signal.SIGTERM, signal.SIGINT):
                        signal.signal(number, signal.SIG_DFL)
                    await server.run_stdio(fabula, write=write)

        anyio.run(run)
