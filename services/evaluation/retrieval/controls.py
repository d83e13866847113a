"""What every method is held against: the last text before the checkpoint, random passages, the gold chapters, the whole text."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from projections.words.segmentation import windows
from services.evaluation.retrieval.questions import Question, Story
from services.retrieval.packing import Item, Packing, Span, used

Control = Callable[[Story, Question, int], Sequence[Item]]

_LEAST: Final = 30


def last(story: Story, question: Question, budget: int) -> list[Item]:
    """The text just before the checkpoint, back from its end as far as the budget goes."""
    packing = Packing(budget)
    for chapter in sorted((n for n in story.texts if n <= question.checkpoint), reverse=True):
        text = story.texts[chapter]
        whole = _item(chapter, text, 0, len(text), "last")
        if not packing.take(whole):
            # the heading may be as long as the whole chapter's, whose offsets have the most digits
            room = packing.room - (used([whole]) - len(text)) - len(str(len(text)))
            start = len(text) - max(0, room)
            while start < len(text) and not text[start - 1].isspace():
                start += 1
            if room > _LEAST and start < len(text):
                packing.take(_item(chapter, text, start, len(text), "last"))
            break
    return packing.in_story_order()


def at_random(story: Story, question: Question, budget: int) -> list[Item]:
    """Passages from before the checkpoint in an order that the question draws."""
    passages = [
        _item(chapter, text, window.start, window.end, "random")
        for chapter, text in sorted(story.texts.items())
        if chapter <= question.checkpoint
        for window in windows(text)
    ]
    random.Random(question.text).shuffle(passages)
    packing = Packing(budget)
    packing.fill(passages)
    return packing.in_story_order()


def oracle(story: Story, question: Question, budget: int) -> list[Item]:
    """The gold chapters, whole: what could be covered at best. No budget binds it."""
    return _whole(story, (n for n in story.texts if n in question.gold_chapters and n <= question.checkpoint), "oracle")


def full(story: Story, question: Question, budget: int) -> list[Item]:
    """All chapters up to the checkpoint. No budget binds it."""
    return _whole(story, (n for n in story.texts if n <= question.checkpoint), "full")


def closed(story: Story, question: Question, budget: int) -> list[Item]:
    """Nothing at all: what a reader answers from this packet it answers closed-book."""
    return []


CONTROLS: Final[Mapping[str, Control]] = {"last": last, "random": at_random}
"""Shown in every report."""
REFERENCES: Final[Mapping[str, Control]] = {"oracle": oracle, "full": full}
"""Without a budget: their packets are filed under the budget 0."""
ASKED_FOR: Final[Mapping[str, Control]] = {"closed": closed}
"""Controls that are shown where they are asked for."""
UNBOUNDED: Final = 0
BASELINES: Final = ("bm25", "dense", "hybrid")
"""Methods that know passages only."""


def packet(items: Sequence[Item]) -> dict[str, Any]:
    """As a method's packet."""
    return {"used": used(items), "items": [item.to_json() for item in items], "trace": []}


def _whole(story: Story, chapters: Iterable[int], channel: str) -> list[Item]:
    return [_item(n, story.texts[n], 0, len(story.texts[n]), channel) for n in sorted(chapters)]


def _item(chapter: int, text: str, start: int, end: int, channel: str) -> Item:
    name = f"{chapter}:{start}-{end}"
    span = Span(chapter, 1, start, end)
    return Item(
        f"p{name}", "passage", text[start:end], chapter, "passage", name, (span,), 0.0, channel, (chapter, start)
    )
