"""Writing: chapters and their edits, and an editor's decisions. Each is handled in a thread of its own kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from services import arguments
from services.console.bodies import (
    ChapterBody,
    CheckpointBody,
    DueBody,
    MergeBody,
    SplitBody,
    parse,
    read,
)
from services.console.context import Context, Shared, document, known_parameters
from services.documents import Document

routes = APIRouter(prefix="/v1", tags=["writing"], dependencies=[Depends(known_parameters)])

Wait = Annotated[bool, Query(description="answer when the read models include it")]


def takes(model: type[BaseModel]) -> dict[str, Any]:
    """The description of a body that the route reads itself."""
    schema = model.model_json_schema(by_alias=True)
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


CREATED: Final[dict[int | str, dict[str, Any]]] = {
    201: {"description": "The chapter is new"},
    202: {"description": "Accepted, and not handled yet"},
}


@routes.put(
    "/stories/{story}/chapters/{n}",
    summary="Publish a chapter, or an edit of it",
    openapi_extra=takes(ChapterBody),
    responses=CREATED,
)
async def publish(shared: Shared, request: Request, story: str, n: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> tuple[Document, str | None]:
        body = parse(raw, ChapterBody)
        reply = shared.application.publisher.publish(
            story,
            arguments.chapter(n),
            body.text,
            title=body.title,
            records=body.records,
            language=body.language,
            wait=body.wait,
        )
        content = shared.application.catalogue.content_hash(reply["story"], reply["chapter"], reply["revision"])
        return reply, content

    reply, content = await _counted(shared, work)
    return document(reply, status_of(reply), {"ETag": f'"{content}"'} if content else None)


@routes.delete("/stories/{story}/chapters/{n}", summary="Withdraw a chapter")
async def retract(shared: Shared, story: str, n: str, wait: Wait = True) -> Response:
    reply = await _counted(
        shared, lambda: (shared.application.publisher.retract(story, arguments.chapter(n), wait=wait), None)
    )
    return document(reply[0])


@routes.post(
    "/stories/{story}/merge",
    summary="An editor says that two names are one entity",
    openapi_extra=takes(MergeBody),
)
async def merge(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> tuple[Document, None]:
        body = parse(raw, MergeBody)
        return shared.application.publisher.merge(story, body.a, body.b, since=body.since), None

    return document((await _counted(shared, work))[0])


@routes.post(
    "/stories/{story}/split",
    summary="An editor says that a name is another entity's",
    openapi_extra=takes(SplitBody),
)
async def split(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> tuple[Document, None]:
        body = parse(raw, SplitBody)
        return shared.application.publisher.split(story, body.alias, body.from_), None

    return document((await _counted(shared, work))[0])


@routes.put(
    "/stories/{story}/checkpoints/{name:path}", summary="Name a checkpoint", openapi_extra=takes(CheckpointBody)
)
async def checkpoint(shared: Shared, request: Request, story: str, name: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> tuple[Document, None]:
        body = parse(raw, CheckpointBody)
        return shared.application.checkpoint(
            arguments.text("the story", story), arguments.text("the name", name), body.at
        ), None

    return document((await _counted(shared, work))[0])


@routes.put(
    "/stories/{story}/threads/{thread:path}/due",
    summary="An editor plans by which chapter a thread is paid off",
    openapi_extra=takes(DueBody),
)
async def due(shared: Shared, request: Request, story: str, thread: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> tuple[Document, None]:
        return shared.application.publisher.due(story, thread, parse(raw, DueBody).chapter), None

    return document((await _counted(shared, work))[0])


def status_of(reply: Document) -> int:
    """201 for a new chapter, 202 for one that is not handled yet, else 200."""
    if reply.get("position") is None:
        return 202
    return 201 if reply.get("revision") == 1 and not reply.get("unchanged") else 200


async def _counted(shared: Context, work: Callable[[], tuple[Document, str | None]]) -> tuple[Document, str | None]:
    outcome = "refused"
    try:
        reply, content = await shared.write(work)
        outcome = "unchanged" if reply.get("unchanged") else "accepted"
        return reply, content
    finally:
        shared.metrics.publications.labels(outcome).inc()
