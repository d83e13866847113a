"""The audit of a chain (NKW, appendix D.1), by rules: its fields are the paper's, its questions the paper's five.

1. Has every neighbouring pair explicit support in the text?  2. Does the chain hang on a weak bridge?  3. Do entities, places,
objects and occasions stay compatible across it?  4. Does a recorded fact contradict that the setting is used again?
5. Is it redundant or over-extended?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from events.domain_events import Json
from services.auditing.chains.candidates import STRONG, Link
from services.auditing.chains.scenes import Scene

Decision = Literal["keep", "split", "drop"]
_FULL: Final = 0.8
"""A link of this score is as coherent as can be."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What an auditor finds of a chain; edges and parts by scene numbers, parts in order and complete."""

    coherence_score: float
    confidence: float
    decision: Decision
    weak_edges: tuple[tuple[int, int], ...]
    suggested_splits: tuple[tuple[int, ...], ...]
    rationale: str

    def to_json(self, scenes: Sequence[Scene]) -> dict[str, Json]:
        return {
            "coherence_score": self.coherence_score,
            "confidence": self.confidence,
            "decision": self.decision,
            "weak_edges": [[scenes[a].name, scenes[b].name] for a, b in self.weak_edges],
            "suggested_splits": [[scenes[n].name for n in part] for part in self.suggested_splits],
            "rationale": self.rationale,
        }


def audit(chain: Sequence[int], scenes: Sequence[Scene], links: Mapping[tuple[int, int], Link]) -> Audit:
    """The chain by the rules: weak where a pair has too little in common, the setting drifts, or a fact speaks against it."""
    edges = list(pairwise(chain))
    reasons: dict[tuple[int, int], str] = {}
    core: frozenset[str] | None = None
    for edge in edges:
        link, shared = links[edge], links[edge].places | links[edge].things
        core = shared if core is None else core & shared
        said = _contradiction(scenes, edge) or _thin(link, shared)
        if not said and not core:
            said = "the place and objects that it began with are left here"
        if said:
            reasons[edge] = said
            core = None
    parts = split_at(chain, list(reasons))
    decision: Decision = "keep" if not reasons else "split" if any(len(part) > 1 for part in parts) else "drop"
    strengths = [0.0 if edge in reasons else min(1.0, links[edge].score / _FULL) for edge in edges]
    explicit = [edge for edge in edges if links[edge].places or links[edge].things]
    told = min(scenes[number].confidence for number in chain)
    return Audit(
        round(sum(strengths) / len(edges), 3),
        round(told * len(explicit) / len(edges), 3),
        decision,
        tuple(reasons),
        parts if decision == "split" else (),
        _rationale(scenes, edges, reasons),
    )


def split_at(chain: Sequence[int], weak: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The parts of the chain when it is cut at the weak edges."""
    cuts = set(weak)
    parts: list[list[int]] = [[chain[0]]]
    for before, after in pairwise(chain):
        if (before, after) in cuts:
            parts.append([after])
        else:
            parts[-1].append(after)
    return tuple(tuple(part) for part in parts)


def _thin(link: Link, shared: frozenset[str]) -> str:
    if not shared:
        return "they share people only, no place and no object"
    return "" if link.score >= STRONG else "they have too little in common"


def _contradiction(scenes: Sequence[Scene], edge: tuple[int, int]) -> str:
    """What speaks against the second scene's using the setting of the first."""
    one, other = scenes[edge[0]], scenes[edge[1]]
    if one.order is not None and other.order is not None and other.order < one.order:
        return "the second lies earlier in the story's time"
    for between in scenes[one.number : other.number]:
        for entity, record in between.changed.items():
            if entity in other.people & one.people or entity in (one.places | one.things) & (
                other.places | other.things
            ):
                return f"what they share is changed for good in between ({record})"
    return ""


def _rationale(
    scenes: Sequence[Scene], edges: Sequence[tuple[int, int]], reasons: Mapping[tuple[int, int], str]
) -> str:
    if not reasons:
        share = "The two scenes share" if len(edges) == 1 else f"All {len(edges)} neighbouring pairs share"
        return f"{share} a place or an object that the text names, and nothing speaks against it."
    said = [f"{scenes[a].name} and {scenes[b].name}: {reason}" for (a, b), reason in reasons.items()]
    return "; ".join(said) + "."
