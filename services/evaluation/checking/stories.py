"""The stories that are edited: a serial with its records, and a prologue of ours that gives each the same rules and secrets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from events.errors import InvalidInput
from events.evidence import TextIndex
from events.revisions import RevisionState, entry_of
from events.sidecar import validate
from events.story_index import StoryIndex
from services.demo.serial import STORY, demo_chapters

Records = list[dict[str, Any]]
NOVEL: Final = "the-princess-and-the-goblin"

PROLOGUE: Final = (
    "\n\nFour things every child of the valley learns before its letters. Nobody may ring the drowned bell. The white gate "
    "can be opened only with a candle that was lit in church. No ferryman may carry salt across the mere. A stranger must "
    "never be told the name of the well. And the mill debt was to be paid before the harvest, or the mill was lost. In those "
    "days a ragged man sold pins from door to door, and the children called him the Ragman. Corvin Hale, the steward, was "
    "spoken of with respect. The widow Brand kept the post office. She alone had found out that the hooded lodger was "
    "Silas Thorne. Old Hannah Pike had died in the spring, and her silver thimble was the widow Brand’s now."
)


def _said(kind: str, local: str, quote: str, **fields: Any) -> dict[str, Any]:
    return {"id": f"prologue-{local}", "kind": kind, "evidence": [{"quote": quote}], **fields}


def _entity(local: str, name: str, quote: str, **fields: Any) -> dict[str, Any]:
    return _said("entity", local, quote, type="character", name=name, **fields)


PROLOGUE_RECORDS: Final[Records] = [
    _said("world_rule", "w1", "Nobody may ring the drowned bell", rule="the drowned bell", statement="Nobody may ring the drowned bell."),
    _said("world_rule", "w2", "The white gate can be opened only with a candle", rule="the white gate",
          statement="The white gate can be opened only with a candle that was lit in church."),
    _said("world_rule", "w3", "No ferryman may carry salt across the mere", rule="salt on the mere",
          statement="No ferryman may carry salt across the mere."),
    _said("world_rule", "w4", "A stranger must never be told the name of the well", rule="the name of the well",
          statement="A stranger must never be told the name of the well."),
    _said("thread", "t1", "the mill debt was to be paid before the harvest", thread="the mill debt", thread_kind="threat",
          status="opened", description="The mill debt must be paid before the harvest."),
    _entity("e1", "the Ragman", "the children called him the Ragman"),
    _entity("e2", "Corvin Hale", "Corvin Hale, the steward"),
    _entity("e3", "the widow Brand", "The widow Brand kept the post office", aliases=["widow Brand"]),
    _entity("e4", "the hooded lodger", "the hooded lodger was Silas Thorne"),
    _entity("e5", "Silas Thorne", "the hooded lodger was Silas Thorne"),
    _said("identity", "d1", "the hooded lodger was Silas Thorne", a="the hooded lodger", b="Silas Thorne",
          known_to=["reader", "the widow Brand"]),
    _entity("e6", "Hannah Pike", "Old Hannah Pike had died in the spring", aliases=["Old Hannah Pike"]),
    _said("character_delta", "c1", "Old Hannah Pike had died in the spring", character="Hannah Pike", attribute="status", value="dead"),
    _said("entity", "e7", "her silver thimble", type="object", name="silver thimble"),
    _said("object_delta", "o1", "her silver thimble was the widow Brand", object="silver thimble", owner="the widow Brand"),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chapter:
    number: int
    text: str
    records: Records


@dataclass(frozen=True, slots=True)
class Serial:
    """A story and its chapters in order; the first has the prologue."""

    name: str
    chapters: tuple[Chapter, ...]

    def indexed(self) -> Iterator[tuple[StoryIndex, Chapter]]:
        """For each chapter but the first, the index of the story before it (one index, which grows) and the chapter."""
        texts: dict[str, str] = {}
        index = StoryIndex(self.name, texts.get)
        for chapter in self.chapters:
            if chapter.number > self.chapters[0].number:
                yield index, chapter
            texts[str(chapter.number)] = chapter.text
            index.take(chapter.number, _revision(chapter))


def demo() -> Serial:
    return _serial(STORY, [(c.number, c.text, validate(c.records)) for c in demo_chapters()])


def recorded(data: Path) -> Serial | None:
    """The recorded novel in a folder of data, or None where it has none. Raises `InvalidInput` for what cannot be read."""
    records, texts = data / "recorded" / NOVEL, data / "novels" / NOVEL
    if not records.is_dir():
        return None
    found = []
    for file in sorted(records.glob("chapter-*.records.json")):
        stem = file.name.removesuffix(".records.json")
        try:
            text = (texts / f"{stem}.txt").read_text("utf-8")
            found.append((int(stem.rpartition("-")[2]), text, validate(json.loads(file.read_text("utf-8")))))
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{file} cannot be read with its text ({error}); give the folder with both.") from None
    return _serial(NOVEL, found)


def _serial(name: str, chapters: list[tuple[int, str, Records]]) -> Serial:
    (number, text, records), *rest = chapters
    first = Chapter(number, text + PROLOGUE, [*records, *PROLOGUE_RECORDS])
    return Serial(name, (first, *(Chapter(*each) for each in rest)))


def _revision(chapter: Chapter) -> RevisionState:
    where = TextIndex(chapter.text)
    entries = []
    for ordinal, record in enumerate(chapter.records):
        found = [where.locate(quote=e.get("quote"), start=e.get("start"), end=e.get("end")) for e in record["evidence"]]
        spans = tuple((span.start, span.end) for span in found if span)
        if spans:
            entries.append(entry_of(record, spans, ordinal, (chapter.number, chapter.number, 1)))
    entries.sort(key=lambda e: e.place)
    return RevisionState(chapter.number, 1, str(chapter.number), entries)
