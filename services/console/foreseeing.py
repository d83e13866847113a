"""Looking ahead: what an edit would do, and the questions it is tried on."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from events.errors import InvalidInput
from services import arguments
from services.auditing import questions as kept
from services.console.bodies import At, Body, Number, Records, Text, parse, read
from services.console.context import Shared, document, known_parameters
from services.console.writing import takes
from services.documents import Document, whole_text

routes = APIRouter(prefix="/v1", tags=["foreseeing"], dependencies=[Depends(known_parameters)])


class ImpactBody(Body):
    """An edit that might be published: a text, or `retract`."""

    text: Text | None = Field(None, description="the edited text")
    retract: bool = Field(False, description="what withdrawing the chapter would do, without a text")
    records: Records | None = Field(None, description="without it the configured extractor reads the text")
    title: Text | None = Field(None, description="the chapter's title")
    language: Text = Field("en", description="of the text; en without it")
    questions: list[Any] | None = Field(
        None, description="texts, or objects with `question` and `at`; without it those that are kept for the story"
    )


class CheckBody(Body):
    """A draft of the chapter that follows `after`."""

    text: Text = Field(description="the draft")
    after: At | None = Field(None, description="a chapter from 1, or a checkpoint; the last chapter without it")
    records: Records | None = Field(None, description="without it the configured extractor reads the draft")
    scaffold: Text | None = Field(None, description="rank the constraints for this plan, in the place of the draft")
    language: Text = Field("en", description="of the draft; en without it")


class ConstraintsBody(Body):
    at: At | None = Field(None, description="a chapter from 1, or a checkpoint; the last chapter without it")
    scaffold: Text | None = Field(None, description="what is to be written")


class ExemptBody(Body):
    finding: Text = Field(description="as a check names it")
    reason: Text = Field(description="why it stands")


class QuestionBody(Body):
    question: Text = Field(description="in words")
    at: Number | None = Field(None, description="after this chapter; the last one without it")


@routes.post(
    "/stories/{story}/chapters/{n}/impact",
    summary="What publishing an edit would do; nothing is written",
    openapi_extra=takes(ImpactBody),
)
async def impact(shared: Shared, request: Request, story: str, n: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, ImpactBody)
        if (body.text is None) != body.retract:
            raise InvalidInput("Give the edited `text`, or `retract`: true; one of the two.")
        return shared.application.desk.impact(
            arguments.text("the story", story),
            arguments.chapter(n),
            body.text,
            records=body.records,
            title=body.title,
            language=body.language,
            questions=None if body.questions is None else kept.read(body.questions),
        )

    return document(await run_in_threadpool(work))


@routes.post("/stories/{story}/check", summary="What contradicts the state in a draft", openapi_extra=takes(CheckBody))
async def check(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, CheckBody)
        return shared.application.desk.check(
            arguments.text("the story", story),
            body.text,
            after=_place(body.after),
            records=body.records,
            scaffold=body.scaffold,
            language=body.language,
        )

    return document(await run_in_threadpool(work))


@routes.post(
    "/stories/{story}/constraints",
    summary="What the next chapter must respect",
    openapi_extra=takes(ConstraintsBody),
)
async def constraints(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, ConstraintsBody)
        name = arguments.text("the story", story)
        return shared.application.desk.constraints(name, at=_place(body.at), scaffold=body.scaffold)

    return document(await run_in_threadpool(work))


@routes.post(
    "/stories/{story}/exemptions", summary="Let a finding stand, with a reason", openapi_extra=takes(ExemptBody)
)
async def exempt(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, ExemptBody)
        reply = shared.application.publisher.exempt(story, body.finding, body.reason)
        return {**reply, "finding": body.finding, "reason": body.reason}

    return document(await shared.write(work), 201)


@routes.get("/stories/{story}/exemptions", summary="The findings that stand")
def exempted(shared: Shared, story: str) -> Response:
    return document(shared.application.desk.exemptions(arguments.text("the story", story)))


@routes.get("/stories/{story}/questions", summary="The questions that are kept for a story")
def listed(shared: Shared, story: str) -> Response:
    name = arguments.text("the story", story)
    return document({"story": name, "questions": kept.shown(shared.application.desk.questions.of(name))})


@routes.post("/stories/{story}/questions", summary="Keep a question", openapi_extra=takes(QuestionBody))
async def add(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def work() -> Document:
        body = parse(raw, QuestionBody)
        one = shared.application.desk.questions.add(
            arguments.text("the story", story), whole_text(body.question), body.at
        )
        return {"story": story, "number": one.number, "question": one.question, "at": one.at}

    return document(await run_in_threadpool(work), 201)


@routes.delete("/stories/{story}/questions/{number}", summary="Forget a question")
def remove(shared: Shared, story: str, number: int) -> Response:
    shared.application.desk.questions.remove(arguments.text("the story", story), number)
    return document({"story": story, "removed": number})


def _place(value: Any) -> int | str | None:
    return arguments.checkpoint(None if value is None else str(value))
