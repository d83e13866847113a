"""Branches over HTTP: what would follow if the story went on otherwise."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from services import arguments
from services.console.bodies import BranchBody, PromotionBody, parse, read
from services.console.context import Shared, document, known_parameters
from services.console.reading import At
from services.console.writing import takes
from services.documents import Document

routes = APIRouter(prefix="/v1", tags=["branches"], dependencies=[Depends(known_parameters)])

Side = Annotated[str, Query(description="the name of a branch, or the story's own id for the parent")]
Line = Annotated[str, Query(description="for the record")]


@routes.get("/stories/{story}/branches", summary="The branches of a story")
def branches(shared: Shared, story: str) -> Response:
    return document(shared.application.branching.of(arguments.text("the story", story)))


@routes.get("/stories/{story}/branch-diff", summary="How the states of two branches differ, or of one and its parent")
def compare(shared: Shared, story: str, a: Side, b: Side, at: At = None) -> Response:
    names = (arguments.text("the story", story), arguments.text("a", a), arguments.text("b", b))
    return document(shared.application.branching.compare(*names, at=arguments.checkpoint(at)))


@routes.put(
    "/stories/{story}/branches/{name}",
    summary="Fork the story after a chapter",
    openapi_extra=takes(BranchBody),
    status_code=201,
    responses={200: {"description": "The branch is there, as it was asked for"}},
)
async def fork(shared: Shared, request: Request, story: str, name: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, BranchBody)
        return shared.application.branching.fork(
            arguments.text("the story", story),
            arguments.text("the name", name),
            arguments.checkpoint(None if body.at is None else str(body.at)),
            wait=body.wait,
        )

    reply = await shared.write(work)
    return document(reply, 200 if reply["unchanged"] else 201)


@routes.delete("/stories/{story}/branches/{name}", summary="Throw a branch away")
async def drop(shared: Shared, story: str, name: str, by: Line = "", reason: Line = "") -> Response:
    names = (arguments.text("the story", story), arguments.text("the name", name))
    return document(await shared.write(lambda: shared.application.branching.drop(*names, by=by, reason=reason)))


@routes.get("/stories/{story}/branches/{name}/promotion", summary="What promoting a branch would publish and change")
def preview(shared: Shared, story: str, name: str) -> Response:
    return document(
        shared.application.branching.preview(arguments.text("the story", story), arguments.text("the name", name))
    )


@routes.post(
    "/stories/{story}/branches/{name}/promotion",
    summary="Publish a branch's chapters into its parent",
    openapi_extra=takes(PromotionBody),
)
async def promote(shared: Shared, request: Request, story: str, name: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, PromotionBody)
        return shared.application.branching.promote(
            arguments.text("the story", story),
            arguments.text("the name", name),
            force=body.force,
            wait=body.wait,
        )

    return document(await shared.write(work))
