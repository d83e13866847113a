"""What is asked: stories in chapters, and questions with the place up to which each reader has read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from events.evidence import TextIndex

Json = Any


@dataclass(frozen=True, slots=True)
class Gold:
    """Where the answer is: a chapter, and where the data says so a quote of it with its code points [start, end)."""

    chapter: int
    quote: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a suite; whoever answers knows the chapters up to `checkpoint`.

    `answers` are references of which the best counts, `short` is one in a few words, for readers. `leak`: the story has not told it
    by then, and the right answer is to abstain. `stale`: an answer that was right once. `label` and `pair` belong to claims that
    are true or false.
    """

    suite: str
    story: str
    id: str
    text: str
    checkpoint: int
    answers: tuple[str, ...] = ()
    short: str | None = None
    gold: tuple[Gold, ...] = ()
    family: str | None = None
    category: str | None = None
    hops: int | None = None
    stale: str | None = None
    leak: bool = False
    later_answer: str | None = None
    later_chapter: int | None = None
    options: tuple[str, ...] = ()
    label: bool | None = None
    pair: str | None = None

    @property
    def gold_chapters(self) -> frozenset[int]:
        return frozenset(gold.chapter for gold in self.gold)

    def to_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> Question:
        known = {field.name for field in fields(cls)}
        given: dict[str, Json] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in value.items() if name in known
        }
        given["gold"] = tuple(Gold(**gold) for gold in value.get("gold", ()))
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter as it is published; `records` None: the offline extractor reads it."""

    number: int
    text: str
    title: str | None = None
    records: Json = None


@dataclass(frozen=True)
class Story:
    """A story whose chapters are in order."""

    name: str
    chapters: tuple[Chapter, ...]

    @cached_property
    def texts(self) -> dict[int, str]:
        return {chapter.number: chapter.text for chapter in self.chapters}

    @cached_property
    def words(self) -> int:
        return sum(len(chapter.text.split()) for chapter in self.chapters)

    @property
    def last(self) -> int:
        return self.chapters[-1].number

    def digest(self) -> str:
        """What the story is ingested from, as a hash: texts, titles and records of all chapters."""
        found = blake2b(self.name.encode(), digest_size=16)
        for chapter in self.chapters:
            found.update(repr((chapter.number, chapter.title, chapter.text, chapter.records)).encode())
        return found.hexdigest()


@dataclass(frozen=True, slots=True)
class Suite:
    """Questions of one sort with the stories they are about."""

    name: str
    stories: Mapping[str, Story]
    questions: Sequence[Question]


def located(questions: Sequence[Question], stories: Mapping[str, Story]) -> list[Question]:
    """The questions with the code points of their quotes, where the chapter has them."""
    indices: dict[tuple[str, int], TextIndex] = {}

    def place(story: str, gold: Gold) -> Gold:
        if gold.quote is None or gold.chapter not in stories[story].texts:
            return gold
        key = (story, gold.chapter)
        if key not in indices:
            indices[key] = TextIndex(stories[story].texts[gold.chapter])
        span = indices[key].locate(quote=gold.quote, start=None, end=None)
        return gold if span is None else replace(gold, start=span.start, end=span.end)

    return [replace(q, gold=tuple(place(q.story, gold) for gold in q.gold)) for q in questions]
