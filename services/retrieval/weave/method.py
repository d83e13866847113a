"""`weave`: one question through the steps of NKW, and a trace of what each did."""

from __future__ import annotations

from typing import Final

from services.retrieval.packing import Item
from services.retrieval.passages import Asked, Trace
from services.retrieval.weave.board import Board
from services.retrieval.weave.intents import Planner, RulePlanner, decomposed
from services.retrieval.weave.recall import first_recall
from services.retrieval.weave.refining import refine
from services.retrieval.weave.tools import Tools

RULES: Final = RulePlanner()


def weave(asked: Asked, budget: int, trace: Trace, planner: Planner | None = None) -> list[Item]:
    """Evidence for a question, at most `budget` characters rendered. Without a planner the question's advice plans, else rules."""
    intents = decomposed(asked.text, planner or asked.advice or RULES)
    trace.append({"step": "intents", "asked": [intent.text for intent in intents[1:]]})
    tools = Tools(asked)
    recalled = first_recall(tools, intents)
    trace.append({"step": "recall", "tools": dict(sorted(tools.calls.items()))})
    scores = refine(tools, intents, recalled, budget, trace)
    board = Board(asked.slice, recalled.views, scores, recalled.figures)
    items = board.packed(budget)
    trace.append({"step": "board", "used": board.used})
    return items
