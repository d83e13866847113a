"""Reading, always as of a chapter: the state, its history and what else the read models answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from events.errors import InvalidInput
from services import arguments
from services.console.context import Shared, document, known_parameters

routes = APIRouter(prefix="/v1", tags=["reading"], dependencies=[Depends(known_parameters)])

At = Annotated[
    str | None, Query(description="a chapter from 1, or the name of a checkpoint; the last chapter without it")
]
AsRecorded = Annotated[str | None, Query(description="a position of the log or an ISO 8601 time; now without it")]
Text = Annotated[str | None, Query()]


@routes.get("/stories", summary="The stories there are")
def stories(shared: Shared) -> Response:
    return document(shared.application.catalogue.stories())


@routes.get("/stories/{story}/state", summary="What holds after a chapter has been read")
def state(
    shared: Shared, story: str, at: At = None, as_recorded: AsRecorded = None, entity: Text = None, key: Text = None
) -> Response:
    return document(
        shared.application.reader.state(
            arguments.text("the story", story),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
            entity=arguments.optional_text("the entity", entity),
            key=arguments.optional_text("the key", key),
        )
    )


@routes.get("/stories/{story}/history", summary="The values of one key, and what was believed of them before")
def history(
    shared: Shared, story: str, key: Annotated[str, Query()], at: At = None, as_recorded: AsRecorded = None
) -> Response:
    return document(
        shared.application.reader.history(
            arguments.text("the story", story),
            arguments.text("the key", key),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )


@routes.get("/stories/{story}/entities/{name:path}", summary="One entity: aliases, profile, state, appearances")
def entity(shared: Shared, story: str, name: str, at: At = None, as_recorded: AsRecorded = None) -> Response:
    return document(
        shared.application.reader.entity(
            arguments.text("the story", story),
            arguments.text("the name", name),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )


@routes.get("/stories/{story}/threads", summary="Promises, mysteries, goals: what is open and what was paid off")
def threads(shared: Shared, story: str, at: At = None, status: Text = None, as_recorded: AsRecorded = None) -> Response:
    return document(
        shared.application.reader.threads(
            arguments.text("the story", story),
            at=arguments.checkpoint(at),
            status=arguments.optional_text("the status", status),
            as_recorded=arguments.moment(as_recorded),
        )
    )


@routes.get("/stories/{story}/timeline", summary="Who is present in which chapter")
def timeline(
    shared: Shared,
    story: str,
    order: Annotated[str, Query(description="telling (without it) or story")] = "telling",
    at: At = None,
    as_recorded: AsRecorded = None,
) -> Response:
    told = arguments.one_of("the order", order, ("telling", "story")) == "telling"
    return document(
        (shared.application.reader if told else shared.application.auditor).timeline(
            arguments.text("the story", story),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
    )


@routes.get(
    "/stories/{story}/diff", summary="What changed between two chapters, or in our belief between two positions"
)
def diff(
    shared: Shared,
    story: str,
    from_: Annotated[str | None, Query(alias="from", description="a chapter or a checkpoint")] = None,
    to: Annotated[str | None, Query(description="a chapter or a checkpoint")] = None,
    between: Annotated[list[str] | None, Query(description="two positions of the log, such as 12,40")] = None,
    as_recorded: AsRecorded = None,
) -> Response:
    name = arguments.text("the story", story)
    reader = shared.application.reader
    if between is not None:
        if from_ is not None or to is not None or as_recorded is not None:
            raise InvalidInput("give either `between` or `from` and `to`: the one compares beliefs, the other chapters")
        p, q = arguments.two_positions(",".join(between))
        return document(reader.diff_beliefs(name, p, q))
    start, end = arguments.checkpoint(from_), arguments.checkpoint(to)
    if start is None or end is None:
        raise InvalidInput(
            "give `from` and `to` (two chapters), or `between` (two positions of the log, such as 12,40)"
        )
    return document(reader.diff(name, from_=start, to=end, as_recorded=arguments.moment(as_recorded)))


@routes.get("/stories/{story}/audit", summary="The events of the log, in order, with their reasons and causes")
def audit(
    shared: Shared,
    story: str,
    chapter: Annotated[str | None, Query(description="only what concerns this chapter")] = None,
    record: Annotated[str | None, Query(description="only this record, such as 3:o1")] = None,
    at: At = None,
) -> Response:
    return document(
        shared.application.reader.audit(
            arguments.text("the story", story),
            chapter=None if chapter is None else arguments.chapter(chapter),
            record=arguments.optional_text("the record", record),
            at=arguments.checkpoint(at),
        )
    )
