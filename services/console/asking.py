"""Asking: the bounded evidence for a question, and the answer that it supports, blind to everything after the checkpoint."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from services import arguments
from services.console.bodies import AskBody, PacketBody, parse, read
from services.console.context import Shared, document, known_parameters
from services.console.writing import takes
from services.documents import Document, whole_text

routes = APIRouter(prefix="/v1", tags=["asking"], dependencies=[Depends(known_parameters)])


@routes.post("/stories/{story}/packet", summary="Evidence for a question, within a budget", openapi_extra=takes(PacketBody))  # fmt: skip
async def packet(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, PacketBody)
        return shared.application.retriever.packet(
            arguments.text("the story", story),
            whole_text(body.question).replace("\0", ""),
            at=_checkpoint(body.at),
            method=body.method,
            budget=body.budget,
            budget_tokens=body.budget_tokens,
            as_recorded=_moment(body.as_recorded),
        )

    return document(await run_in_threadpool(work))


@routes.post("/stories/{story}/ask", summary="An answer with its evidence, or none", openapi_extra=takes(AskBody))
async def ask(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, AskBody)
        return shared.application.answering.ask(
            arguments.text("the story", story),
            whole_text(body.question).replace("\0", ""),
            at=_checkpoint(body.at),
            method=body.method,
            budget=body.budget,
            options=None if body.options is None else [whole_text(each) for each in body.options],
            as_recorded=_moment(body.as_recorded),
        )

    return document(await run_in_threadpool(work))


def _checkpoint(value: Any) -> int | str | None:
    return arguments.checkpoint(None if value is None else str(value))


def _moment(value: Any) -> int | str | None:
    return arguments.moment(None if value is None else str(value))
