"""One connection to a server: sends calls, tries again where that is safe, and raises what the server refuses."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from services.client import calls
from services.client.calls import CONNECT_SECONDS, DEFAULT_URL, FIRST_PAUSE, JSON, TIMEOUT_SECONDS, Call

T = TypeVar("T")


class Connection:
    """Connections to the server at `url`, kept open between calls. Use it as a context manager, or call `aclose`.

    `timeout` is in seconds (None: wait for ever). `retries` is how often a call is sent again when the connection
    fails; one that writes and might be done twice is only sent again when it never arrived. `transport` replaces the
    network, for tests and for a server in the same process.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        timeout: float | None = TIMEOUT_SECONDS,
        retries: int = 2,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._retries = retries
        connect = CONNECT_SECONDS if timeout is None else min(timeout, CONNECT_SECONDS)
        self._http = httpx.AsyncClient(
            base_url=self.url,
            timeout=httpx.Timeout(timeout, connect=connect),
            headers=dict(headers or {}),
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _send(
        self,
        reply: type[T],
        method: str,
        route: str,
        places: Mapping[str, str | int] | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        repeatable: bool | None = None,
    ) -> T:
        """The document that answers the call; `reply` is its type, which nothing checks here.

        Raises NoAnswer, TooSlow, NotAnAnswer, Problem.
        """
        asked = calls.call(method, route, places or {}, query=query, body=body, repeatable=repeatable)
        document: T = calls.answer(asked, await self._response(asked))
        return document

    async def _text(self, route: str) -> str:
        """The text at a route that answers with no JSON."""
        return (await self._response(calls.call("GET", route, {}))).text

    async def _response(self, asked: Call) -> httpx.Response:
        tried = 0
        while True:
            try:
                return await self._http.request(
                    asked.method,
                    asked.path,
                    params=dict(asked.query) or None,
                    content=asked.body,
                    headers=None if asked.body is None else JSON,
                )
            except httpx.TransportError as error:
                if tried >= self._retries or not calls.may_repeat(asked, error):
                    raise calls.no_answer(asked, self.url, error) from error
            await sleep(FIRST_PAUSE * 2**tried)
            tried += 1
