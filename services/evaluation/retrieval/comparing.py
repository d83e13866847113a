"""Methods held against each other on the same questions, with McNemar's exact test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.evaluation.extraction.intervals import Estimate
from services.evaluation.retrieval import controls
from services.evaluation.retrieval.measuring import SHARES, Table, name_of, of_group
from services.evaluation.retrieval.statistics import Paired, paired

COMPARED: Final = ("coverage", "gold_share", "all_gold", "gold_in_packet")
SHOWN: Final = ("", "hops=multi", "hard=yes")
"""The groups that a report shows; of the others only `GROUPED` is tested."""
GROUPED: Final = ("coverage", "gold_share")
LEAST: Final = 10
"""Questions of a family or category from which it is tested on its own: with fewer no p-value is small."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A method against another one by one measure; `group` "" means all questions."""

    suite: str
    method: str
    against: str
    budget: int
    what: str
    group: str
    value: float
    other: float
    found: Paired

    @property
    def name(self) -> str:
        return name_of((self.suite, self.method, self.budget), f"{self.what}.p_vs_{self.against}", self.group)

    def to_estimate(self) -> Estimate:
        """The p-value, an exact figure."""
        return Estimate(self.name, self.found.p, self.found.p, self.found.p, self.found.n)


def comparisons(table: Table) -> Iterator[Comparison]:
    """Each method of ours against the best baseline and both controls, and against each of ours before it in the run, wherever
    both answered the same questions; over all questions and by hops, family, category and hardness."""
    for suite in table.suites:
        others = (*controls.BASELINES, *controls.CONTROLS, *controls.ASKED_FOR, *controls.REFERENCES)
        # peers are held against the best baseline too: they stand among ours
        ours = [m for m in table.methods(suite) if m not in others]
        for budget in table.budgets(suite):
            groups = _groups(table, suite, budget)
            for what in COMPARED:
                for group in groups if what in GROUPED else SHOWN:
                    yield from _at(table, suite, ours, budget, what, group)


def _groups(table: Table, suite: str, budget: int) -> list[str]:
    """The groups with enough questions, those of `SHOWN` first."""
    (scores, *_) = [cell for (name, _, at), cell in table.cells.items() if (name, at) == (suite, budget)]
    found = Counter(group for score in scores for group in table.groups(score.question))
    return [*SHOWN, *sorted(group for group, n in found.items() if n >= LEAST and group not in SHOWN)]


def _at(table: Table, suite: str, ours: Sequence[str], budget: int, what: str, group: str) -> Iterator[Comparison]:
    def units(method: str) -> list[bool]:
        scores = table.cells.get((suite, method, budget), ())
        return [unit for s in (of_group(table, scores, group) if group else scores) for unit in SHARES[what](s)]

    found = {name: given for name in (*controls.BASELINES, *controls.CONTROLS, *ours) if (given := units(name))}
    baselines = [name for name in controls.BASELINES if name in found]
    best = [max(baselines, key=lambda name: sum(found[name]))] if baselines else []
    for place, method in enumerate(ours):
        for against in (*best, *controls.CONTROLS, *ours[:place]):
            mine, theirs = found.get(method, []), found.get(against, [])
            if mine and len(mine) == len(theirs):
                value, other = sum(mine) / len(mine), sum(theirs) / len(theirs)
                yield Comparison(suite, method, against, budget, what, group, value, other, paired(mine, theirs))
