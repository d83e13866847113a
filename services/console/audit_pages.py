"""A page for those who write on: the story so far, what it owes, who does not know what the reader knows, and who knows what."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from services import arguments
from services.console.context import Shared
from services.console.markup import Child, Element, link, table, tag
from services.console.pages import page
from services.console.views import quotations
from services.documents import Document
from services.reading.excerpts import without_most_untold

routes = APIRouter(include_in_schema=False)

At = Annotated[str | None, Query()]


@routes.get("/stories/{story}/so-far")
def so_far(shared: Shared, story: str, at: At = None, as_recorded: At = None) -> Response:
    def contents() -> list[Child]:
        name = arguments.text("the story", story)
        place, moment = arguments.checkpoint(at), arguments.moment(as_recorded)
        auditor = shared.application.auditor
        recap = auditor.recap(name, at=place, as_recorded=moment)
        here = recap["at"]
        return [
            tag("p", link(f"{name} after chapter {here}", "stories", name, at=here, as_recorded=as_recorded)),
            tag("h2", "Previously on"),
            *(tag("p", part) for part in (recap["text"] or "Nothing is told yet.").split("\n\n")),
            tag("h2", "What is owed"),
            _promises(auditor.promises(name, at=here, as_recorded=moment)),
            tag("h2", "What the reader knows and a character does not"),
            _irony(auditor.knowledge(name, irony=True, at=here, as_recorded=moment)),
            tag("h2", "Who knows what"),
            _knowledge(auditor.knowledge(name, at=here, as_recorded=moment)),
        ]

    return page(f"{story}: so far", contents)


def _promises(reply: Document) -> Element:
    return table(
        ("thread", "kind", "open for", "due", "overdue", "stages"),
        (
            (
                each["thread"],
                each["kind"],
                f"{each['age']} chapter{'' if each['age'] == 1 else 's'}",
                "" if each["due"] is None else f"by chapter {each['due']['chapter']}",
                f"overdue by {each['overdue_by']}" if each["overdue"] else "",
                ", ".join(f"{step['status']} in {step['chapter']}" for step in each["steps"]),
            )
            for each in reply["promises"]
        ),
        "Nothing.",
    )


def _irony(reply: Document) -> Element:
    shown, left = without_most_untold(reply["irony"])
    found = table(
        ("character", "why", "fact", "the reader since", "evidence"),
        (
            (
                each["character"],
                each["why"],
                each["fact"],
                each["reader"]["since"],
                quotations(each["evidence"] or each["reader"]["evidence"]),
            )
            for each in shown
        ),
        "Nothing.",
    )
    return tag("div", found, tag("p", f"… and {left} more that nobody told them.")) if left else found


def _knowledge(reply: Document) -> Element:
    return table(
        ("fact", "who", "stance", "since chapter", "how"),
        (
            (each["fact"], one["knower"], one["stance"], one["since"], one["how"])
            for each in reply["facts"]
            for one in each["knowers"]
        ),
        "Nobody is said to know anything.",
    )
