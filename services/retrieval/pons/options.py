"""The settings of `pons`, the ablations of the paper among them, and the names they are called by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, TypeAlias

from events.errors import InvalidInput

Layers: TypeAlias = Literal["both", "char", "plot"]
Bridging: TypeAlias = Literal["pons", "semantic", "mention", "none"]
Matching: TypeAlias = Literal["pairs", "edges", "dense"]
Similarity: TypeAlias = Literal["joint", "cosine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How `pons` works; the defaults are those of PonsRAG, appendix B.2 (table 7), except where a line says otherwise."""

    layers: Layers = "both"
    """Which layers are read (section 5.3, rows "w/ Char" and "w/ Plot")."""
    bridging: Bridging = "pons"
    """What an edge weighs: similarity times rarity (eq. 4), similarity alone, 1 where the figure is mentioned (appendix C)."""
    awaken: bool = True
    """Whether activation spreads over the edges (section 4.2, Pons Awaken)."""
    matching: Matching = "pairs"
    """One-to-one pairs (eq. 9), the heaviest edges ("w/o Pons Match", section 5.3), or every edge ("Dense", table 5)."""
    degree: int = 1
    """With pairs: the events that a figure may be paired with (table 5, 1-to-N)."""
    flow: bool = True
    """Whether pairs are put in story order and those that do not bear on the question are dropped (Flow Filter)."""
    similarity: Similarity = "joint"
    """The paper's similarity to a question is the cosine. Ours joins it with BM25."""
    facets: bool = True
    """Whether the clauses of a question are compared as well as the whole. Ours."""
    routing: bool = True
    """Whether the question's type (char, plot, mix) shares out the packet; without it every question counts as mix. Ours."""
    fill: bool = True
    """Whether awake events without a partner, and then the text nearest to the question, fill what room is left. Ours."""
    steps: int = 1
    """Retrievals, each with what the one before brought up (section 5.1, multi-step)."""
    tau: float = 0.75
    """The similarity from which there is an edge, on the paper's scale (see `bridge`)."""
    k1: int = 15
    """Figures that anchor."""
    k2: int = 15
    """Events that anchor."""
    k3: int = 15
    """Figures, and events, that are awakened."""
    k4: int = 30
    """Pairs that are kept."""
    alpha: float = 0.7
    """The weight of the event in the score of a plot node (eq. 5)."""
    beta: float = 0.2
    """The weight of the summary of its cluster."""
    gamma: float = 0.1
    """The weight of the chunk it is told in."""


ABLATIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "char-only": {"layers": "char"},
    "plot-only": {"layers": "plot"},
    "no-pons": {"bridging": "none"},
    "no-awaken": {"awaken": False},
    "no-match": {"matching": "edges"},
    "no-flow": {"flow": False},
    "one-to-two": {"degree": 2},
    "one-to-three": {"degree": 3},
    "one-to-many": {"matching": "dense"},
    "mention": {"bridging": "mention"},
    "semantic": {"bridging": "semantic"},
    "event-only": {"alpha": 1.0, "beta": 0.0, "gamma": 0.0},
    "summary-only": {"alpha": 0.0, "beta": 1.0, "gamma": 0.0},
    "chunk-only": {"alpha": 0.0, "beta": 0.0, "gamma": 1.0},
    "pairs-only": {"fill": False},
    "cosine": {"similarity": "cosine"},
    "no-facets": {"facets": False},
    "no-routing": {"routing": False},
    "steps": {"steps": 3},
}
"""What each name after `pons:` changes."""

_COUNTS: Final = {"degree": 30, "steps": 5, "k1": 100, "k2": 100, "k3": 100, "k4": 200}
_SHARES: Final = ("tau", "alpha", "beta", "gamma")


def options(variant: str) -> Options:
    """The options called `variant`: the names of ablations and settings joined by `+`, as in `no-match+tau=0.5`.

    An empty name means the defaults. Raises `InvalidInput`, which lists what there is.
    """
    chosen = Options()
    for part in filter(None, variant.split("+")):
        name, given, value = part.partition("=")
        if given:
            changes: dict[str, Any] = {name: _number(name, value)}
            chosen = replace(chosen, **changes)
        elif name in ABLATIONS:
            chosen = replace(chosen, **ABLATIONS[name])
        else:
            raise InvalidInput(
                f"`pons` has no variant {name[:40]!r}; use one of {', '.join(ABLATIONS)}, or {_SETTINGS}."
            )
    return chosen


_SETTINGS: Final = (
    f"a setting such as tau=0.5 ({', '.join(f.name for f in fields(Options) if f.name in {*_COUNTS, *_SHARES})})"
)


def _number(name: str, value: str) -> int | float:
    if name in _COUNTS and value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= _COUNTS[name]:
        return int(value)
    if name in _SHARES:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if 0.0 <= number <= 1.0:
            return number
    bounds = f"from 1 to {_COUNTS[name]}" if name in _COUNTS else "from 0 to 1"
    known = name in _COUNTS or name in _SHARES
    raise InvalidInput(
        f"`{name[:40]}` is a number {bounds}, not {value[:40]!r}."
        if known
        else f"`pons` has no setting {name[:40]!r}; give {_SETTINGS}."
    )
