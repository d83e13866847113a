"""A few pages, made on the server from the same replies the API gives. They need no script and fetch nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from events.errors import FabulaError
from services import arguments
from services.console import views
from services.console.context import Shared
from services.console.markup import Child, Element, document, link, tag
from services.documents import problem, whole_text
from services.reading.causes import last_change

routes = APIRouter(include_in_schema=False)

STYLE: Final = (files("services.console") / "console.css").read_bytes()

At = Annotated[str | None, Query()]


@routes.get("/static/console.css")
def style() -> Response:
    return Response(STYLE, media_type="text/css")


@routes.get("/")
def stories(shared: Shared) -> Response:
    return page("Stories", lambda: [views.stories(shared.application.catalogue.stories())])


@routes.get("/stories/{story}")
def story(shared: Shared, story: str, at: At = None, as_recorded: At = None) -> Response:
    def contents() -> list[Child]:
        name = arguments.text("the story", story)
        place, moment = arguments.checkpoint(at), arguments.moment(as_recorded)
        reader = shared.application.reader
        state = reader.state(name, at=place, as_recorded=moment)
        here = state["at"]
        threads = reader.threads(name, at=here, as_recorded=moment)
        timeline = reader.timeline(name, at=here, as_recorded=moment)
        return [
            views.chapters(name, here, max(here, shared.application.catalogue.last_chapter(name)), as_recorded),
            tag("p", f"as it was believed at {as_recorded}; ", link("now", "stories", name, at=here), class_="meta")
            if as_recorded
            else None,
            tag("p", link("every event of the story, with reasons and causes", "stories", name, "audit")),
            tag("p", link("the story so far, what it owes, and who knows what", "stories", name, "so-far", at=here)),
            tag("p", link("check a draft, or what an edit would change", "stories", name, "draft", at=here)),
            views.asking(name, here, as_recorded),
            tag("h2", f"What holds after chapter {here}"),
            views.state(state, as_recorded),
            tag("h2", "Threads"),
            views.threads(threads),
            tag("h2", "Who is where in the telling"),
            views.timeline(name, timeline, as_recorded),
            tag("p", f"position {state['position']} · {state['digest']}", class_="meta"),
        ]

    return page(story, contents)


@routes.get("/stories/{story}/history")
def history(shared: Shared, story: str, key: str = "", at: At = None, as_recorded: At = None) -> Response:
    def contents() -> list[Child]:
        name = arguments.text("the story", story)
        reply = shared.application.reader.history(
            name,
            arguments.text("the key", key),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
        whole = (
            None
            if at is None
            else tag(
                "p",
                link(
                    "the whole history, later chapters too",
                    "stories",
                    name,
                    "history",
                    key=key,
                    as_recorded=as_recorded,
                ),
            )
        )
        return [_back(name, at, as_recorded), whole, views.history(name, reply)]

    return page(key or "history", contents)


@routes.get("/stories/{story}/entity")
def entity(shared: Shared, story: str, name: str = "", at: At = None, as_recorded: At = None) -> Response:
    def contents() -> list[Child]:
        where = arguments.text("the story", story)
        reply = shared.application.reader.entity(
            where,
            arguments.text("the name", name),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
        return [_back(where, at, as_recorded), views.entity(where, reply, as_recorded)]

    return page(name or "entity", contents)


@routes.get("/stories/{story}/audit")
def audit(shared: Shared, story: str, chapter: At = None, record: At = None, at: At = None) -> Response:
    def contents() -> list[Child]:
        name = arguments.text("the story", story)
        reply = shared.application.reader.audit(
            name,
            chapter=None if chapter is None else arguments.chapter(chapter),
            record=arguments.optional_text("the record", record),
            at=arguments.checkpoint(at),
        )
        # causes may be anywhere in the story
        log = shared.application.reader.audit(name, at=arguments.checkpoint(at))["events"]
        positions = {each["id"]: each["position"] for each in log}
        chain = last_change(reply["events"], log) if record else []
        return [_back(name, at), views.audit(name, reply, positions), views.chain(chain)]

    return page(f"Audit of {record or story}", contents)


@routes.get("/stories/{story}/ask")
def ask(shared: Shared, story: str, question: str = "", at: At = None, as_recorded: At = None) -> Response:
    def contents() -> list[Child]:
        name = arguments.text("the story", story)
        reply = shared.application.answering.ask(
            name,
            whole_text(question).replace("\0", ""),
            at=arguments.checkpoint(at),
            as_recorded=arguments.moment(as_recorded),
        )
        return [_back(name, at, as_recorded), views.asking(name, reply["at"], as_recorded), views.answered(reply)]

    return page(question or "ask", contents)


def _back(story: str, at: str | None, as_recorded: str | None = None) -> Element:
    """The way back to the story, as of the same chapter: a reader who came from chapter 3 is not shown the last one."""
    return tag("p", link(story, "stories", story, at=at, as_recorded=as_recorded))


def page(title: str, contents: Callable[[], list[Child]]) -> Response:
    """A page, or the page that says why there is none."""
    try:
        return HTMLResponse(document(title, *contents()))
    except FabulaError as error:
        refusal = problem(error)
        return HTMLResponse(document(refusal["title"], tag("p", refusal["detail"])), refusal["status"])
