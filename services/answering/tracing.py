"""The support trace: what was asked on the way to an answer, of what, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Source = Literal["state", "records", "packet", "order", "plan", "nothing"]


@dataclass(slots=True)
class Step:
    """One question on the way. `parent`: the step that needed it; None for the question itself."""

    step: int
    parent: int | None
    depth: int
    question: str
    source: Source = "nothing"
    answer: str = ""
    evidence_ids: tuple[str, ...] = ()
    chapters: tuple[int, ...] = ()
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "parent": self.parent,
            "depth": self.depth,
            "question": self.question,
            "source": self.source,
            "answer": self.answer,
            "abstained": not self.answer,
            "evidence_ids": list(self.evidence_ids),
            "chapters": list(self.chapters),
            "why": self.why,
        }


@dataclass(slots=True)
class Support:
    """The steps in the order in which they were begun."""

    steps: list[Step] = field(default_factory=list)

    def begin(self, question: str, parent: Step | None) -> Step:
        depth = 0 if parent is None else parent.depth + 1
        step = Step(len(self.steps) + 1, None if parent is None else parent.step, depth, question)
        self.steps.append(step)
        return step

    def to_json(self) -> list[dict[str, Any]]:
        return [step.to_json() for step in self.steps]


def found(step: Step, source: Source, answer: str, items: Sequence[Any], why: str) -> None:
    """What came of a step, with the items that it rests on."""
    step.source, step.answer, step.why = source, answer, why
    step.evidence_ids = tuple(item["id"] for item in items)
    step.chapters = tuple(sorted({item["chapter"] for item in items}))
