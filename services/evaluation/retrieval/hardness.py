"""Questions that need no memory: a single passage, the text at hand, or text at random holds their answer.

NWM (appendix D, "Single-passage hardness filter") keeps only questions that the best passage of 360 words cannot answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from services.evaluation.retrieval import controls, matching
from services.evaluation.retrieval.saved import Saved
from services.evaluation.retrieval.scoring import HIT, Score

EASY, HARD = "hard=no", "hard=yes"
SMALL: Final = 4_000
"""Controls are looked at under the largest budget up to this one: at a long enough one they hold the words of anything."""

Cells = Mapping[tuple[str, str, int], Sequence[Score]]


def easy(saved: Saved, cells: Cells) -> frozenset[tuple[str, str]]:
    """(suite, id) of the questions whose answer a baseline's best passage covers, or a control under a small budget."""
    found: set[tuple[str, str]] = set()
    for suite in {suite for suite, _, _ in cells}:
        budgets = sorted({budget for name, _, budget in cells if name == suite and budget != controls.UNBOUNDED})
        small = [budget for budget in budgets if budget <= SMALL]
        for control in controls.CONTROLS if small else ():
            found |= {(suite, s.question.id) for s in cells.get((suite, control, small[-1]), ()) if s.hit}
        for baseline in controls.BASELINES if budgets else ():
            scores = cells.get((suite, baseline, budgets[-1]), ())
            found |= {(suite, s.question.id) for s in scores if _best_passage_covers(saved, s)}
    return frozenset(found)


def _best_passage_covers(saved: Saved, score: Score) -> bool:
    items = [saved.items[key] for key in score.packet.items]
    if score.covered is None or not items:
        return False
    best = max(items, key=lambda item: (item["score"], -item["chapter"]))
    return matching.covered(score.question.answers, matching.words(best["text"])) >= HIT
