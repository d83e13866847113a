"""Pages for what is not published yet: a draft held against the state, and what an edit of a chapter would do. Nothing is written."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from events.errors import InvalidInput
from services import arguments
from services.console.bodies import read
from services.console.context import Shared
from services.console.markup import Child, Element, address, link, table, tag
from services.console.pages import page
from services.console.views import quotations
from services.documents import Document

routes = APIRouter(include_in_schema=False)

_FELL: Final = {"invalidated": "falls", "reinstated": "holds again", "asserted": "is new"}


@routes.get("/stories/{story}/draft")
def draft(shared: Shared, story: str, at: Annotated[str | None, Query()] = None) -> Response:
    def contents() -> list[Child]:
        name = arguments.text("the story", story)
        here = shared.application.reader.threads(name, at=arguments.checkpoint(at))["at"]
        return [_back(name, here), _form(name, here, "")]

    return page(f"{story}: before publishing", contents)


@routes.post("/stories/{story}/draft/check")
async def check(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def contents() -> list[Child]:
        text, number = _given(raw)
        name = arguments.text("the story", story)
        reply = shared.application.desk.check(name, text, after=arguments.checkpoint(number))
        return [_back(name, reply["after"]), *_checked(reply), _form(name, reply["after"], text)]

    return await run_in_threadpool(page, f"{story}: a draft checked", contents)


@routes.post("/stories/{story}/draft/impact")
async def impact(shared: Shared, request: Request, story: str) -> Response:
    raw = await read(request, shared.application.settings.max_body_bytes)

    def contents() -> list[Child]:
        text, number = _given(raw)
        name, chapter = arguments.text("the story", story), arguments.chapter(number)
        reply = shared.application.desk.impact(name, chapter, text)
        return [_back(name, chapter), *_foreseen(reply), _form(name, chapter, text)]

    return await run_in_threadpool(page, f"{story}: what an edit would do", contents)


def _given(raw: bytes) -> tuple[str, str]:
    """The text and the number of a form. Raises `InvalidInput` where it has no text."""
    fields = parse_qs(raw.decode("utf-8", "replace"), keep_blank_values=True)
    text = "\n".join(fields.get("text", [""])[0].splitlines())
    if not text.strip():
        raise InvalidInput("There is no text; put the draft, or the edited chapter, into the field.")
    return text, fields.get("number", [""])[0]


def _back(story: str, at: int) -> Element:
    return tag("p", link(f"{story} after chapter {at}", "stories", story, at=at))


def _form(story: str, at: int, text: str) -> Element:
    """The field for a text, and what can be asked of it: as the chapter after one, or as an edit of it."""
    ask = [
        tag("button", label, type="submit", formaction=address("stories", story, "draft", what))
        for what, label in (
            ("check", "check it as the chapter after this one"),
            ("impact", "what would it change as an edit of it"),
        )
    ]
    return tag(
        "form",
        tag("p", tag("label", "chapter ", tag("input", type="number", name="number", min=1, value=at))),
        tag("textarea", text, name="text", rows=14, required=True, aria_label="the text"),
        tag("p", ask[0], " ", ask[1]),
        method="post",
        action=address("stories", story, "draft", "check"),
    )


def _checked(reply: Document) -> list[Child]:
    return [
        tag("h2", f"Against the state after chapter {reply['after']}"),
        table(
            ("", "what", "the draft says", "the story says"),
            (
                (
                    each["severity"],
                    each["message"],
                    tag("blockquote", each["draft_span"]["quote"])
                    if each["draft_span"]
                    else "(nothing, where it should)",
                    quotations(each["evidence"]),
                )
                for each in reply["violations"]
            ),
            "Nothing in it contradicts what is recorded.",
        ),
        tag("h2", "What it has to respect"),
        table(
            ("kind", "what", "since chapter"),
            ((each["kind"].replace("_", " "), each["text"], each["since"]) for each in reply["constraints"][:12]),
            "Nothing.",
        ),
    ]


def _foreseen(reply: Document) -> list[Child]:
    if reply["unchanged"]:
        return [tag("p", "That is the text of the chapter as it is published; it would change nothing.")]
    records = [(told, each) for kind, told in _FELL.items() for each in reply["records"][kind]]
    return [
        tag("h2", f"As revision {reply['revision']} of chapter {reply['chapter']}"),
        table(
            ("record", "", "what it says", "why"),
            (
                (each["record"], told, each["says"], str(each.get("reason") or "").replace("_", " "))
                for told, each in records
            ),
            "No record would change.",
        ),
        tag("h2", "The state"),
        table(
            ("key", "before", "after"),
            ((each["key"], _values(each["before"]), _values(each["after"])) for each in reply["intervals"]),
            "Nothing that holds would change.",
        ),
        tag("h2", "Questions that are kept"),
        table(
            ("question", "before", "after"),
            (
                (each["question"], each["before"]["answer"] or "no answer", each["after"]["answer"] or "no answer")
                for each in reply.get("questions", ())
                if each["differs"]
            ),
            "None would be answered differently.",
        ),
    ]


def _values(stretches: list[Document]) -> str:
    said = []
    for each in stretches:
        until = "" if each["valid_to"] is None else f" to {each['valid_to']}"
        said.append(f"{each['value']} (from {each['valid_from']}{until})")
    return "; ".join(said) or "nothing"
