"""Request bodies: read within a limit, parsed strictly, and checked field by field.

Types are never converted: `true` is no number and `"3"` is no budget.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeVar

from fastapi import Request
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from events.errors import DomainRefusal, InvalidInput
from events.ids import MAX_CHAPTER
from services import arguments
from services.documents import decode

Model = TypeVar("Model", bound=BaseModel)

DRAIN: Final = 4
"""How many times the limit is read and dropped, so that a client that is still sending hears the refusal."""


class BodyTooLarge(DomainRefusal):
    title = "The request body is too large"
    slug = "body-too-large"
    status = 413


class InvalidBody(InvalidInput):
    """The fields of the body are not what the route takes."""

    title = "The request body cannot be used"
    slug = "invalid-body"


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise PydanticCustomError("text", "has to be a string")
    return value


def _checkpoint(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PydanticCustomError("checkpoint", "has to be the number of a chapter or the name of a checkpoint")
    # one rule for what a place in a story is, wherever it is written
    return arguments.checkpoint(str(value))


def _moment(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PydanticCustomError("moment", "has to be a position of the log or an ISO 8601 time")
    return arguments.moment(str(value))


def _records(value: Any) -> Any:
    if not isinstance(value, list | dict):
        raise PydanticCustomError("records", "has to be a list of records, or an object with the field `records`")
    return value


# pydantic's own `str` refuses half a surrogate pair, which is the services' to clean
Text = Annotated[Any, AfterValidator(_text), WithJsonSchema({"type": "string"})]
Number = Annotated[int, Field(ge=1, le=MAX_CHAPTER)]
At = Annotated[
    Any,
    AfterValidator(_checkpoint),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_CHAPTER}, {"type": "string"}]}),
]
Moment = Annotated[
    Any, AfterValidator(_moment), WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]})
]
Records = Annotated[
    Any,
    AfterValidator(_records),
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "object"}}, {"type": "object"}]}),
]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class ChapterBody(Body):
    """A chapter: its text, and what an annotator found in it, if someone did."""

    text: Text = Field(description="1 to 2,000,000 characters")
    title: Text | None = Field(None, description="the chapter's title")
    records: Records | None = Field(None, description="without it the configured extractor reads the chapter")
    language: Text = Field("en", description="of the text; en without it")
    wait: bool = Field(True, description="answer when the read models include it")


class MergeBody(Body):
    """`b` is `a`, from `since` on (from the beginning without it); the name of `a` stays."""

    a: Text = Field(description="the name that stays")
    b: Text = Field(description="another name of the same entity")
    since: Number | None = Field(None, description="from this chapter on; from the beginning without it")


class SplitBody(Body):
    """The name `alias` does not belong to the entity `from`."""

    alias: Text = Field(description="the name that is somebody else's")
    from_: Text = Field(alias="from", description="the entity that it does not belong to")


class CheckpointBody(Body):
    at: Number | None = Field(None, description="a chapter; the last one without it")


class DueBody(Body):
    chapter: Number | None = Field(
        description="by which chapter the thread is paid off; null: nothing is planned any more"
    )


class BranchBody(Body):
    at: At | None = Field(None, description="the chapter or named checkpoint to fork after; the last one without it")
    wait: bool = Field(True, description="answer when the read models include it")


class PromotionBody(Body):
    force: bool = Field(False, description="also where the parent has moved on since the fork")
    wait: bool = Field(True, description="answer when the read models include it")


class PacketBody(Body):
    question: Text = Field(description="in words")
    at: At | None = Field(
        None, description="a chapter from 1, or the name of a checkpoint; the last chapter without it"
    )
    method: Text = Field("weave", description="weave (without it), nwm, pons, hybrid, bm25, dense or state")
    budget: int = Field(12_000, description="characters the packet may have; 12,000 without it")
    budget_tokens: int | None = Field(None, description="tokens (WordPiece) the packet may have, instead of characters")
    as_recorded: Moment | None = Field(None, description="a position of the log or an ISO 8601 time; now without it")


class AskBody(Body):
    question: Text = Field(description="in words")
    at: At | None = Field(
        None, description="a chapter from 1, or the name of a checkpoint; the last chapter without it"
    )
    method: Text = Field("weave", description="how evidence is found, as for a packet; weave without it")
    budget: int = Field(12_000, description="characters the packet may have; 12,000 without it")
    options: list[Text] | None = Field(None, description="answers to choose from, 2 to 26; a free answer without it")
    as_recorded: Moment | None = Field(None, description="a position of the log or an ISO 8601 time; now without it")


async def read(request: Request, limit: int) -> bytes:
    """The body's bytes. Raises BodyTooLarge beyond `limit`."""
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and len(announced) < 19 and int(announced) > limit * (DRAIN + 1):
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size <= limit:
            parts.append(part)
        elif size > limit * (DRAIN + 1):
            break
    if size > limit:
        raise _too_large(limit)
    return b"".join(parts)


def parse(raw: bytes, model: type[Model]) -> Model:
    """The body as `model`; an empty body is an empty object. Raises MalformedJson, or InvalidBody for other fields."""
    value = decode(raw or b"{}", "the body")
    if not isinstance(value, dict):
        raise InvalidBody("the body is JSON and no object; send one JSON object")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise InvalidBody(_faults(error, model)) from None


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(
        f"a body may have {limit:,} bytes here; send less, or raise FABULA_MAX_BODY_BYTES where the server runs"
    )


def _faults(error: ValidationError, model: type[BaseModel]) -> str:
    faults = []
    for each in error.errors(include_url=False, include_context=False, include_input=False)[:5]:
        where = ".".join(str(step) for step in each["loc"])[:80] or "body"
        if each["type"] == "missing":
            faults.append(f"`{where}` is missing")
        elif each["type"] == "extra_forbidden":
            faults.append(f"`{where}` is not a field of this body")
        else:
            faults.append(f"`{where}`: {each['msg']}")
    known = ", ".join(field.alias or name for name, field in model.model_fields.items())
    return "; ".join(faults) + f". The body takes the fields: {known}"
