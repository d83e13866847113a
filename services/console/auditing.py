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


@routes.get(
    "/stories/{story}/recap", summary="The story so far, every sentence with the records and spans it comes from"
)
def recap(
    shared: Shared,
    story: str,
    length: Annotated[int, Query(description="characters it may have; 1,200 without it")] = 1_200,
    audience: Annotated[str, Query(alias="for", description="reader (without it) or writer")] = "reader",
    since: Annotated[str | None, Query(description="a chapter: what came up to it is known, and told less")] = None,
    at: At = None,
    as_recorded: AsRecorded = None,
) -> Response:
    return document(
        shared.application.auditor.recap(
            arguments.text("the story", story),
            length=length,
            audience=audience,
            since=None if since is None else arguments.chapter(since),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )


@routes.get(
    "/stories/{story}/trajectories/{character:path}",
    summary="What changes about a character, as told and as it happens",
)
def trajectory(shared: Shared, story: str, character: str, at: At = None, as_recorded: AsRecorded = None) -> Response:
    return document(
        shared.application.auditor.trajectory(
            arguments.text("the story", story),
            arguments.text("the name", character),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )


@routes.get("/stories/{story}/interactions", summary="Who acts upon whom, how often and how")
def interactions(shared: Shared, story: str, at: At = None, as_recorded: AsRecorded = None) -> Response:
    return document(
        shared.application.auditor.interactions(
            arguments.text("the story", story),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )


@routes.get(
    "/stories/{story}/chains", summary="Continuity chains: scenes that go on in one setting, each with its audit"
)
def chains(shared: Shared, story: str, at: At = None, as_recorded: AsRecorded = None) -> Response:
    return document(
        shared.application.auditor.chains(
            arguments.text("the story", story),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )
