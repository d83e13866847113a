"""What the routes share: the application, its metrics, and the threads in which publications are handled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Final, TypeVar, cast

from fastapi import Depends, Request
from starlette.responses import Response

from events.errors import InvalidInput, Unavailable
from services.documents import Document, encode

if TYPE_CHECKING:
    from services.composition import Application
    from services.observing.metrics import Metrics

T = TypeVar("T")

QUEUE: Final = 64
"""How many publications may wait for a thread before the server asks to come back later."""

REPEATABLE: Final = frozenset({"between"})


class Context:
    """The one object behind all routes of an API."""

    def __init__(self, application: Application, metrics: Metrics) -> None:
        self.application = application
        self.metrics = metrics
        self._threads = ThreadPoolExecutor(application.settings.publish_threads, thread_name_prefix="publish")
        self._looking = ThreadPoolExecutor(2, thread_name_prefix="look")
        self._waiting = 0

    async def write(self, work: Callable[[], T]) -> T:
        """Run a write in a thread of its own kind, so that slow ones never hold up a read.

        Raises Unavailable when too many wait already.
        """
        if self._waiting >= QUEUE:
            raise Unavailable(f"{QUEUE} publications are waiting already; try again in a moment")
        self._waiting += 1
        self.metrics.waiting.set(self._waiting)
        try:
            # shielded: a client that goes away must not leave a publication half counted
            return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._threads, work))
        finally:
            self._waiting -= 1
            self.metrics.waiting.set(self._waiting)

    async def look(self, work: Callable[[], T]) -> T:
        """Run what an operator's machinery asks for beside all requests: it has to be told of those that wait."""
        return await asyncio.get_running_loop().run_in_executor(self._looking, work)

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._looking.shutdown(wait=True, cancel_futures=True)


async def context(request: Request) -> Context:
    """What is no coroutine FastAPI gives a thread of the readers: readiness would wait with them for one."""
    return cast("Context", request.app.state.context)


Shared = Annotated[Context, Depends(context)]


async def known_parameters(request: Request) -> None:
    """Refuse a query parameter that the route does not take, or one given twice.

    A misspelt `at` would otherwise read the whole story, which is the one thing a reader must never be shown.
    """
    dependant = getattr(request.scope.get("route"), "dependant", None)
    known = [each.alias for each in dependant.query_params] if dependant is not None else []
    for name in request.query_params:
        if name not in known:
            takes = "it takes " + ", ".join(known) if known else "it takes none"
            raise InvalidInput(f"{name[:40]!r} is no parameter of this route; {takes}")
        if name not in REPEATABLE and len(request.query_params.getlist(name)) > 1:
            raise InvalidInput(f"{name!r} is given twice; give it once")


def document(reply: Document, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A reply in the very bytes that the command line prints."""
    return Response(encode(reply), status, headers=headers, media_type="application/json")
