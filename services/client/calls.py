"""From an operation to the request that asks for it, and from a response to its document. Nothing here sends anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import httpx

from services.client.errors import NoAnswer, NotAnAnswer, TooSlow, problem

DEFAULT_URL: Final = "http://127.0.0.1:8077"
CONNECT_SECONDS: Final = 5.0
JSON: Final = {"content-type": "application/json"}
TIMEOUT_SECONDS: Final = 180.0
"""A publication that waits is answered when it has been read and the read models include it."""
FIRST_PAUSE: Final = 0.2
"""Seconds before a call is tried again; doubled each time."""

NULL: Final = object()
"""In a body: null, where leaving the field out would say something else."""

_NEVER_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request. `repeatable`: asking twice is as good as once, so it may be sent again when a connection breaks."""

    method: str
    path: str
    query: Mapping[str, str]
    body: bytes | None
    repeatable: bool


def call(
    method: str,
    route: str,
    places: Mapping[str, str | int],
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    repeatable: bool | None = None,
) -> Call:
    """The call of a route such as `/v1/stories/{story}/state`, its places filled in; what is None is left out."""
    filled = {name: quote(str(value), safe="") for name, value in places.items()}
    return Call(
        method=method,
        path=route.format(**filled),
        query={name: _written(value) for name, value in (query or {}).items() if value is not None},
        body=None if body is None else _encoded(body),
        repeatable=method != "POST" if repeatable is None else repeatable,
    )


def may_repeat(asked: Call, error: httpx.TransportError) -> bool:
    """Whether the call can be sent again: it never arrived, or it does no harm twice. What was too slow is not repeated."""
    if isinstance(error, _NEVER_SENT):
        return True
    return asked.repeatable and not isinstance(error, httpx.TimeoutException)


def no_answer(asked: Call, url: str, error: httpx.TransportError) -> NoAnswer:
    """The error of a call that got no answer."""
    what = f"{asked.method} {asked.path}"
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, _NEVER_SENT):
        return TooSlow(
            f"{url} did not answer {what} within the time; give the client a longer `timeout`, or ask again."
        )
    return NoAnswer(f"Nobody answers at {url} ({error or type(error).__name__}); see that `fabula serve` runs there.")


def answer(asked: Call, response: httpx.Response) -> Any:
    """The document of a response. Raises Problem for a refusal, NotAnAnswer for what is no JSON."""
    try:
        document = response.json()
    except ValueError:
        document = None
    if response.is_success and document is not None:
        return document
    if not response.is_success and isinstance(document, dict):
        raise problem(response.status_code, document)
    raise NotAnAnswer(
        f"{asked.method} {response.url} was answered with status {response.status_code} and no JSON; "
        "see that the address is that of `fabula serve`."
    )


def _encoded(body: Mapping[str, Any]) -> bytes:
    """The body in ASCII: half a surrogate pair, which UTF-8 has no room for, is the server's to clean."""
    given = {name: value for name, value in body.items() if value is not None}
    return json.dumps({name: None if value is NULL else value for name, value in given.items()}).encode()


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)
