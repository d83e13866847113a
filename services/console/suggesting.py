"""Suggestions for an editor: who may be the same person, as of a chapter."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.responses import Response

from services import arguments
from services.console.context import Shared, document, known_parameters
from services.console.reading import AsRecorded, At
from services.suggesting.suggestions import Suggestions

routes = APIRouter(prefix="/v1", tags=["deciding"], dependencies=[Depends(known_parameters)])


@routes.get("/stories/{story}/suggestions", summary="Who may be the same person, with reasons, for an editor to decide")
def suggestions(shared: Shared, story: str, at: At = None, as_recorded: AsRecorded = None) -> Response:
    return document(
        Suggestions(shared.application.pool).of(
            arguments.text("the story", story),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )
