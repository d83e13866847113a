"""Edits of a chapter: a paragraph of ours put at its end, with the records that an annotator would make of it.

Each kind of contradiction has paragraphs in several wordings, and beside them lawful ones that look much like it: a dream
of the dead, a gift, a memory, a secret told before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from services.evaluation.checking.stories import Chapter, Records


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph and its records. `kind` is the contradiction, None in a clean one; `due` an editor's plans for threads."""

    kind: str | None
    text: str
    records: tuple[Mapping[str, Any], ...]
    near: str
    """The kind of contradiction that it is, or that it only looks like."""
    due: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edit:
    """A chapter with a paragraph at its end. The paragraph begins at `start`. `is_other`: in a wording that no check was made on."""

    name: str
    after: int
    text: str
    records: Records
    start: int
    paragraph: Paragraph
    is_other: bool = False


def edited(name: str, chapter: Chapter, paragraph: Paragraph) -> Edit:
    last = max((r.get("scene") or 0 for r in chapter.records), default=0)
    own = [_record(number, record, paragraph.text, last + 1) for number, record in enumerate(paragraph.records)]
    text = f"{chapter.text}\n\n{paragraph.text}"
    return Edit(name, chapter.number - 1, text, [*chapter.records, *own], len(chapter.text) + 2, paragraph)


def _record(number: int, record: Mapping[str, Any], text: str, scene: int) -> dict[str, Any]:
    quote = record.get("quote") or text
    rest = {k: v for k, v in record.items() if k != "quote"}
    return {"id": f"edit-{number}", "scene": scene, "evidence": [{"quote": quote}], **rest}


def event(summary: str, *people: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "event", "summary": summary, "participants": list(people), **more}


def speaks(source: str, target: str, how: str, summary: str, **more: Any) -> dict[str, Any]:
    return {"kind": "interaction", "source": source, "target": target, "type": how, "summary": summary, **more}


def owns(thing: str, owner: str, **more: Any) -> dict[str, Any]:
    return {"kind": "object_delta", "object": thing, "owner": owner, **more}


def lies(thing: str, place: str, **more: Any) -> dict[str, Any]:
    return {"kind": "object_delta", "object": thing, "location": place, **more}


def at(who: str, place: str, **more: Any) -> dict[str, Any]:
    return {"kind": "presence", "entity": who, "location": place, **more}


def knows(who: str, fact: str, **more: Any) -> dict[str, Any]:
    return {"kind": "knowledge", "knower": who, "fact": fact, **more}


def related(a: str, b: str, relation: str, polarity: float, **more: Any) -> dict[str, Any]:
    return {"kind": "relationship_delta", "source": a, "target": b, "relation": relation, "polarity": polarity, **more}


def thread(name: str, status: str, **more: Any) -> dict[str, Any]:
    return {"kind": "thread", "thread": name, "status": status, **more}
