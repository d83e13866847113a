"""What one packet is worth for its question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.evaluation.retrieval import matching
from services.evaluation.retrieval.questions import Question
from services.evaluation.retrieval.saved import Saved, SavedPacket

Json = Any

HIT: Final = 0.5
"""The share of the answer's salient words from which it counts as covered."""
RANKS: Final = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Score:
    """A packet measured. None: the question has nothing to measure it by."""

    question: Question
    packet: SavedPacket
    covered: float | None
    quotes: tuple[bool, ...]
    """Of each gold quote, whether it is found: its words, or a record grounded in it."""
    quotes_in_words: tuple[bool, ...]
    chapters: tuple[bool, ...]
    """Of each gold chapter, whether an item is from it."""
    rank: int | None
    """The place of the first gold chapter among the different chapters of the ranking, from 1; None: not in the packet."""
    stale_alone: bool | None

    @property
    def leaks(self) -> bool:
        return bool(self.packet.leaks)

    @property
    def hit(self) -> bool | None:
        return None if self.covered is None else self.covered >= HIT

    @property
    def evidence(self) -> tuple[bool, ...]:
        """The units of gold evidence: the quotes, or the chapters where no quotes are given."""
        return self.quotes or self.chapters


def score(saved: Saved, packet: SavedPacket) -> Score:
    question = saved.questions[packet.suite, packet.question]
    items = [saved.items[key] for key in packet.items]
    known = frozenset[str]().union(*(matching.words(item["text"]) for item in items))
    quotes = [gold for gold in question.gold if gold.quote is not None]
    in_words = tuple(any(matching.has_words(item, gold) for item in items) for gold in quotes)
    found = tuple(
        words or any(matching.is_grounded_in(item, gold) for item in items)
        for words, gold in zip(in_words, quotes, strict=True)
    )
    has_answer = bool(question.answers) and question.label is None
    covered = matching.covered(question.answers, known) if has_answer else None
    there = {item["chapter"] for item in items}
    return Score(
        question=question,
        packet=packet,
        covered=covered,
        quotes=found,
        quotes_in_words=in_words,
        chapters=tuple(chapter in there for chapter in sorted(question.gold_chapters)),
        rank=_rank(items, question.gold_chapters),
        stale_alone=_stale_alone(question, items, covered, found),
    )


def _rank(items: Sequence[Mapping[str, Json]], gold: frozenset[int]) -> int | None:
    """By falling score, each chapter at its best item; equal scores in story order."""
    ranked = sorted(items, key=lambda item: (-item["score"], item["chapter"]))
    chapters = list(dict.fromkeys(item["chapter"] for item in ranked))
    return next((place for place, chapter in enumerate(chapters, 1) if chapter in gold), None)


def _stale_alone(
    question: Question, items: Sequence[Mapping[str, Json]], covered: float | None, quotes: tuple[bool, ...]
) -> bool | None:
    """Whether an item has half of the salient words of what was right once or more, and nothing in the packet tells what is right now.

    What is right now is told by an answer that is covered, or by the last gold quote.
    """
    if question.stale is None or covered is None:
        return None
    given = any(matching.covered([question.stale], matching.words(item["text"])) >= HIT for item in items)
    newest = max((gold.chapter for gold in question.gold), default=0)
    told = [f for f, gold in zip(quotes, (g for g in question.gold if g.quote), strict=True) if gold.chapter == newest]
    return given and not (covered >= HIT or any(told))
