"""Erasing texts over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from services import arguments
from services.console.context import Shared, document, known_parameters

routes = APIRouter(prefix="/v1", tags=["writing"], dependencies=[Depends(known_parameters)])

Chapter = Annotated[str | None, Query(description="only texts of this chapter")]
All = Annotated[bool, Query(alias="all", description="every revision of the chapter, also the one it has now")]
Line = Annotated[str, Query(description="for the record")]


@routes.delete(
    "/stories/{story}/texts", summary="Erase texts that an edit or a retraction replaced, or all of a chapter"
)
async def take_down(
    shared: Shared, story: str, chapter: Chapter = None, everything: All = False, by: Line = "", reason: Line = ""
) -> Response:
    number = None if chapter is None else arguments.chapter(chapter)
    reply = await shared.write(
        lambda: shared.application.takedown.take_down(story, number, everything=everything, by=by, reason=reason)
    )
    return document(reply)
