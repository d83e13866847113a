"""Every error of the API as a problem document, whoever raised it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import psycopg
import structlog
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from events.errors import FabulaError
from services.documents import Document, as_refusal, describe, encode, problem
from services.local.errors import LocalServiceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI, Request

MEDIA_TYPE: Final = "application/problem+json"

log = structlog.get_logger(__name__)


def install(app: FastAPI) -> None:
    """Answer the framework's errors, ours and the unexpected ones with problem documents."""
    app.add_exception_handler(HTTPException, _framework)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(FabulaError, _ours)
    # by name: what is handled as `Exception` is raised once more, for the server to log
    for kind in (psycopg.Error, LocalServiceError, UnicodeEncodeError):
        app.add_exception_handler(kind, _unexpected)
    app.add_exception_handler(Exception, _unexpected)


def reply(document: Document, headers: Mapping[str, str] | None = None) -> Response:
    return Response(encode(document), document["status"], headers=headers, media_type=MEDIA_TYPE)


async def _framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        document = describe(
            404, "no-such-route", "There is no such route", f"{request.url.path[:200]} is no route; see /docs"
        )
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        document = describe(405, "wrong-method", "The route does not take this method", f"use {allowed}; see /docs")
    else:
        document = describe(error.status_code, "http", "The request was refused", f"{error.detail}; see /docs")
    return reply(document, error.headers)


async def _validation(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [f"`{each['loc'][-1]}`: {each['msg']}" for each in error.errors()[:5]]
    return reply(
        describe(
            422,
            "invalid-parameter",
            "A parameter cannot be used",
            "; ".join(faults) + "; see /docs for what the route takes",
        )
    )


async def _ours(_request: Request, error: Exception) -> Response:
    return reply(problem(error), {"Retry-After": "1"} if getattr(error, "status", 0) == 503 else None)


async def _unexpected(request: Request, error: Exception) -> Response:
    known = as_refusal(error)
    if known is not None:
        return await _ours(request, known)
    log.error("request failed", method=request.method, path=request.url.path, exc_info=error)
    return reply(problem(error))
