"""Operations of the client as tools: one tool an operation, its parameters described, its refusals told."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from typing import Annotated, Any, Final, TypeAlias, get_type_hints

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from services.client import AsyncFabula
from services.client.awaited import READING, WRITING
from services.client.errors import ClientError, Problem
from services.mcp.parameters import DESCRIPTIONS

Document: TypeAlias = dict[str, Any]
Operation: TypeAlias = Callable[..., Awaitable[Any]]

READS: Final = "reads"
WRITES: Final = "writes"


def operations(fabula: AsyncFabula, *, write: bool) -> Iterator[tuple[str, Operation]]:
    """The operations that become tools, each with READS or WRITES; those that write only where `write` is set."""
    for kind, classes in ((READS, READING), (WRITES, WRITING)):
        if kind == WRITES and not write:
            continue
        for each in classes:
            names = [name for name, value in vars(each).items() if not name.startswith("_") and callable(value)]
            yield from ((kind, getattr(fabula, name)) for name in names)


def tool(operation: Operation) -> Callable[..., Awaitable[Document]]:
    """The operation as the function of a tool: the same parameters, described, and the whole document as its result."""

    @wraps(operation)
    async def run(*args: Any, **kwargs: Any) -> Document:
        try:
            return dict(await operation(*args, **kwargs))
        except ClientError as error:
            raise ToolError(_told(error)) from error

    hints = get_type_hints(operation)
    signature = inspect.signature(operation)
    parameters = [
        each.replace(annotation=Annotated[hints[name], Field(description=DESCRIPTIONS[name])])
        for name, each in signature.parameters.items()
    ]
    del run.__wrapped__
    run.__signature__ = signature.replace(parameters=parameters, return_annotation=Document)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": Document}
    return run


def _told(error: ClientError) -> str:
    return f"{error.title}: {error.detail}" if isinstance(error, Problem) else str(error)
