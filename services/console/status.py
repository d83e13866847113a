"""How far a story is: what is in, what waits and why."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.responses import Response

from services import arguments
from services.console.context import Shared, document, known_parameters
from services.extraction import status as standing

routes = APIRouter(prefix="/v1", tags=["running"], dependencies=[Depends(known_parameters)])


@routes.get("/stories/{story}/status", summary="Which chapters are in, which wait and for what, which need somebody")
def status(shared: Shared, story: str) -> Response:
    application = shared.application
    return document(standing.status(application.pool, arguments.text("the story", story), application.read_models()))
