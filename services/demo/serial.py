"""The demonstration serial, carried as package data in `serial/`: chapters with their records, and two edits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from services.publishing.importing.chapters import SourceChapter
from services.publishing.importing.plaintext import title_of

STORY: Final = "lamplighters-ledger"
TITLE: Final = "The Lamplighter's Ledger"


@dataclass(frozen=True, slots=True)
class Question:
    """A question as of chapter `at`.

    `answer` is None where a reader of that chapter cannot know; `record` is where the answer is told.
    """

    question: str
    at: int
    answer: str | None
    record: str | None
    after_edits: bool


def demo_chapters() -> list[SourceChapter]:
    """The ten chapters in order, each with its records sidecar."""
    return _chapters(_data() / "serial")


def demo_edits() -> list[SourceChapter]:
    """Two edits: of chapter 2 (wording only) and of chapter 4 (the brass key goes to somebody else)."""
    return _chapters(_data() / "serial" / "edits")


def demo_questions() -> list[Question]:
    """Twelve questions; those with `after_edits` hold once both edits are published, the others before."""
    content = json.loads((_data() / "questions.json").read_text(encoding="utf-8"))
    return [Question(**question) for question in content["questions"]]


def _data() -> Traversable:
    return files("services.demo")


def _chapters(folder: Traversable) -> list[SourceChapter]:
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".txt"))
    return [_chapter(folder, name.removesuffix(".txt")) for name in names]


def _chapter(folder: Traversable, stem: str) -> SourceChapter:
    text = (folder / f"{stem}.txt").read_text(encoding="utf-8")
    records = json.loads((folder / f"{stem}.records.json").read_text(encoding="utf-8"))
    return SourceChapter(int(stem.rpartition("-")[2]), title_of(text), text, records, f"{stem}.txt")
