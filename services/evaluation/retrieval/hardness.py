"""Questions that need no memory: they tell their answer themselves, or a single passage, the text at hand or text at random does.

NWM (appendix D, "Single-passage hardness filter") keeps only questions that the best passage of 360 words cannot answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from services.evaluation.retrieval import controls, matching
from services.evaluation.retrieval.questions import Question
from services.evaluation.retrieval.saved import Saved
from services.evaluation.retrieval.scoring import HIT, Score

EASY, HARD = "hard=no", "hard=yes"
CLOSED, OPEN = "closed=yes", "closed=no"
"""Whether the question's own words cover its answer: the closed-book filter that needs no reader."""
SMALL: Final = 4_000
"""Controls are looked at under the largest budget up to this one: at a long enough one they hold the words of anything."""

Cells = Mapping[tuple[str, str, int], Sequence[Score]]


def easy(saved: Saved, cells: Cells) -> frozenset[tuple[str, str]]:
    """(suite, id) of the questions whose answer they tell themselves, or a baseline's best passage, or a control under a small budget."""
    found = {key for key, question in saved.questions.items() if is_closed(question)}
    for suite in {suite for suite, _, _ in cells}:
        budgets = sorted({budget for name, _, budget in cells if name == suite and budget != controls.UNBOUNDED})
        small = [budget for budget in budgets if budget <= SMALL]
        for control in controls.CONTROLS if small else ():
            found |= {(suite, s.question.id) for s in cells.get((suite, control, small[-1]), ()) if s.hit}
        for baseline in controls.BASELINES if budgets else ():
            scores = cells.get((suite, baseline, budgets[-1]), ())
            found |= {(suite, s.question.id) for s in scores if _best_passage_covers(saved, s)}
    return frozenset(found)


def is_closed(question: Question) -> bool:
    """Whether the words of the question cover one of its answers. A claim's words are what is asked and tell nothing."""
    asked = bool(question.answers) and question.label is None
    return asked and matching.covered(question.answers, matching.words(question.text)) >= HIT


def _best_passage_covers(saved: Saved, score: Score) -> bool:
    items = [saved.items[key] for key in score.packet.items]
    if score.covered is None or not items:
        return False
    best = max(items, key=lambda item: (item["score"], -item["chapter"]))
    return matching.covered(score.question.answers, matching.words(best["text"])) >= HIT
