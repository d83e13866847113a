"""Turns of a conversation: the likeliest speaker of each, all turns of a chapter weighed together.

Each turn has evidence of its own (a verb of speech with its subject, who acts beside the speech, who is called by name in it),
and turns bear on one another: people answer each other, hardly anybody speaks twice in a row, whoever is spoken to speaks next.
The weights add up along a sequence of speakers as in a conditional random field whose states are the last two speakers; a
turn's speaker is the one with the highest sum over all sequences, and its share of that sum is how sure that is.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.figures import Figure
from services.extraction.offline.names import Gender
from services.extraction.offline.paragraphs import Span

Bond = Literal["apart", "answers", "beside", "goes on"]
"""How a turn follows the one before: after other narration, in the next paragraph or without narration between, in the same
paragraph after narration, or as the rest of speech that was left open."""

_CANDIDATES: Final = 7
_REPEATED: Final = {"apart": -0.3, "answers": -2.6, "beside": 2.5, "goes on": 7.0}
"""What it counts that the same person speaks again."""
_RETURNED: Final = {"apart": 0.3, "answers": 1.2, "beside": 0.0, "goes on": 0.0}
"""What it counts that whoever spoke before last speaks again."""
_SPOKEN_TO: Final = 2.0
"""What it counts to have been addressed in the turn before."""
_GOES_ON: Final = 0.5
_REPLIES: Final = 1.5
_ADDRESS: Final = 1.5
"""What it counts against a speaker that the other was addressed as one of the other sex."""
_NOBODY: Final = -3.0


@dataclass(frozen=True, slots=True)
class Turn:
    """What one person speaks without another between."""

    index: int
    """The paragraph's number."""
    quotes: tuple[Span, ...]
    bond: Bond = "answers"
    verb: str = ""
    """The verb of speech beside it."""
    weights: Mapping[int, float] = field(default_factory=dict)
    """What is in favour of each figure, by its place in the list of figures; whoever is not in it cannot be the speaker."""
    addressed: Reference | None = None
    """Who is named as the one spoken to."""
    hearers_sex: Gender = ""
    """The sex of whoever is spoken to, by a form of address ("sir")."""
    goes_on: bool = False
    """The verb of speech says that the speaker spoke before ("continued", "added")."""
    replies: bool = False
    """The verb of speech says that another spoke before ("answered")."""
    certain: float = 0.0
    """How sure the words beside it make the speaker; 0 where they do not name one."""


@dataclass(frozen=True, slots=True)
class Party:
    """One quotation of a turn: who speaks in it and who is spoken to, as far as that is known."""

    span: Span
    turn: int
    speaker: Figure | None
    hearer: Figure | None


def likeliest(turns: Sequence[Turn], figures: Sequence[Figure]) -> list[Reference | None]:
    """The speaker of each turn with the share of likelihood that is his; None where nobody is likely."""
    if not turns:
        return []
    choices = [_choices(turn) for turn in turns]
    forward = _forward(turns, choices, figures)
    backward = _backward(turns, choices, figures)
    result: list[Reference | None] = []
    for number, choice in enumerate(choices):
        shares: defaultdict[int, float] = defaultdict(float)
        top = max(forward[number][pair] + backward[number][pair] for pair in forward[number])
        for pair in forward[number]:
            shares[pair[1]] += math.exp(forward[number][pair] + backward[number][pair] - top)
        best = max(choice, key=lambda one: shares[one[0]])[0]
        share = shares[best] / sum(shares.values())
        result.append(Reference(figures[best], share) if best >= 0 else None)
    return result


Pair = tuple[int, int]


def _choices(turn: Turn) -> list[tuple[int, float]]:
    ranked = sorted(turn.weights.items(), key=lambda item: (-item[1], item[0]))[:_CANDIDATES]
    return [*ranked, (-1, _NOBODY)]


def _step(turn: Turn, last: Turn, before: int, previous: int, current: int, figures: Sequence[Figure]) -> float:
    if current < 0 or previous < 0:
        return 0.0
    score = 0.0
    if current == previous:
        score += max(_GOES_ON, _REPEATED[turn.bond]) if turn.goes_on else _REPEATED[turn.bond]
        score -= _REPLIES if turn.replies and turn.bond != "beside" else 0.0
    elif current == before and last.bond != "apart":
        score += _RETURNED[turn.bond]
    if current != previous and turn.bond == "answers":
        score -= _ADDRESS * _differ(figures[current].gender, last.hearers_sex)
        score -= _ADDRESS * _differ(figures[previous].gender, turn.hearers_sex)
    if turn.bond in ("answers", "apart") and last.addressed is not None and turn.index - last.index <= 2:
        spoken_to = figures[current] is last.addressed.figure
        score += _SPOKEN_TO if spoken_to and current != previous else 0.0
    if turn.addressed is not None and turn.bond == "answers" and figures[previous] is turn.addressed.figure:
        score += 1.0 if current != previous else 0.0
    return score


def _differ(one: Gender, other: Gender) -> bool:
    return bool(one and other) and one != other


def _forward(
    turns: Sequence[Turn], choices: Sequence[Sequence[tuple[int, float]]], figures: Sequence[Figure]
) -> list[dict[Pair, float]]:
    result = [{(-1, one): weight for one, weight in choices[0]}]
    for number in range(1, len(turns)):
        turn, last = turns[number], turns[number - 1]
        sums: defaultdict[Pair, list[float]] = defaultdict(list)
        for (before, previous), so_far in result[-1].items():
            for one, weight in choices[number]:
                sums[previous, one].append(so_far + weight + _step(turn, last, before, previous, one, figures))
        result.append({pair: _log_sum(values) for pair, values in sums.items()})
    return result


def _backward(
    turns: Sequence[Turn], choices: Sequence[Sequence[tuple[int, float]]], figures: Sequence[Figure]
) -> list[dict[Pair, float]]:
    pairs: list[list[Pair]] = [[(-1, one) for one, _ in choices[0]]]
    pairs += [[(a, b) for a, _ in before for b, _ in now] for before, now in pairwise(choices)]
    result: list[dict[Pair, float]] = [dict.fromkeys(pairs[-1], 0.0)]
    for number in range(len(turns) - 2, -1, -1):
        turn, last = turns[number + 1], turns[number]
        after = result[-1]
        result.append(
            {
                (before, previous): _log_sum(
                    [
                        after[previous, one] + weight + _step(turn, last, before, previous, one, figures)
                        for one, weight in choices[number + 1]
                    ]
                )
                for before, previous in pairs[number]
            }
        )
    return result[::-1]


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))
