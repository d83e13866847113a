"""Saved questions asked of the story as it is and as an edit would leave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from events.domain_events import Json
from projections.embedding import Embedder
from services.answering.readers import Answer
from services.answering.readers.offline import OfflineReader
from services.auditing.impact import Impact
from services.auditing.overlay import Overlay
from services.auditing.questions import Saved
from services.retrieval.retriever import Retriever
from services.retrieval.source import SliceSource

METHOD: Final = "weave"
BUDGET: Final = 6_000


def asked_again(found: Impact, slices: SliceSource, embedder: Embedder, asked: Sequence[Saved]) -> list[Json]:
    """For each question the answer of the offline reader before and after, and the evidence that would go or come.

    It would be answered differently where the answer is another one, or rests on records that change. The text of an edited
    chapter that is found again in other words makes no difference by itself. Raises `UnknownCheckpoint`, `ReadModelBehind`.
    """
    before = Retriever(None, embedder, slices=slices)
    touches = bool(found.events)
    after = Retriever(None, embedder, slices=Overlay(slices, found, embedder)) if touches else before
    reader = OfflineReader()
    return [_compared(found, before, after, reader, each) for each in asked]


def _compared(found: Impact, before: Retriever, after: Retriever, reader: OfflineReader, asked: Saved) -> Json:
    story = found.plan.publication.story
    packets = [r.packet(story, asked.question, at=asked.at, method=METHOD, budget=BUDGET) for r in (before, after)]
    answers = [_answer(reader, asked.question, packet) for packet in packets]
    items = [{each["id"]: each for each in packet["items"]} for packet in packets]
    gone = [_brief(items[0][i]) for i in items[0] if _said(items[0], i) != _said(items[1], i)]
    come = [_brief(items[1][i]) for i in items[1] if _said(items[0], i) != _said(items[1], i)]
    told = [each for each in (*gone, *come) if each["type"] != "passage"]
    return {
        "number": asked.number or None,
        "question": asked.question,
        "at": packets[0]["at"],
        "differs": answers[0] != answers[1] or bool(told),
        "before": {"answer": answers[0], "evidence": gone},
        "after": {"answer": answers[1], "evidence": come},
    }


def _answer(reader: OfflineReader, question: str, packet: Mapping[str, Any]) -> str | None:
    answer: Answer = reader.answer(question, packet)
    return None if answer.abstained else answer.text


def _said(items: Mapping[str, Json], name: str) -> str | None:
    return items[name]["text"] if name in items else None


def _brief(item: Json) -> Json:
    return {name: item[name] for name in ("id", "type", "chapter", "text", "evidence")}
