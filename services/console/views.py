"""The pages' contents, from the same replies the API gives. Everything a story says is text here, never markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from services.console.markup import Child, Element, address, link, table, tag
from services.documents import Document
from services.reading.causes import told
from services.reading.excerpts import excerpt

SHOWN_CHAPTERS: Final = 60


def stories(reply: Document) -> Element:
    return table(
        ("story", "chapters", "last chapter", "position"),
        (
            (link(each["story"], "stories", each["story"]), each["chapters"], each["last_chapter"], each["position"])
            for each in reply["stories"]
        ),
        "No stories yet. Publish a chapter with the command fabula publish, or over the API.",
    )


def chapters(story: str, at: int, last: int, as_recorded: str | None) -> Element:
    """Where the reader stands: a field for any chapter, and links to those around; what was believed when stays."""
    low = max(1, min(at - SHOWN_CHAPTERS // 2, last - SHOWN_CHAPTERS + 1))
    shown = range(low, min(last, low + SHOWN_CHAPTERS - 1) + 1)
    places = [
        tag("strong", n) if n == at else link(str(n), "stories", story, at=n, as_recorded=as_recorded) for n in shown
    ]
    slider = tag(
        "form",
        tag(
            "label",
            "after chapter ",
            tag("input", type="number", name="at", min=1, max=max(1, last), value=at),
            f" of {last} ",
        ),
        tag("input", type="hidden", name="as_recorded", value=as_recorded) if as_recorded else None,
        tag("button", "show", type="submit"),
        method="get",
        action=address("stories", story),
    )
    return tag("section", slider, tag("p", places, class_="chapters"))


def asking(story: str, at: int, as_recorded: str | None) -> Element:
    """The field for a question, answered as of the chapter where the reader stands."""
    return tag(
        "form",
        tag("label", "ask ", tag("input", type="text", name="question", size=60, required=True), " "),
        tag("input", type="hidden", name="at", value=at),
        tag("input", type="hidden", name="as_recorded", value=as_recorded) if as_recorded else None,
        tag("button", "answer", type="submit"),
        method="get",
        action=address("stories", story, "ask"),
    )


def answered(reply: Document) -> Element:
    """An answer with its evidence, the audit it passed or failed, and the steps to it."""
    cited = [item for item in reply["packet"]["items"] if item["id"] in reply["evidence_ids"]]
    return tag(
        "section",
        tag("p", tag("strong", reply["answer"] or "The story so far does not support an answer.")),
        tag("h2", "Evidence"),
        table(
            ("chapter", "text"), ((item["chapter"], excerpt(item["text"], reply["answer"])) for item in cited), "None."
        ),
        tag("h2", "Audit"),
        table(
            ("constraint", "", "why", "records"),
            (
                (each["constraint"], "passed" if each["passed"] else "failed", each["why"], ", ".join(each["records"]))
                for each in reply["audit"]["constraints"]
            ),
            "Nothing was drafted that could be audited.",
        ),
        tag("h2", "How it was found"),
        table(
            ("step", "question", "answer", "from", "why"),
            (
                (f"{'· ' * step['depth']}{step['step']}", step["question"], step["answer"], step["source"], step["why"])
                for step in reply["support"]
            ),
            "",
        ),
        tag("p", f"read with: {', '.join(reply['skills']) or 'no skill'} · {reply['reader']}", class_="meta"),
    )


def state(reply: Document, as_recorded: str | None = None) -> Element:
    story, at = reply["story"], reply["at"]
    return table(
        ("key", "value", "since", "record", "evidence"),
        (
            (
                link(each["key"], "stories", story, "history", key=each["key"], at=at, as_recorded=as_recorded),
                each["value"],
                each["valid_from"],
                _record(story, each["record"], at),
                quotations(each["evidence"]),
            )
            for each in reply["state"]
        ),
        "Nothing holds here.",
    )


def history(story: str, reply: Document) -> Element:
    return table(
        ("value", "from chapter", "to chapter", "believed", "record", "evidence"),
        (
            (
                tag("span", each["value"], class_=None if each["recorded_to"] is None else "superseded"),
                each["valid_from"],
                "" if each["valid_to"] is None else each["valid_to"],
                _believed(each),
                _record(story, each["record"]),
                quotations(each["evidence"]),
            )
            for each in reply["intervals"]
        ),
        "This key never had a value.",
    )


def audit(story: str, reply: Document, positions: Mapping[str, int]) -> Element:
    """The events; a cause is shown by its position, from the `positions` of events by id."""
    return table(
        ("position", "recorded", "event", "chapter", "revision", "record", "reason", "caused by"),
        (
            (
                each["position"],
                str(each["recorded_at"])[:19].replace("T", " "),
                each["type"],
                link(str(each["chapter"]), "stories", story, "audit", chapter=each["chapter"])
                if each["chapter"]
                else "all",
                each["revision"],
                _record(story, each["record"]),
                (each["reason"] or "").replace("_", " "),
                positions.get(each["caused_by"], each["caused_by"]),
            )
            for each in reply["events"]
        ),
        "No events.",
    )


def chain(steps: Sequence[Document]) -> Child:
    """How a record came to its last change, or nothing where it never changed."""
    if not steps:
        return None
    return [tag("h2", "How it came to the last change"), tag("ol", [tag("li", told(step)) for step in steps])]


def threads(reply: Document) -> Element:
    return table(
        ("thread", "kind", "status", "opened", "last", "what it is", "evidence"),
        (
            (
                each["thread"],
                each["kind"],
                each["status"],
                each["opened"],
                each["last"],
                each["description"],
                quotations(each["evidence"]),
            )
            for each in reply["threads"]
        ),
        "No threads.",
    )


def timeline(story: str, reply: Document, as_recorded: str | None = None) -> Element:
    """The matrix of characters and chapters: ● present, ○ only mentioned."""
    signs = {"present": "●", "mentioned": "○", None: ""}
    at = reply["at"]
    headings: list[Child] = [
        "character",
        *(link(str(n), "stories", story, at=n, as_recorded=as_recorded) for n in reply["chapters"]),
    ]
    rows: Iterator[list[Child]] = (
        [
            link(each["name"], "stories", story, "entity", name=each["name"], at=at, as_recorded=as_recorded),
            *(signs[cell] for cell in each["cells"]),
        ]
        for each in reply["characters"]
    )
    matrix = table(headings, rows, "Nobody yet.")
    return tag("div", matrix, tag("p", "● present, ○ only mentioned", class_="meta"), class_="matrix")


def entity(story: str, reply: Document, as_recorded: str | None = None) -> list[Child]:
    """One entity: names, profile, what holds of it, where it appears."""
    others = [
        link(each["name"], "stories", story, "entity", name=each["name"], at=reply["at"], as_recorded=as_recorded)
        for each in reply["candidates"]
    ]
    appearances = reply["appearances"]
    return [
        tag("p", f"{reply['type']}, as of chapter {reply['at']}", class_="meta"),
        tag("p", "This name is shared by ", [[each, " "] for each in others]) if others else None,
        tag("p", "also " + ", ".join(reply["aliases"])) if reply["aliases"] else None,
        tag("p", reply["profile"]) if reply["profile"] else None,
        tag("h2", "What holds"),
        state(reply, as_recorded),
        tag("h2", "Open threads"),
        threads(reply),
        tag("h2", "Appearances"),
        tag("p", "present in chapters ", _places(story, appearances["present"], as_recorded)),
        tag("p", "only mentioned in chapters ", _places(story, appearances["mentioned"], as_recorded)),
    ]


def _places(story: str, chapters: Sequence[int], as_recorded: str | None) -> Child:
    return [[link(str(n), "stories", story, at=n, as_recorded=as_recorded), " "] for n in chapters] or "none"


def quotations(evidence: Sequence[dict[str, Any]]) -> Child:
    """What the text says, with where it says so."""
    shown = [
        tag(
            "blockquote",
            each.get("quote") or "(the text is no longer kept)",
            " ",
            tag("span", f"chapter {each['chapter']}, revision {each['revision']}", class_="meta"),
        )
        for each in evidence[:3]
    ]
    more = len(evidence) - len(shown)
    return [shown, tag("p", f"and {more} more", class_="meta") if more > 0 else None]


def _record(story: str, record: str | None, at: int | None = None) -> Child:
    return link(record, "stories", story, "audit", record=record, at=at) if record else ""


def _believed(interval: dict[str, Any]) -> str:
    end = interval["recorded_to"]
    return (
        f"since position {interval['recorded_from']}"
        if end is None
        else f"positions {interval['recorded_from']} to {end}"
    )
