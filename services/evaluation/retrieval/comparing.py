"""Methods held against each other on the same questions, with McNemar's exact test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from services.evaluation.extraction.intervals import Estimate
from services.evaluation.retrieval import controls
from services.evaluation.retrieval.measuring import SHARES, Table, name_of, of_group
from services.evaluation.retrieval.statistics import Paired, paired

COMPARED: Final = ("coverage", "gold_share", "all_gold", "gold_in_packet")
GROUPS: Final = ("", "hops=multi", "hard=yes")


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
    """Each method of ours against the best baseline and both controls, wherever both answered the same questions."""
    for suite in table.suites:
        ours = [
            m for m in table.methods(suite) if m not in (*controls.BASELINES, *controls.CONTROLS, *controls.REFERENCES)
        ]
        for budget in table.budgets(suite):
            for what in COMPARED:
                for group in GROUPS:
                    yield from _at(table, suite, ours, budget, what, group)


def _at(table: Table, suite: str, ours: list[str], budget: int, what: str, group: str) -> Iterator[Comparison]:
    def units(method: str) -> list[bool]:
        scores = table.cells.get((suite, method, budget), ())
        return [unit for s in (of_group(table, scores, group) if group else scores) for unit in SHARES[what](s)]

    baselines = {name: found for name in controls.BASELINES if (found := units(name))}
    if not baselines:
        return
    best = max(baselines, key=lambda name: sum(baselines[name]))
    others = {best: baselines[best], **{control: units(control) for control in controls.CONTROLS}}
    for method in ours:
        mine = units(method)
        for against, theirs in others.items():
            if mine and len(mine) == len(theirs):
                value, other = sum(mine) / len(mine), sum(theirs) / len(theirs)
                yield Comparison(suite, method, against, budget, what, group, value, other, paired(mine, theirs))
