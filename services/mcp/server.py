"""The MCP server: tools over a client, which talks to a server elsewhere or to one in this very process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import httpx
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from services.client import AsyncFabula
from services.mcp.tools import READS, operations, tool

if TYPE_CHECKING:
    from services.composition import Application

INSTRUCTIONS: Final = (
    "The memory of serialized stories. Every answer is as of a chapter (`at`): nothing after it is told, so give the "
    "reader's place whenever it is known. Every statement comes with its evidence: the chapter, revision and span of "
    "text that says so; quote that, and say that the story does not tell where nothing is found. `stories` lists what there is."
)
IN_PROCESS: Final = "http://fabula"


def server(fabula: AsyncFabula, *, write: bool = False) -> MCPServer[None]:
    """A server with a tool for every operation that reads, and with `write` for those that change a story as well."""
    made: MCPServer[None] = MCPServer(
        "fabula", title="Fabula", version=version("fabula"), instructions=INSTRUCTIONS, log_level="WARNING"
    )
    for kind, operation in operations(fabula, write=write):
        reads = kind == READS
        made.add_tool(
            tool(operation),
            name=operation.__name__,
            description=operation.__doc__,
            annotations=ToolAnnotations(read_only_hint=reads, destructive_hint=not reads, open_world_hint=False),
        )
    return made


@asynccontextmanager
async def embedded(application: Application) -> AsyncIterator[AsyncFabula]:
    """A client of the API of `application`, without a network between them."""
    from services.console.api import create_app

    app = create_app(application)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with app.router.lifespan_context(app), AsyncFabula(IN_PROCESS, transport=transport, timeout=None) as fabula:
        yield fabula


async def run_stdio(fabula: AsyncFabula, *, write: bool) -> None:
    """Serve the program that started this one, over standard input and output, until it closes them."""
    await server(fabula, write=write).run_stdio_async()


async def run_http(fabula: AsyncFabula, *, write: bool, host: str, port: int) -> None:
    """Serve streamable HTTP at `/mcp`, until a signal ends it."""
    await server(fabula, write=write).run_streamable_http_async(host=host, port=port)
