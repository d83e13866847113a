"""Forced first recall (NKW, appendix, step 2): five tools run for every question before anything is decided.

What they bring is carried to the text it stands on at once (step 3, candidate assembly through provenance), where evidence of
different kinds meets: a sentence that a fact, a passage and the words of the question all point to is better than each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from services.retrieval.cast import Figure
from services.retrieval.fusion import Scores, ranked
from services.retrieval.weave.intents import Intent
from services.retrieval.weave.tools import Tools
from services.retrieval.weave.views import Views

WEIGHTS: Final = {
    "text": 1.25,
    "text by intent": 0.5,
    "names": 1.25,
    "passages": 1.5,
    "passages by intent": 0.5,
    "stretch": 0.75,
    "meaning": 0.75,
    "meaning by intent": 0.5,
    "facts": 0.5,
    "facts by intent": 1.0,
    "relations": 0.75,
    "scene": 0.5,
    "scene by intent": 0.5,
    "like": 0.25,
    "storyline": 0.25,
    "entities": 0.1,
    "gap": 0.25,
}
"""What each view counts for: about the same, so that none decides alone. Views of records count by the records' confidence
besides, one against the other and, squared, all together (`Slice.trust`): a reading that doubts itself is heard less. What it is
short of trust the other names of whom the question names count for: who is meant is then looked for in the text itself."""
OF_RECORDS: Final = frozenset(
    {"facts", "facts by intent", "relations", "scene", "scene by intent", "like", "storyline", "entities"}
)
LIKE: Final = 8
"""The records whose mean is looked for again."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What first recall found. `facts` scores records; `figures` are the entities that are asked about, the best first."""

    views: Views
    facts: Scores
    figures: list[tuple[Figure, float]]


def first_recall(tools: Tools, intents: list[Intent]) -> Recalled:
    """`intents` begin with the whole question."""
    whole, parts = intents[0], intents[1:]
    views = Views(len(tools.slice.sentences), _weights(tools.slice.trust))
    views.add("text", tools.text_search(whole))
    _passages(tools, whole, views)
    facts, figures = np.zeros(len(tools.slice.records)), tools.entity_search(whole)
    if len(facts):
        facts = tools.atomic_fact_search(whole)
        _records(tools, facts, views)
        views.add("entities", tools.grounds(tools.entity_lookup(figures, whole)))
        views.add("names", tools.name_search(whole))
    if parts:
        _by_intent(tools, parts, views)
    return Recalled(views, facts, figures)


def _weights(trust: float) -> dict[str, float]:
    """`WEIGHTS` for records of a mean confidence."""
    factor = {"names": 1.0 - trust, **dict.fromkeys(OF_RECORDS, trust**2)}
    return {name: weight * factor.get(name, 1.0) for name, weight in WEIGHTS.items()}


def _passages(tools: Tools, intent: Intent, views: Views) -> None:
    provenance = tools.slice.provenance
    lexical, near = tools.narrative_semantic_search(intent)
    views.add("passages", provenance.of_passages(lexical))
    views.add("meaning", provenance.of_passages(near))
    views.add("stretch", provenance.of_passages(provenance.along(lexical)))


def _records(tools: Tools, facts: Scores, views: Views) -> None:
    """What the facts found say of the text: where they stand, what hangs together with them, in which scenes they lie."""
    views.add("facts", tools.grounds(facts))
    views.add("relations", tools.grounds(tools.relation_search(facts)))
    views.add("scene", tools.slice.provenance.around(tools.grounds(facts)))
    views.add("like", tools.grounds(tools.like_search(ranked(facts, above=0.0)[:LIKE].tolist())))
    views.add("storyline", tools.grounds(tools.storyline_trace(facts)))


def _by_intent(tools: Tools, parts: list[Intent], views: Views) -> None:
    """The same for what is asked besides: each sentence has the best score that any part of the question gives it."""
    provenance = tools.slice.provenance
    views.add("text by intent", np.max([tools.text_search(part) for part in parts], axis=0))
    found = [tools.narrative_semantic_search(part) for part in parts]
    views.add("passages by intent", provenance.of_passages(np.max([lexical for lexical, _ in found], axis=0)))
    views.add("meaning by intent", provenance.of_passages(np.max([near for _, near in found], axis=0)))
    if len(tools.slice.records):
        facts = [tools.atomic_fact_search(part) for part in parts]
        views.add("facts by intent", tools.grounds(np.max(facts, axis=0)))
        scenes = [provenance.around(tools.grounds(each)) for each in facts]
        views.add("scene by intent", np.max(scenes, axis=0))
