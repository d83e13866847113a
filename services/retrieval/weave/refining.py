"""Refinement rounds (NKW, appendix, step 4): score the packet, prune it, see whether it can answer, and call tools for its gaps.

A gap is something that is asked and that the draft does not tell: words of the question that none of its text has although the
story does, an intent of which little is there, an entity that no piece names. Each round makes at most `CALLS` calls, what they
bring becomes one more view, and a round that changes nothing is the last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from services.retrieval.fusion import Scores
from services.retrieval.passages import Trace
from services.retrieval.sentences import Sentences
from services.retrieval.weave.intents import Intent
from services.retrieval.weave.recall import Recalled
from services.retrieval.weave.selecting import Selection
from services.retrieval.weave.tools import Tools

ROUNDS: Final = 2
CALLS: Final = 5
ANSWERABLE: Final = 0.9
"""The share of what is asked, by the rarity of its words, that a draft must tell to be left as it is."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What an intent asks and the draft does not tell."""

    intent: Intent
    missing: tuple[str, ...]
    told: float


def refine(tools: Tools, intents: list[Intent], recalled: Recalled, budget: int, trace: Trace) -> Scores:
    """The joined scores of the sentences after as many rounds as are needed; `budget` is that of the drafts."""
    for number in range(1, ROUNDS + 1):
        scores = recalled.views.among(tools.slice.provenance.around)
        draft = Selection(tools.slice.sentences, scores)
        draft.fill(budget)
        gaps = found_gaps(tools.slice.sentences, intents, draft)
        told = min((gap.told for gap in gaps), default=1.0)
        step = {"step": "refinement", "round": number, "pieces": len(draft.pieces), "told": round(told, 3)}
        if not gaps:
            trace.append({**step, "answerable": True})
            break
        before = tools.calls.copy()
        recalled.views.add("gap", _called(tools, gaps, recalled), fresh=True)
        trace.append(
            {**step, "missing": [list(g.missing) for g in gaps], "tools": dict(sorted((tools.calls - before).items()))}
        )
    return recalled.views.among(tools.slice.provenance.around)


def found_gaps(sentences: Sentences, intents: Iterable[Intent], draft: Selection) -> list[Gap]:
    """The intents of which the draft tells less than `ANSWERABLE`, the least told first."""
    shown = np.zeros(len(sentences), dtype=bool)
    for piece in draft.pieces:
        shown[piece.first : piece.last] = True
    found = []
    for intent in intents:
        rarity = {term: sentences.rarity(term) for term in dict.fromkeys(intent.terms) if len(sentences.holders(term))}
        missing = tuple(term for term in rarity if not shown[sentences.holders(term)].any())
        total = sum(rarity.values())
        told = 1.0 - sum(rarity[term] for term in missing) / total if total else 1.0
        if told < ANSWERABLE:
            found.append(Gap(intent, missing, told))
    return sorted(found, key=lambda gap: (round(gap.told, 6), gap.intent.text))


def _called(tools: Tools, gaps: list[Gap], recalled: Recalled) -> Scores:
    """At most `CALLS` calls: the missing words first, where their intent is told too, then the entities of the intent."""
    total = np.zeros(len(tools.slice.sentences))
    for calls, gap in enumerate(gaps):
        if 2 * calls + 2 > CALLS:
            break
        total += tools.gap_search(gap.intent, gap.missing)
        if len(recalled.facts):
            total += tools.grounds(tools.entity_lookup(recalled.figures, gap.intent))
    return total
