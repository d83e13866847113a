"""The seam for a model in retrieval. Without one, and wherever one fails, the rules of each method decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from services.retrieval.slices import Slice


class Advice(Protocol):
    """Advice for one question over one slice. Nothing here raises: what cannot be had is decided by rules."""

    @property
    def notes(self) -> list[dict[str, Any]]:
        """Steps for the trace: what was asked of whom, and why rules decided where they did."""
        ...

    def plan(self, question: str) -> Sequence[str]:
        """The parts of a question that ask on their own, as `weave.intents.Planner`."""
        ...

    def choose(self, question: str, said: Sequence[str]) -> Sequence[int]:
        """The indices of the evidence that bears on a question, as `pons.flow.Filter`."""
        ...

    def follow_up(self, question: str, said: Sequence[str], step: int) -> str | None:
        """What to ask next, as `pons.steps.FollowUp`."""
        ...


class Planning(Protocol):
    """Gives advice on questions."""

    def advice(self, story: str, slice_: Slice) -> Advice: ...
