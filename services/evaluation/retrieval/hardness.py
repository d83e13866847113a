"""Questions that need no memory: a single passage, or text at hand or at random, holds their answer.

NWM (appendix D, "Single-passage hardness filter") keeps only questions that the best passage of 360 words cannot answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from services.evaluation.retrieval import controls
from services.evaluation.retrieval.scoring import Score

EASY, HARD = "hard=no", "hard=yes"
SMALL: Final = 4_000
"""Controls are looked at under the largest budget up to this one: at a long enough one they hold the words of anything."""


def easy(cells: Mapping[tuple[str, str, int], Sequence[Score]]) -> frozenset[tuple[str, str]]:
    """(suite, id) of the questions whose answer a control's packet covers under a small budget."""
    found: set[tuple[str, str]] = set()
    for suite in {suite for suite, _, _ in cells}:
        budgets = sorted(b for s, m, b in cells if s == suite and m in controls.CONTROLS and b <= SMALL)
        for control in controls.CONTROLS if budgets else ():
            for score in cells.get((suite, control, budgets[-1]), ()):
                if score.hit:
                    found.add((suite, score.question.id))
    return frozenset(found)
