"""Audit views over HTTP, as of a chapter: who knows what, what is promised, how people and scenes go on, what happened so far."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from services import arguments
from services.console.context import Shared, document, known_parameters
from services.console.reading import AsRecorded, At, Text

routes = APIRouter(prefix="/v1", tags=["auditing"], dependencies=[Depends(known_parameters)])


@routes.get("/stories/{story}/knowledge", summary="Who knows what, since when and how; the reader is one of them")
def knowledge(
    shared: Shared,
    story: str,
    fact: Text = None,
    who: Text = None,
    irony: Annotated[bool, Query(description="only what the reader knows and a character does not")] = False,
    at: At = None,
    as_recorded: AsRecorded = None,
) -> Response:
    return document(
        shared.application.auditor.knowledge(
            arguments.text("the story", story),
            fact=arguments.optional_text("the fact", fact),
            who=arguments.optional_text("the knower", who),
            irony=irony,
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )


@routes.get("/stories/{story}/promises", summary="What is open: its age, when it is due, how far it has come")
def promises(
    shared: Shared,
    story: str,
    overdue: Annotated[bool, Query(description="only what is late")] = False,
    at: At = None,
    as_recorded: AsRecorded = None,
) -> Response:
    return document(
        shared.application.auditor.promises(
            arguments.text("the story", story),
            overdue=overdue,
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )
