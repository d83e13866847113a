"""Multi-step retrieval: what one step brought up leads to what the next one asks (PonsRAG, section 5.1; IRCoT, Trivedi et al. 2023).

The paper interleaves retrieval with a model's chain of thought. A `FollowUp` that asks a model can be hung in here; the rule below lets
the question go on from the strongest thing found so far that it has not gone on from yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

DECAY: Final = 0.9
"""What a thread's relevance counts for with each step further from the question."""
_LONGEST: Final = 240


class FollowUp(Protocol):
    """The question of step `step` (from 1), after `said` was found, the most relevant first; None: enough is known."""

    def __call__(self, question: str, said: Sequence[str], step: int) -> str | None: ...


def follow_up(question: str, said: Sequence[str], step: int) -> str | None:
    """The question together with what the `step`-th thread says."""
    if step > len(said):
        return None
    return f"{question} {said[step - 1][:_LONGEST]}"
